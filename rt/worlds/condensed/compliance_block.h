#pragma once

#include <cstddef>

#include "rt/worlds/condensed/contact_compliance.h"
#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic::condensed {

/// Block of the contacts i and j, from the force on j to the displacement of i.
inline Matrix3 block_of(const SymmetricView& S, std::size_t i, std::size_t j) HAPTIC_REALTIME {
  Matrix3 block;
  for (Eigen::Index a = 0; a < 3; ++a) {
    const double* const row = S.row(3 * i + static_cast<std::size_t>(a)) + 3 * j;
    block.row(a) << row[0], row[1], row[2];
  }
  return block;
}

}  // namespace haptic::condensed
