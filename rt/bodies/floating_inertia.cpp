#include "rt/bodies/floating_inertia.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <string>

#include "shared/error.h"

namespace haptic {
namespace {

constexpr const char* kLinear = "/reduced/inertia/linear";
constexpr const char* kQuadratic = "/reduced/inertia/quadratic";
constexpr const char* kSpin = "/reduced/inertia/spin";
/// Components of a symmetric matrix in the model file: 11, 22, 33, 12, 13, 23.
constexpr Eigen::Index kRow[] = {0, 1, 2, 0, 0, 1}, kColumn[] = {0, 1, 2, 1, 2, 2};
/// Fixed-point iterations of the velocity at the middle of the step. Each multiplies the error by
/// at most |w| dt.
constexpr int kIterations = 6;

std::span<const double> finite(const ModelFile& model, const char* section) {
  const std::span<const double> values = model.doubles(section);
  if (std::ranges::all_of(values, [](double x) { return std::isfinite(x); })) return values;
  throw InputError(model.path().string(), section, "found a number that is not finite",
                   "finite numbers");
}

}  // namespace

bool FloatingInertia::is_in(const ModelFile& model) {
  return model.has(kLinear) && model.has(kQuadratic) && model.has(kSpin);
}

FloatingInertia::FloatingInertia(const ModelFile& model, const RigidMass& rest, std::uint32_t kept)
    : r_(kept),
      used_(kept),
      rest_moments_(0.5 * rest.inertia.trace() * Matrix3::Identity() - rest.inertia),
      inertia_(rest.inertia),
      coupling_(Eigen::Matrix3Xd::Zero(3, kept)),
      counter_turn_(coupling_),
      mass_(std::size_t{kept} * kept, 0.0),
      q_(kept),
      qdot_(kept),
      turning_(std::size_t{kept} * kept),
      velocity_(kept),
      change_(kept),
      impulse_(kept) {
  const std::span<const double> linear = finite(model, kLinear),
                                quadratic = finite(model, kQuadratic), spin = finite(model, kSpin);
  const std::size_t all = model.reduced_dimension();
  for (std::size_t c = 0; c < 6; ++c) {
    derivative_[c].resize(r_);
    for (std::size_t j = 0; j < r_; ++j) linear_[c].push_back(linear[6 * j + c]);
    quadratic_[c].resize(r_ * r_);
  }
  for (auto& matrix : spin_of_) matrix.resize(r_ * r_);
  for (std::size_t j = 0; j < r_; ++j) mass_[j * r_ + j] = 1.0;
  std::size_t at = 0;
  for (std::size_t i = 0; i < all; ++i) {
    for (std::size_t j = i; j < all; ++j, ++at) {
      if (j >= r_ || i >= r_) continue;
      for (std::size_t c = 0; c < 6; ++c) {
        quadratic_[c][r_ * i + j] = quadratic_[c][r_ * j + i] = quadratic[6 * at + c];
      }
      if (i == j) continue;
      for (std::size_t c = 0; c < 3; ++c) {
        spin_of_[c][r_ * i + j] = spin[3 * at + c];
        spin_of_[c][r_ * j + i] = -spin[3 * at + c];
      }
    }
  }
}

void FloatingInertia::multiply_add(const std::vector<double>& m, double factor,
                                   const std::vector<double>& x, std::size_t rows,
                                   std::vector<double>& result) const HAPTIC_REALTIME {
  for (std::size_t i = 0; i < rows; ++i) {
    double sum = 0.0;
    const double* const row = m.data() + r_ * i;
    for (std::size_t j = 0; j < r_; ++j) sum += row[j] * x[j];
    result[i] += factor * sum;
  }
}

void FloatingInertia::update(std::span<const double> q,
                             std::span<const double> qdot) HAPTIC_REALTIME {
  std::copy(q.begin(), q.end(), q_.begin());
  std::copy(qdot.begin(), qdot.end(), qdot_.begin());
  Matrix3 moments = rest_moments_;
  for (std::size_t c = 0; c < 6; ++c) {
    std::vector<double>& derivative = derivative_[c];
    std::copy(linear_[c].begin(), linear_[c].end(), derivative.begin());
    multiply_add(quadratic_[c], 2.0, q_, r_, derivative);
    // linear q + q quadratic q, where derivative = linear + 2 quadratic q.
    double sum = 0.0;
    for (std::size_t j = 0; j < r_; ++j) sum += 0.5 * (linear_[c][j] + derivative[j]) * q_[j];
    moments(kRow[c], kColumn[c]) += sum;
    if (kRow[c] != kColumn[c]) moments(kColumn[c], kRow[c]) += sum;
  }
  inertia_ = moments.trace() * Matrix3::Identity() - moments;
  for (std::size_t c = 0; c < 3; ++c) {
    const auto row = static_cast<Eigen::Index>(c);
    std::fill(change_.begin(), change_.end(), 0.0);
    multiply_add(spin_of_[c], -1.0, q_, used_, change_);  // S is antisymmetric: q S = -S q
    double sum = 0.0;
    for (std::size_t j = 0; j < r_; ++j) {
      coupling_(row, static_cast<Eigen::Index>(j)) = change_[j];
      sum += change_[j] * qdot_[j];
    }
    spin_[row] = sum;
  }
  const Matrix3 inverse = inertia_.inverse();
  limit_coupling(inverse);
  for (Eigen::Index j = 0; j < coupling_.cols(); ++j) {
    counter_turn_.col(j) = inverse * coupling_.col(j);
  }
  for (std::size_t j = 0; j < used_; ++j) {
    const Vector3 turn = counter_turn_.col(static_cast<Eigen::Index>(j));
    for (std::size_t i = 0; i <= j; ++i) {
      const double unit = i == j ? 1.0 : 0.0;
      mass_[i * used_ + j] = mass_[j * used_ + i] =
          unit - coupling_.col(static_cast<Eigen::Index>(i)).dot(turn);
    }
  }
}

/// The largest eigenvalue of C^T J^-1 C is that of L^T J^-1 L with C C^T = L L^T, and of J^-1 C
/// C^T. It tends to one where a shape is turned inside out.
void FloatingInertia::limit_coupling(const Matrix3& inverse) HAPTIC_REALTIME {
  Matrix3 square = Matrix3::Zero();
  for (Eigen::Index j = 0; j < coupling_.cols(); ++j) {
    const Vector3 c = coupling_.col(j);
    square += c * c.transpose();
  }
  const Matrix3 L = inverse.llt().matrixL();
  const Matrix3 relative = L.transpose() * square * L;
  Eigen::SelfAdjointEigenSolver<Matrix3> eigen;
  eigen.computeDirect(relative, Eigen::EigenvaluesOnly);
  const double largest = eigen.eigenvalues()[2];
  coupled_ = largest > 1.0 - kMinMass ? std::sqrt((1.0 - kMinMass) / largest) : 1.0;
  if (coupled_ == 1.0) return;
  coupling_ *= coupled_;
  spin_ *= coupled_;
}

std::span<const double> FloatingInertia::impulse(const Vector3& w, double dt) HAPTIC_REALTIME {
  const double square = w.squaredNorm();
  std::fill(impulse_.begin(), impulse_.end(), 0.0);
  for (std::size_t c = 0; c < 6; ++c) {
    const double product = w[kRow[c]] * w[kColumn[c]];
    const double weight = dt * (c < 3 ? 0.5 * (square - product) : -product);
    for (std::size_t j = 0; j < r_; ++j) impulse_[j] += weight * derivative_[c][j];
  }
  // The angular acceleration without torque, but for that by q'' (mass()): the angular momentum
  // J w + C q' is constant, and the derivative of C q' at constant q' is zero.
  Matrix3 moments = Matrix3::Zero();
  for (std::size_t c = 0; c < 6; ++c) {
    double sum = 0.0;
    for (std::size_t j = 0; j < r_; ++j) sum += derivative_[c][j] * qdot_[j];
    moments(kRow[c], kColumn[c]) = moments(kColumn[c], kRow[c]) = sum;
  }
  const Vector3 momentum = inertia_ * w + spin_;
  const Vector3 acceleration =
      inertia_.inverse() * (momentum.cross(w) - (moments.trace() * w - moments * w));
  for (std::size_t c = 0; c < 3; ++c) {
    multiply_add(spin_of_[c], coupled_ * dt * acceleration[static_cast<Eigen::Index>(c)], q_, used_,
                 impulse_);
  }
  // v1 = v0 + dt W (v0 + v1), W = sum w_c S_c.
  std::fill(turning_.begin(), turning_.end(), 0.0);
  for (std::size_t c = 0; c < 3; ++c) {
    const double factor = w[static_cast<Eigen::Index>(c)];
    for (std::size_t i = 0; i < r_ * r_; ++i) turning_[i] += factor * spin_of_[c][i];
  }
  std::copy(qdot_.begin(), qdot_.end(), velocity_.begin());
  for (int i = 0; i < kIterations; ++i) {
    for (std::size_t j = 0; j < r_; ++j) velocity_[j] += qdot_[j];
    std::fill(change_.begin(), change_.end(), 0.0);
    multiply_add(turning_, 1.0, velocity_, used_, change_);
    for (std::size_t j = 0; j < r_; ++j) velocity_[j] = qdot_[j] + dt * change_[j];
  }
  for (std::size_t j = 0; j < r_; ++j) impulse_[j] += dt * change_[j];
  return std::span(impulse_).first(used_);
}

}  // namespace haptic
