#pragma once

#include <nanovdb/NanoVDB.h>

#include <cstdint>
#include <span>
#include <string_view>

#include "rt/geometry/grid_kernels.h"

namespace haptic {

using SparseUpper = nanovdb::NanoUpper<float>;
using SparseLower = nanovdb::NanoLower<float>;
using SparseLeaf = nanovdb::NanoLeaf<float>;

/// Result of checked_sparse_grid().
struct CheckedSparseGrid {
  const SparseUpper* upper = nullptr;  ///< node that contains the samples 0..4095 on each axis
  double inner_depth = 0.0;            ///< of the most negative sample [m]
  double reach = 0.0;  ///< farthest negative sample from the origin, plus a cell's diagonal [m]
};

/// Validates a NanoVDB float grid: sizes, counts and all child offsets, so that no path from the
/// root leads outside `bytes`; every sample is finite, and those on the box faces are positive.
/// @throws InputError naming source and /field/sparse
CheckedSparseGrid checked_sparse_grid(std::span<const std::uint8_t> bytes, const GridView& grid,
                                      std::string_view source);

}  // namespace haptic
