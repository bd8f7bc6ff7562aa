#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "host/mesh/triangle_mesh.h"

namespace haptic {

/// Corner offsets of an element in units of its edge, VTK hexahedron order.
inline constexpr std::array<std::array<std::uint32_t, 3>, 8> kCornerOffsets = {
    {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}}};

struct VoxelSettings {
  std::uint32_t resolution = 32;  ///< voxels along the longest side of the bounding box, 1..512
  bool fill = true;               ///< also fill the enclosed empty space with voxels (flood fill)
  /// Box side over object side, 1..2. A little above 1 keeps faces of the bounding box off the
  /// grid planes, where a closed voxel on the other side would touch them too.
  double enlargement = 1.001;
  /// Coordinate of a plane of the grid along each axis, so that a place that is fixed from there on
  /// ends between voxels [m]; absent: the grid is centred on the bounding box.
  std::array<std::optional<double>, 3> planes = {};
};

/// Statistics of the voxelisation.
struct VoxelReport {
  std::size_t surface_voxels = 0;  ///< touched by a triangle
  std::size_t filled_voxels = 0;   ///< added by the flood fill
  std::size_t components = 0;      ///< face-connected pieces before clean-up
  std::size_t dropped_voxels = 0;  ///< in all pieces but the largest
  std::string summary() const;
};

/// Hexahedral mesh of equal cubes on a regular grid.
struct VoxelMesh {
  static constexpr std::uint32_t kNoElement = std::numeric_limits<std::uint32_t>::max();

  double edge = 0.0;                                   ///< h [m]
  std::vector<Vector3> vertices;                       ///< n, ascending grid order, x fastest [m]
  std::vector<std::array<std::uint32_t, 8>> elements;  ///< m, VTK order, ascending cell order
  Vector3 origin = Vector3::Zero();                    ///< lower corner of cell (0,0,0) [m]
  std::array<std::uint32_t, 3> dims = {0, 0, 0};       ///< cells along x, y, z
  std::vector<std::uint32_t> element_of_cell;          ///< dims product, x fastest; or kNoElement
  std::vector<std::uint32_t> cell_of_element;          ///< m
  VoxelReport report;

  double volume() const { return static_cast<double>(elements.size()) * edge * edge * edge; }
  std::uint32_t cell_index(std::uint32_t i, std::uint32_t j, std::uint32_t k) const {
    return (k * dims[1] + j) * dims[0] + i;
  }
  std::array<std::uint32_t, 3> cell_coordinates(std::uint32_t cell) const {
    return {cell % dims[0], cell / dims[0] % dims[1], cell / dims[0] / dims[1]};
  }
  /// Lower corner of an element [m].
  Vector3 lower_corner(std::uint32_t element) const;
};

/// Conservative voxelisation: every voxel whose closed cube meets a triangle (separating axes),
/// optionally the enclosed space, of which the largest face-connected piece is kept.
///
/// Voxel edge h = enlargement * longest side / resolution; the grid is centred on the bounding
/// box in each axis, or has a plane where the settings say, and as many cells as it needs. Parallel
/// over triangles; the result does not depend on the number of threads. Source:
/// docs/methods/reduced-dynamics.md, "Voxel mesh"; Barbic 2007, section 2.5.2.
/// @throws InputError if a setting is out of range or the mesh has no extent
VoxelMesh voxelize(const TriangleMesh& mesh, const VoxelSettings& settings);

/// The same grid with some of its elements: the largest face-connected piece of them.
/// @param keep one entry per element, not zero for those that stay; at least one
VoxelMesh with_elements(const VoxelMesh& mesh, std::span<const std::uint8_t> keep);

/// Does the closed cube of centre `centre` and half edge `half` meet the triangle (a, b, c)?
/// Separating-axis test over 13 axes (Akenine-Moeller 2001).
bool triangle_meets_cube(const Vector3& centre, double half, const Vector3& a, const Vector3& b,
                         const Vector3& c);

}  // namespace haptic
