#pragma once

#include <Eigen/Core>

#include "host/fem/solid_mesh.h"
#include "host/mesh/triangle_mesh.h"

namespace haptic {

/// Boundary of a mesh of hexahedra, each face cut into `cuts` x `cuts` quads that follow the
/// trilinear displacement, for images of coarse meshes.
struct FaceSurface {
  /// @param cuts >= 1
  FaceSurface(const SolidMesh& mesh, int cuts);

  /// Rows of U (3n x r) at the surface vertices, 3v x r.
  Eigen::MatrixXd at_surface(const Eigen::MatrixXd& U) const;

  TriangleMesh surface;
  std::vector<std::array<std::uint32_t, 4>> corners;  ///< mesh vertices of a surface vertex's face
  std::vector<std::array<double, 4>> weights;         ///< their weights, sum 1
};

}  // namespace haptic
