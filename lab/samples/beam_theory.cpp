#include "lab/samples/beam_theory.h"

#include <Eigen/Eigenvalues>
#include <cmath>
#include <numbers>
#include <vector>

namespace haptic {
namespace {

constexpr int kDegree = 12, kPoints = 64;

/// Values and slopes of the Legendre polynomials up to kDegree at t in [-1, 1].
struct Legendre {
  Eigen::VectorXd value{kDegree + 1}, slope{kDegree + 1};
  explicit Legendre(double t) {
    value[0] = 1.0, value[1] = t, slope[0] = 0.0, slope[1] = 1.0;
    for (int n = 1; n < kDegree; ++n) {
      value[n + 1] = ((2 * n + 1) * t * value[n] - n * value[n - 1]) / (n + 1);
      slope[n + 1] = slope[n - 1] + (2 * n + 1) * value[n];
    }
  }
};

/// Composite Gauss points of two each: exact for cubics on 1/64 of the length; the integrands are
/// smooth, so that the error is below 1e-8.
std::vector<std::pair<double, double>> points() {
  std::vector<std::pair<double, double>> all;
  const double width = 2.0 / kPoints, offset = 0.5 * width / std::sqrt(3.0);
  for (int i = 0; i < kPoints; ++i) {
    const double middle = -1.0 + (i + 0.5) * width;
    all.emplace_back(middle - offset, 0.5 * width);
    all.emplace_back(middle + offset, 0.5 * width);
  }
  return all;
}

}  // namespace

double tip_stiffness(const TheoreticalBeam& b) {
  const double bending = std::pow(b.length, 3) / (3.0 * b.youngs_modulus * b.second_moment);
  const double shear = b.length / (b.shear_factor * b.shear_modulus * b.area);
  return 1.0 / (bending + shear);
}

double first_frequency(const TheoreticalBeam& b, bool clamped) {
  const int n = kDegree + 1;
  Eigen::MatrixXd K = Eigen::MatrixXd::Zero(2 * n, 2 * n), M = K;
  const double half = 0.5 * b.length;
  for (const auto& [t, weight] : points()) {
    const Legendre at(t);
    // Deflections and rotations that vanish at the clamp have the factor 1 + t.
    const double factor = clamped ? 1.0 + t : 1.0;
    const Eigen::VectorXd value = factor * at.value;
    const Eigen::VectorXd slope =
        (factor * at.slope + (clamped ? at.value : Eigen::VectorXd::Zero(n).eval())) / half;
    Eigen::VectorXd curvature = Eigen::VectorXd::Zero(2 * n), shear = curvature, w = curvature,
                    turn = curvature;
    curvature.tail(n) = slope;
    shear.head(n) = slope;
    shear.tail(n) = -value;
    w.head(n) = value;
    turn.tail(n) = value;
    const double dx = weight * half;
    K += dx * b.youngs_modulus * b.second_moment * curvature * curvature.transpose();
    K += dx * b.shear_factor * b.shear_modulus * b.area * shear * shear.transpose();
    M += dx * b.density * (b.area * w * w.transpose() + b.second_moment * turn * turn.transpose());
  }
  const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> solver(K, M,
                                                                         Eigen::EigenvaluesOnly);
  const double lambda = solver.eigenvalues()[clamped ? 0 : 2];  // two rigid motions in the plane
  return std::sqrt(lambda) / (2.0 * std::numbers::pi);
}

double rectangle_shear_factor(double nu) {
  return 10.0 * (1.0 + nu) / (12.0 + 11.0 * nu);
}

double circle_shear_factor(double nu) {
  return 6.0 * (1.0 + nu) / (7.0 + 6.0 * nu);
}

}  // namespace haptic
