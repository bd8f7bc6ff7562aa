#include "host/fem/assumed_strain_rule.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

namespace haptic {
namespace {

using Vector3 = Eigen::Vector3d;

/// Corner offsets in {-1, 1}^3.
CornerVectors corner_signs() {
  return (2.0 * hexahedron_corner_offsets()).array() - 1.0;
}

struct Shapes {
  Eigen::Matrix<double, 8, 1> value;
  CornerVectors gradient;  // per edge
};

/// Trilinear shape functions at a point of the cell's frame.
Shapes shapes_at(const CornerVectors& signs, const Vector3& at) {
  Shapes shapes;
  for (int a = 0; a < 8; ++a) {
    Vector3 factor;
    for (int d = 0; d < 3; ++d) factor[d] = 0.5 + signs(d, a) * at[d];
    shapes.value[a] = factor.prod();
    shapes.gradient.col(a) << signs(0, a) * factor[1] * factor[2],
        factor[0] * signs(1, a) * factor[2], factor[0] * factor[1] * signs(2, a);
  }
  return shapes;
}

/// Axes of the shear strains, and the axis along which each is sampled where the point lies: on it,
/// bending about the axes of the element has no shear of its own.
constexpr int kShear[3][2] = {{0, 1}, {0, 2}, {1, 2}};
constexpr int kAlong[3] = {2, 1, 0};

}  // namespace

std::array<Vector3, AssumedStrainRule::kPoints> points_of(const CellPart& part) {
  const double volume = part[0];
  const Vector3 centre = Vector3(part[1], part[2], part[3]) / volume;
  Eigen::Matrix3d second;
  second << part[4], part[7], part[8],  //
      part[7], part[5], part[9],        //
      part[8], part[9], part[6];
  const Eigen::Matrix3d covariance = second / volume - centre * centre.transpose();
  // The symmetric root: the same for every numbering of the axes, diagonal for a box.
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(covariance);
  const Eigen::Matrix3d root = solver.eigenvectors() *
                               solver.eigenvalues().cwiseMax(0.0).cwiseSqrt().asDiagonal() *
                               solver.eigenvectors().transpose();
  const CornerVectors signs = corner_signs();
  std::array<Vector3, AssumedStrainRule::kPoints> points;
  for (int g = 0; g < 8; ++g) {
    points[static_cast<std::size_t>(g)] = centre + root * signs.col(g);
  }
  return points;
}

AssumedStrainRule assumed_strain_rule(const Vector3& edges, const CellPart& part,
                                      StrainSampling sampling, double mean_share) {
  const CornerVectors signs = corner_signs();
  CellPart held = part;  // with the floor
  if (part != kWholeCell) {
    for (std::size_t m = 0; m < held.size(); ++m) held[m] += kCutFloor * kWholeCell[m];
  }
  const auto points = points_of(held), masses = points_of(part);
  const Vector3 per_metre = edges.cwiseInverse();
  AssumedStrainRule rule;
  rule.mean_share = mean_share;
  rule.weight.fill(held[0] * edges.prod() / AssumedStrainRule::kPoints);
  rule.volume = part[0] * edges.prod() / AssumedStrainRule::kPoints;
  for (std::size_t g = 0; g < points.size(); ++g) {
    const Shapes here = shapes_at(signs, points[g]);
    rule.value[g] = shapes_at(signs, masses[g]).value;
    rule.gradient[g] = per_metre.asDiagonal() * here.gradient;
    for (int s = 0; s < 3; ++s) {
      Vector3 at = points[g];
      if (sampling == StrainSampling::kAssumed) {
        at.setZero();
        at[kAlong[s]] = points[g][kAlong[s]];
      }
      const Shapes tied = shapes_at(signs, at);
      for (int d = 0; d < 2; ++d) {
        const int axis = kShear[s][d];
        rule.shear[g].row(2 * s + d) = per_metre[axis] * tied.gradient.row(axis);
      }
    }
  }
  return rule;
}

double mean_dilatation_share(const ElasticityMatrix& C) {
  const double normal = C(0, 0) + C(1, 1) + C(2, 2), across = C(0, 1) + C(0, 2) + C(1, 2);
  const double bulk = (normal + 2.0 * across) / 9.0;
  const double mu = (normal - across + 3.0 * (C(3, 3) + C(4, 4) + C(5, 5))) / 15.0;
  const double nu = (3.0 * bulk - 2.0 * mu) / (2.0 * (3.0 * bulk + mu));
  const double rest = 2.0 / 3.0 * mu * std::max(0.0, 1.0 + 3.0 * nu);
  return 1.0 - std::sqrt(std::min(1.0, rest / bulk));
}

}  // namespace haptic
