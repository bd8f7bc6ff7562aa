#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

namespace haptic {

/// How a surface follows a volume mesh: each of its vertices is a weighted mean of mesh vertices.
struct Interpolation {
  std::size_t corners = 8;              ///< mesh vertices per surface vertex, 1..64
  std::vector<std::uint32_t> vertices;  ///< v x corners, 0-based
  std::vector<double> weights;          ///< v x corners; each row sums to 1 unless it is all zero

  std::size_t point_count() const { return vertices.size() / corners; }
};

/// Reads VegaFEM's .interp: text (`id vertex weight vertex weight ...`, ids 0, 1, 2, ...) or binary
/// (int32 v, int32 corners, v corners int32 vertices, v corners doubles), told by the length.
/// @param vertex_count of the volume mesh
/// @throws InputError if a line or size is invalid, a vertex is outside the mesh, or weights
///         sum to neither 1 (within 1e-3: Vega writes six decimals) nor 0
Interpolation read_interpolation(const std::filesystem::path& path, std::size_t vertex_count);

enum class InterpolationForm { kText, kBinary };

void write_interpolation(const std::filesystem::path& path, const Interpolation& interpolation,
                         InterpolationForm form = InterpolationForm::kText);

/// W U: displacement of the surface vertices per reduced coordinate.
/// @param basis 3n x r row-major @returns 3v x r row-major
std::vector<float> interpolated_basis(const Interpolation& interpolation,
                                      std::span<const double> basis, std::size_t r);

}  // namespace haptic
