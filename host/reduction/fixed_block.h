#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <random>

namespace haptic {

/// Start vectors of an eigenvalue iteration: numbers in [-1, 1), the same on every platform (the
/// standard fixes mt19937_64's numbers, not those of its distributions).
inline Eigen::MatrixXd fixed_block(int rows, int columns, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  Eigen::MatrixXd block(rows, columns);
  for (Eigen::Index i = 0; i < block.size(); ++i) {
    block.data()[i] = static_cast<double>(generator() >> 11) * 0x1.0p-52 - 1.0;
  }
  return block;
}

}  // namespace haptic
