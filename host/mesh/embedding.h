#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "host/mesh/voxel_mesh.h"

namespace haptic {

/// A material point expressed in one element of a voxel mesh.
struct EmbeddedPoint {
  std::uint32_t element = 0;
  bool inside = true;                       ///< false: extrapolated from the nearest element
  std::array<std::uint32_t, 8> vertices{};  ///< mesh vertex ids, VTK order
  std::array<double, 8> weights{};          ///< trilinear; sum 1; negative only if not inside
  std::array<Vector3, 8> gradients;         ///< d weight / dX [1/m]; sum 0
};

/// Trilinear embedding of points in a voxel mesh: u(X) = sum_b w_b u_b,
/// du/dX = sum_b u_b (x) grad w_b (spec reduced-dynamics 2.2).
///
/// A point on shared faces belongs to the lowest element id (section 5 item 5). A point outside
/// all elements (offset shells, dropped pieces) takes the nearest element, lowest id on ties, with
/// the same formulas extrapolated; linear fields stay exact.
class Embedding {
 public:
  /// @param mesh outlives the embedding; at least one element
  explicit Embedding(const VoxelMesh& mesh);

  EmbeddedPoint embed(const Vector3& point) const;
  /// All points, in parallel.
  std::vector<EmbeddedPoint> embed(std::span<const Vector3> points) const;

  /// Element of `point` by the rules above.
  std::uint32_t element_at(const Vector3& point, bool& inside) const;

 private:
  const VoxelMesh* mesh_;
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
