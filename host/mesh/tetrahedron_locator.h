#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "host/mesh/tetrahedral_mesh.h"

namespace haptic {

/// Barycentric coordinates of a point in a tetrahedron; sum 1.
using Barycentric = Eigen::Vector4d;

/// The tetrahedron of a mesh nearest to a point, by a tree of bounding boxes.
class TetrahedronLocator {
 public:
  /// @param mesh outlives the locator; at least one tetrahedron, none of them flat
  explicit TetrahedronLocator(const TetrahedralMesh& mesh);

  struct Found {
    std::uint32_t element = 0;
    double distance_squared = 0.0;  ///< to the closed tetrahedron [m^2]; 0 inside
  };
  /// Ties within rounding (shared faces) go to the lowest element id.
  Found nearest(const Vector3& point) const;

  Barycentric coordinates(std::uint32_t element, const Vector3& point) const;
  /// Gradients of the barycentric coordinates, column per corner [1/m].
  Eigen::Matrix<double, 3, 4> gradients(std::uint32_t element) const;

 private:
  struct Node {
    BoundingBox box;
    std::uint32_t begin, end;  ///< elements of a leaf
    std::uint32_t right;       ///< index of the right child; the left one is next; 0: a leaf
  };
  std::uint32_t build(std::uint32_t begin, std::uint32_t end);
  double distance_squared(std::uint32_t element, const Vector3& point) const;

  const TetrahedralMesh& mesh_;
  std::vector<std::uint32_t> order_;
  std::vector<Vector3> centres_;
  std::vector<Node> nodes_;
  double tie_;  ///< rounding of a squared distance near the mesh [m^2]
};

}  // namespace haptic
