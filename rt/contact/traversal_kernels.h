#pragma once

#include <cstddef>
#include <cstdint>

#include "rt/geometry/signed_field.h"
#include "shared/realtime.h"
#include "shared/simd/simd_target.h"

namespace haptic {

/// Where the points of tree nodes are (TraversalLayout): rows of n floats for x, y, z of a
/// deformable node, n a multiple of eight; x, y, z, R0 of a rigid one (row = 0).
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

/// Entry points of one instruction set. The place of a node does not depend on its neighbours in a
/// batch, bit for bit.
struct TraversalKernels {
  /// Points of `count` <= kFieldBatch nodes in the field's frame.
  /// @param coordinates (1 | q | 0), n doubles aligned to a cache line; not read for rigid nodes
  void (*place)(const NodePlaces& places, const std::uint32_t* nodes, std::uint32_t count,
                const double* coordinates, const FrameChange& change,
                FieldPoints& points) HAPTIC_REALTIME;
};

const TraversalKernels& traversal_kernels(SimdTarget target);

}  // namespace haptic
