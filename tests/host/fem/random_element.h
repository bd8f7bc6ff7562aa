#pragma once

#include <random>

#include "host/fem/elasticity.h"
#include "host/fem/hexahedron_quadrature.h"

namespace haptic {

/// Corners of a cube of edge `h` [m] with its lower corner at the origin.
inline CornerVectors cube_corners(double h) {
  return h * hexahedron_corner_offsets();
}

/// A sheared, stretched and slightly skewed element: a general trilinear hexahedron.
inline CornerVectors skewed_corners() {
  CornerVectors corners = cube_corners(1.0);
  Eigen::Matrix3d shear;
  shear << 1.1, 0.2, -0.1, 0.05, 0.8, 0.15, -0.1, 0.1, 1.3;
  corners = (shear * corners).eval();
  corners.col(6) += Eigen::Vector3d(0.12, -0.07, 0.09);
  corners.col(3) += Eigen::Vector3d(-0.05, 0.04, 0.06);
  return corners;
}

/// Uniform in [-size, size].
class RandomValues {
 public:
  explicit RandomValues(unsigned seed) : generator_(seed) {}
  double scalar(double size) { return std::uniform_real_distribution<>(-size, size)(generator_); }
  CornerVectors corners(double size) {
    return CornerVectors::NullaryExpr([&] { return scalar(size); });
  }
  Eigen::VectorXd vector(Eigen::Index count, double size) {
    return Eigen::VectorXd::NullaryExpr(count, [&] { return scalar(size); });
  }
  Eigen::MatrixXd matrix(Eigen::Index rows, Eigen::Index columns, double size) {
    return Eigen::MatrixXd::NullaryExpr(rows, columns, [&] { return scalar(size); });
  }

 private:
  std::mt19937 generator_;
};

/// Any symmetric positive definite C with entries of order `size` [Pa].
inline ElasticityMatrix random_elasticity(unsigned seed, double size) {
  RandomValues random(seed);
  const Eigen::MatrixXd root = random.matrix(6, 6, 1.0);
  return size * (root * root.transpose() / 6.0 + 0.2 * ElasticityMatrix::Identity());
}

}  // namespace haptic
