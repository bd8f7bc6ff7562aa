#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "host/mesh/tetrahedral_mesh.h"
#include "host/mesh/voxel_mesh.h"

namespace haptic {

class TetrahedronLocator;

/// A material point expressed in one element of a volume mesh. In a tetrahedron the first four
/// entries count; the others have weight and gradient 0 and repeat the first vertex.
struct EmbeddedPoint {
  std::uint32_t element = 0;
  bool inside = true;                       ///< false: extrapolated from the nearest element
  std::array<std::uint32_t, 8> vertices{};  ///< mesh vertex ids, VTK order
  std::array<double, 8> weights{};          ///< shape functions; sum 1; negative only if not inside
  std::array<Vector3, 8> gradients;         ///< d weight / dX [1/m]; sum 0
};

/// Embedding of points in a volume mesh by its shape functions, trilinear in a voxel and
/// barycentric in a tetrahedron: u(X) = sum_b w_b u_b, du/dX = sum_b u_b (x) grad w_b
/// (docs/methods/reduced-dynamics.md, "Embedding").
///
/// A point on shared faces belongs to the lowest element id. A point outside
/// all elements (offset shells, dropped pieces) takes the nearest element, lowest id on ties, with
/// the same formulas extrapolated; linear fields stay exact.
class Embedding {
 public:
  /// @param mesh outlives the embedding; at least one element
  explicit Embedding(const VoxelMesh& mesh);
  explicit Embedding(const TetrahedralMesh& mesh);
  ~Embedding();

  EmbeddedPoint embed(const Vector3& point) const;
  /// All points, in parallel.
  std::vector<EmbeddedPoint> embed(std::span<const Vector3> points) const;

  /// Element of `point` by the rules above.
  std::uint32_t element_at(const Vector3& point, bool& inside) const;

 private:
  std::uint32_t voxel_at(const Vector3& point, bool& inside) const;
  EmbeddedPoint embed_in_voxel(const Vector3& point) const;
  EmbeddedPoint embed_in_tetrahedron(const Vector3& point) const;

  const VoxelMesh* voxels_ = nullptr;  ///< one of the two
  const TetrahedralMesh* tetrahedra_ = nullptr;
  std::unique_ptr<const TetrahedronLocator> locator_;
  double inside_squared_ = 0.0;  ///< of a tetrahedron: rounding of a point on the surface [m^2]
};

/// W U: displacement of embedded points per reduced coordinate.
/// @param points k embedded points
/// @param basis  3n x r, row-major, rows (x,y,z) per mesh vertex
/// @param r      columns
/// @param result 3k x r, row-major, overwritten
void embed_basis(std::span<const EmbeddedPoint> points, std::span<const double> basis,
                 std::size_t r, std::span<double> result);
void embed_basis(std::span<const EmbeddedPoint> points, std::span<const double> basis,
                 std::size_t r, std::span<float> result);

}  // namespace haptic
