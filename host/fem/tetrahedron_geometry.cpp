#include "host/fem/tetrahedron_geometry.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>

#include "shared/error.h"

namespace haptic {

TetrahedronGeometry tetrahedron_geometry(const TetrahedronCorners& corners) {
  Eigen::Matrix3d edges;  // columns from corner 0
  for (int a = 0; a < 3; ++a) edges.col(a) = corners.col(a + 1) - corners.col(0);
  double longest = 0.0;
  for (int a = 0; a < 4; ++a) {
    for (int b = a + 1; b < 4; ++b) {
      longest = std::max(longest, (corners.col(a) - corners.col(b)).norm());
    }
  }
  const double determinant = edges.determinant();
  if (!(determinant > 1e-10 * longest * longest * longest)) {
    throw InputError("tetrahedron", "volume", fmt::format("found {:.3g} m^3", determinant / 6.0),
                     "> 0 (four corners in VTK order, not flat, not inverted)");
  }
  TetrahedronGeometry geometry;
  geometry.weight[0] = determinant / 6.0;
  // Rows of the inverse are the gradients of the local coordinates of corners 1, 2, 3.
  geometry.gradient[0].rightCols<3>() = edges.inverse().transpose();
  geometry.gradient[0].col(0) = -geometry.gradient[0].rightCols<3>().rowwise().sum();
  return geometry;
}

}  // namespace haptic
