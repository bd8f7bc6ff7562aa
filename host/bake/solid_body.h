#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "host/bake/stage_results.h"
#include "host/fem/solid_mesh.h"
#include "host/mesh/embedding.h"
#include "host/mesh/placement.h"
#include "host/mesh/tetrahedral_mesh.h"
#include "host/mesh/voxel_mesh.h"

namespace haptic {

/// The simulation mesh of a body in the layout of the model file.
struct SolidBody {
  ElementKind kind = ElementKind::kHexahedron;
  std::vector<double> vertices;         ///< n x 3 [m]
  std::vector<std::uint32_t> elements;  ///< m x 8 or m x 4
  VoxelMesh voxels;                     ///< the grid behind hexahedra, which are equal cubes
  TetrahedralMesh tetrahedra;           ///< the same mesh in the form that the embedding takes
  CellSettings cells;                   ///< of hexahedra

  std::size_t corners() const { return static_cast<std::size_t>(corner_count(kind)); }
  std::size_t element_count() const { return elements.size() / corners(); }
  std::size_t vertex_count() const { return vertices.size() / 3; }
};

template <class Archive>
void archive(Archive& a, LeftOutVertices& l) {
  a(l.count, l.first_tag, l.renumbers);
}

template <class Archive>
void archive(Archive& a, NamedGroup& g) {
  a(g.name, g.vertices, g.tetrahedra);
}

template <class Archive>
void archive(Archive& a, TetrahedralMesh& m) {
  a(m.vertices, m.tetrahedra, m.regions, m.groups, m.turned, m.repeated, m.left_out);
}

template <class Archive>
void archive(Archive& a, SolidBody& b) {
  a(b.kind, b.vertices, b.elements, b.voxels, b.tetrahedra, b.cells.sampling, b.cells.parts);
}

SolidBody solid_of_voxels(VoxelMesh voxels);

/// Hexahedra of a file, which must be equal cubes of one axis-parallel grid: points are embedded
/// through it. @param source the file, for messages
/// @throws InputError if they are not
SolidBody solid_of_cubes(std::vector<double> vertices, std::vector<std::uint32_t> elements,
                         const std::string& source);

SolidBody solid_of_tetrahedra(TetrahedralMesh mesh);

/// Centroid of each element [m].
std::vector<Vector3> element_centroids(const SolidBody& body);

/// Faces that belong to one element only, outward. @param source the file, for messages
TriangleMesh boundary_of(const SolidBody& body, const std::string& source);

/// In the model frame. Cubes stay parallel to the axes: their placement must not turn them.
SolidBody placed(SolidBody body, const Placement& placement);

/// Points in the elements of a body (host/mesh/embedding.h), in parallel.
std::vector<EmbeddedPoint> embed_points(const SolidBody& body, std::span<const Vector3> points);

}  // namespace haptic
