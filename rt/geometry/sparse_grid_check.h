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

/// What a checked grid offers a query.
struct CheckedSparseGrid {
  const SparseUpper* upper = nullptr;  ///< node of the samples 0..4095 in each direction
  std::size_t leaves = 0;
  double reach = 0.0;  ///< of negative samples, a cell's diagonal added [m]
};

/// Holds a NanoVDB float grid against its own bytes: sizes, counts and every offset of every node,
/// so that no walk from the root leaves the bytes; finite samples; positive ones on the box.
/// @throws InputError naming source and /field/sparse
CheckedSparseGrid checked_sparse_grid(std::span<const std::uint8_t> bytes, const GridView& grid,
                                      std::string_view source);

}  // namespace haptic
