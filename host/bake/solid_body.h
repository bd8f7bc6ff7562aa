#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "host/bake/stage_results.h"
#include "host/fem/solid_mesh.h"
#include "host/mesh/embedding.h"
#include "host/mesh/voxel_mesh.h"

namespace haptic {

/// The simulation mesh of a body as the model file holds it.
struct SolidBody {
  ElementKind kind = ElementKind::kHexahedron;
  std::vector<double> vertices;         ///< n x 3 [m]
  std::vector<std::uint32_t> elements;  ///< m x 8 or m x 4
  /// The grid behind equal cubes; empty for tetrahedra.
  VoxelMesh voxels;

  std::size_t corners() const { return static_cast<std::size_t>(corner_count(kind)); }
  std::size_t element_count() const { return elements.size() / corners(); }
  std::size_t vertex_count() const { return vertices.size() / 3; }
};

template <class Archive>
void archive(Archive& a, SolidBody& b) {
  a(b.kind, b.vertices, b.elements, b.voxels);
}

SolidBody solid_of_voxels(VoxelMesh voxels);

/// Hexahedra of a file, which must be equal cubes of one axis-parallel grid: points are embedded
/// through it. @param source the file, for messages
/// @throws InputError if they are not
SolidBody solid_of_cubes(std::vector<double> vertices, std::vector<std::uint32_t> elements,
                         const std::string& source);

SolidBody solid_of_tetrahedra(std::vector<double> vertices, std::vector<std::uint32_t> elements);

/// Centroid of each element [m].
std::vector<Vector3> element_centroids(const SolidBody& body);

/// Faces that one element alone has, outward, on the vertices they use (ascending by mesh id).
TriangleMesh boundary_surface(const SolidBody& body);

/// Scaled about the origin, then moved. @param scale > 0
SolidBody placed(SolidBody body, double scale, const Vector3& offset);

/// Points in the elements of a body: trilinear in cubes, linear in tetrahedra. A point outside
/// takes the nearest element and its formula extrapolated. Thread-safe.
class BodyEmbedding {
 public:
  /// @param body outlives the embedding
  explicit BodyEmbedding(const SolidBody& body);
  ~BodyEmbedding();

  /// In parallel. Of a tetrahedron, entries 4..7 are its first corner with weight 0.
  std::vector<EmbeddedPoint> embed(std::span<const Vector3> points) const;

 private:
  struct Tetrahedra;
  std::optional<Embedding> cubes_;
  std::unique_ptr<Tetrahedra> tetrahedra_;
};

}  // namespace haptic
