#pragma once

#include <cstddef>
#include <cstdint>

#include "rt/geometry/signed_field.h"
#include "shared/realtime.h"
#include "shared/simd/simd_target.h"

namespace haptic {

/// Position data of tree nodes (TraversalLayout): for a deformable node, rows of n floats for x, y,
/// z, row = n a multiple of eight; for a rigid node (row = 0), x, y, z, R0.
struct NodePlaces {
  const float* values;
  std::uint32_t row;
  std::size_t floats() const HAPTIC_REALTIME { return row == 0 ? 4 : 3 * std::size_t{row}; }
};

/// From the shell's material frame to the field's: X = rotation x + offset.
struct FrameChange {
  double rotation[3][3];
  double offset[3];  ///< m
};

/// Entry points of one instruction set. The position of a node does not depend on the other nodes
/// of a batch, bit for bit.
struct TraversalKernels {
  /// Positions of `count` <= kFieldBatch nodes in the field's frame [m].
  /// @param coordinates (1 | q | 0), n doubles aligned to a cache line; not read for rigid nodes
  void (*place)(const NodePlaces& places, const std::uint32_t* nodes, std::uint32_t count,
                const double* coordinates, const FrameChange& change,
                FieldPoints& points) HAPTIC_REALTIME;
};

const TraversalKernels& traversal_kernels(SimdTarget target);

}  // namespace haptic
