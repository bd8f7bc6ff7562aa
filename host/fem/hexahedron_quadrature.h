#pragma once

#include <Eigen/Core>
#include <vector>

namespace haptic {

/// A 3-vector per corner of a hexahedron (position, displacement, force), column per corner in
/// VTK order: bottom face counter-clockwise 0-3, then top 4-7.
using CornerVectors = Eigen::Matrix<double, 3, 8>;

/// Trilinear shape functions of one undeformed hexahedron at its Gauss points.
struct HexahedronQuadrature {
  static constexpr int kCorners = 8;

  std::vector<double> weight;                      ///< w_g det J [m^3]; the sum is the volume
  std::vector<CornerVectors> gradient;             ///< column a = grad phi_a at g [1/m]
  std::vector<Eigen::Matrix<double, 8, 1>> value;  ///< phi_a at g [1]

  int size() const { return static_cast<int>(weight.size()); }
};

/// Local corner offsets in {0,1}^3, column per corner.
CornerVectors hexahedron_corner_offsets();

/// Gauss rule with `points_per_axis`^3 points (1..5). On a parallelepiped 3 per axis is exact for
/// every integral of hexahedron_tables.h, 2 per axis for A, B and C but not for D.
/// @param corners undeformed corner positions [m]
/// @throws InputError if the Jacobian is not positive at a Gauss point (inverted), or below 1e-10
/// of
///         the longest extent cubed (flat)
HexahedronQuadrature hexahedron_quadrature(const CornerVectors& corners, int points_per_axis = 3);

/// Whether the trilinear map of these corners is affine (a parallelepiped) up to rounding.
bool is_parallelepiped(const CornerVectors& corners);

}  // namespace haptic
