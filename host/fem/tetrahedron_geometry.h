#pragma once

#include <Eigen/Core>
#include <array>

namespace haptic {

/// Corner positions of a tetrahedron [m], column per corner; positive when corner 3 lies on the
/// side of the triangle 0, 1, 2 to which its right-hand normal points (VTK order).
using TetrahedronCorners = Eigen::Matrix<double, 3, 4>;

/// Linear tetrahedron: the gradients of its shape functions are constant, so one point with the
/// volume as weight integrates every polynomial of the gradients. It has the interface of a
/// quadrature rule, so that the element kernels are the same as the hexahedron's.
struct TetrahedronGeometry {
  static constexpr int kCorners = 4;

  std::array<double, 1> weight;                ///< volume [m^3]
  std::array<TetrahedronCorners, 1> gradient;  ///< column a = grad phi_a [1/m]

  static constexpr int size() { return 1; }
};

/// @param corners undeformed corner positions [m]
/// @throws InputError if the volume is negative (inverted) or below 1e-10 / 6 of the longest edge
///         cubed (flat)
TetrahedronGeometry tetrahedron_geometry(const TetrahedronCorners& corners);

}  // namespace haptic
