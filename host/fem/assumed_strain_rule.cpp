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

StrainSample strain_sample(const Vector3& edges, const Vector3& at, StrainSampling sampling) {
  const CornerVectors signs = corner_signs();
  const Vector3 per_metre = edges.cwiseInverse();
  StrainSample sample;
  sample.gradient = per_metre.asDiagonal() * shapes_at(signs, at).gradient;
  for (int s = 0; s < 3; ++s) {
    Vector3 tied = at;
    if (sampling == StrainSampling::kAssumed) {
      tied.setZero();
      tied[kAlong[s]] = at[kAlong[s]];
    }
    const CornerVectors gradient = shapes_at(signs, tied).gradient;
    for (int d = 0; d < 2; ++d) {
      const int axis = kShear[s][d];
      sample.shear.row(2 * s + d) = per_metre[axis] * gradient.row(axis);
    }
  }
  return sample;
}

AssumedStrainRule assumed_strain_rule(const Vector3& edges, const CellPart& part,
                                      StrainSampling sampling, double mean_share) {
  const CornerVectors signs = corner_signs();
  CellPart stiff = part;  // with the floor
  if (part != kWholeCell) {
    for (std::size_t m = 0; m < stiff.size(); ++m) stiff[m] += kCutFloor * kWholeCell[m];
  }
  const auto points = points_of(stiff), masses = points_of(part);
  AssumedStrainRule rule;
  rule.mean_share = mean_share;
  rule.weight.fill(stiff[0] * edges.prod() / AssumedStrainRule::kPoints);
  rule.volume = part[0] * edges.prod() / AssumedStrainRule::kPoints;
  for (std::size_t g = 0; g < points.size(); ++g) {
    const StrainSample sample = strain_sample(edges, points[g], sampling);
    rule.gradient[g] = sample.gradient;
    rule.shear[g] = sample.shear;
    rule.value[g] = shapes_at(signs, masses[g]).value;
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
