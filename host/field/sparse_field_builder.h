#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "host/field/distance_field_builder.h"

namespace haptic {

struct SparseFieldSettings {
  std::uint32_t resolution = 256;  ///< N, voxels a side: a power of two, 16..1024
  double expansion = 1.5;          ///< box edge over the longest side of the object, > 1
  double band = 4.0;  ///< every sample within so many voxels of the surface is stored, 2..64
};

/// Sections /field/sparse, /field/resolution and /field/frame.
struct SparseGrid {
  std::uint32_t resolution = 0;
  std::array<double, 5> frame = {};
  std::vector<std::uint8_t> bytes;   ///< one NanoVDB float grid
  std::uint64_t stored_samples = 0;  ///< of (N+1)^3
};

/// Signed distance near a surface. Blocks of 8^3 samples that may meet the band around the surface
/// store the samples of the dense field with the same settings. Every other block stores one number
/// with its sign: the distance of its centre minus its radius, a lower bound for all its samples.
/// Parallel; the same bytes whatever the number of threads.
/// @throws InputError if a setting is out of range; OperationError if stored neighbours differ by
///         more than a voxel: the surface intersects itself or is not closed
SparseGrid build_sparse_field(const SurfaceDistance& surface, const SparseFieldSettings& settings,
                              const FieldProgress& progress = {});

}  // namespace haptic
