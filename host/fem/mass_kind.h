#pragma once

#include <string_view>

namespace haptic {

enum class MassKind {
  kConsistent,  ///< M_ab = Int rho phi_a phi_b dV
  kLumped       ///< its row sums on the diagonal; the mass of every element is kept
};

/// The name in recipes, options and logs.
constexpr std::string_view name_of(MassKind kind) {
  return kind == MassKind::kLumped ? "lumped" : "consistent";
}

}  // namespace haptic
