#pragma once

namespace haptic {

/// Frobenius norm of a - b over that of b, which must not be zero. Vectors or matrices of the same
/// shape.
template <typename A, typename B>
double relative_error(const A& a, const B& b) {
  return (a - b).norm() / b.norm();
}

}  // namespace haptic
