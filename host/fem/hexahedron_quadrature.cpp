#include "host/fem/hexahedron_quadrature.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <array>

#include "shared/error.h"

namespace haptic {
namespace {

struct GaussRule {
  int count;
  std::array<double, 5> point;   // on [0, 1]
  std::array<double, 5> weight;  // sum 1
};

// Gauss-Legendre rules moved from [-1, 1] to [0, 1].
GaussRule gauss_rule(int count) {
  switch (count) {
    case 1:
      return {1, {0.5}, {1.0}};
    case 2:
      return {2, {0.21132486540518711775, 0.78867513459481288225}, {0.5, 0.5}};
    case 3:
      return {3,
              {0.11270166537925831148, 0.5, 0.88729833462074168852},
              {0.27777777777777777778, 0.44444444444444444444, 0.27777777777777777778}};
    case 4:
      return {4,
              {0.06943184420297371239, 0.33000947820757186760, 0.66999052179242813240,
               0.93056815579702628761},
              {0.17392742256872692869, 0.32607257743127307131, 0.32607257743127307131,
               0.17392742256872692869}};
    case 5:
      return {5,
              {0.04691007703066800360, 0.23076534494715845448, 0.5, 0.76923465505284154552,
               0.95308992296933199640},
              {0.11846344252809454376, 0.23931433524968323402, 0.28444444444444444444,
               0.23931433524968323402, 0.11846344252809454376}};
    default:
      throw InputError("quadrature", "points per axis", fmt::format("found {}", count), "1..5");
  }
}

}  // namespace

CornerVectors hexahedron_corner_offsets() {
  CornerVectors offsets;
  offsets << 0, 1, 1, 0, 0, 1, 1, 0,  //
      0, 0, 1, 1, 0, 0, 1, 1,         //
      0, 0, 0, 0, 1, 1, 1, 1;
  return offsets;
}

HexahedronQuadrature hexahedron_quadrature(const CornerVectors& corners, int points_per_axis) {
  const GaussRule rule = gauss_rule(points_per_axis);
  const CornerVectors offsets = hexahedron_corner_offsets();
  const double extent = (corners.rowwise().maxCoeff() - corners.rowwise().minCoeff()).maxCoeff();
  const double least = 1e-10 * extent * extent * extent;
  HexahedronQuadrature quadrature;
  for (int k = 0; k < rule.count; ++k) {
    for (int j = 0; j < rule.count; ++j) {
      for (int i = 0; i < rule.count; ++i) {
        const Eigen::Vector3d xi(rule.point[i], rule.point[j], rule.point[k]);
        CornerVectors local_gradient;
        Eigen::Matrix<double, 8, 1> value;
        for (int a = 0; a < 8; ++a) {
          Eigen::Vector3d factor, slope;
          for (int d = 0; d < 3; ++d) {
            const bool upper = offsets(d, a) > 0.5;
            factor[d] = upper ? xi[d] : 1.0 - xi[d];
            slope[d] = upper ? 1.0 : -1.0;
          }
          value[a] = factor.prod();
          local_gradient.col(a) << slope[0] * factor[1] * factor[2],
              factor[0] * slope[1] * factor[2], factor[0] * factor[1] * slope[2];
        }
        const Eigen::Matrix3d jacobian = corners * local_gradient.transpose();  // dX/dxi
        const double determinant = jacobian.determinant();
        if (!(determinant > least)) {
          throw InputError("hexahedron", "Jacobian", fmt::format("found {:.3g} m^3", determinant),
                           "> 0 (eight corners in VTK order, not flat, not inverted)");
        }
        quadrature.weight.push_back(rule.weight[i] * rule.weight[j] * rule.weight[k] * determinant);
        quadrature.gradient.push_back(jacobian.inverse().transpose() * local_gradient);
        quadrature.value.push_back(value);
      }
    }
  }
  return quadrature;
}

bool is_parallelepiped(const CornerVectors& corners) {
  const Eigen::Vector3d origin = corners.col(0);
  Eigen::Matrix3d edges;
  edges << corners.col(1) - origin, corners.col(3) - origin, corners.col(4) - origin;
  const CornerVectors affine = (edges * hexahedron_corner_offsets()).colwise() + origin;
  // Rounding of positions far from the origin reaches 1e-13 of an edge on meshes of interest.
  return (corners - affine).cwiseAbs().maxCoeff() <= 1e-11 * edges.cwiseAbs().maxCoeff();
}

}  // namespace haptic
