#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "host/mesh/embedding.h"
#include "shared/math/pose.h"

namespace haptic {

/// Sections /shell/displacement and /shell/normal_correction, both s x 3 x r row-major.
struct ModalBlocks {
  std::vector<float> displacement;       ///< U_s = sum_v phi_v U_v
  std::vector<float> normal_correction;  ///< column j: F_sj N_s = sum_v U_vj (grad phi_v . N_s)
};

/// Blocks of every shell point by finite element interpolation of the basis
/// (Barbic 2007, Eq 3.6-3.8). Computed in double, stored as float.
/// @param basis   U, 3n x r row-major, rows (x, y, z) per vertex
/// @param embedding s embedded points, in the order of the shell
/// @param normals s inward unit normals N_s
/// @throws InputError if sizes do not fit together or a vertex is out of range
ModalBlocks build_modal_blocks(std::span<const double> basis, std::uint32_t r,
                               std::span<const EmbeddedPoint> embedding,
                               std::span<const Vector3> normals);

}  // namespace haptic
