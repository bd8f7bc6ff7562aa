#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "host/field/distance_field_builder.h"

namespace haptic {

struct SparseFieldSettings {
  std::uint32_t resolution = 256;  ///< N, voxels a side: a power of two, 16..1024
  double expansion = 1.5;          ///< box edge against the object's longest side, > 1
  double band = 4.0;  ///< every sample within so many voxels of the surface is stored, 2..64
};

/// Sections /field/sparse, /field/resolution and /field/frame.
struct SparseGrid {
  std::uint32_t resolution = 0;
  std::array<double, 5> frame = {};
  std::vector<std::uint8_t> bytes;   ///< one NanoVDB float grid
  std::uint64_t stored_samples = 0;  ///< of (N+1)^3
};

/// Signed distance near a surface: blocks of 8^3 samples that the band about the surface may enter
/// hold the exact samples of the dense field of the same settings; every other block one number of
/// its sign, the distance of its centre less its radius, which no sample in it falls short of.
/// Parallel; the same bytes whatever the number of threads.
/// @throws InputError if a setting is out of range; OperationError if stored neighbours differ by
///         more than a voxel: the surface crosses itself or is not closed
SparseGrid build_sparse_field(const SurfaceDistance& surface, const SparseFieldSettings& settings,
                              const FieldProgress& progress = {});

}  // namespace haptic
