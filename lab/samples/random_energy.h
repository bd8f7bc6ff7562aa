#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "rt/dynamics/reduced_energy.h"
#include "rt/dynamics/vector_views.h"

namespace haptic {

/// Distinct coefficients of an arbitrary symmetric quartic energy; nothing physical about it.
struct RandomCoefficients {
  explicit RandomCoefficients(std::uint32_t dimension, std::uint32_t seed = 1)
      : r(dimension),
        quadratic(distinct_count(r, 2)),
        cubic(distinct_count(r, 3)),
        quartic(distinct_count(r, 4)) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    for (auto* values : {&quadratic, &cubic, &quartic}) {
      for (double& value : *values) value = uniform(random);
    }
  }
  ReducedEnergy energy() const { return {r, quadratic, cubic, quartic}; }

  std::uint32_t r;
  std::vector<double> quadratic, cubic, quartic;
};

/// W = 1/2 sum_m (a_m.q + size q.B_m q)^2 with random a_m, B_m: never negative, and of the same
/// form as a reduced StVK energy.
struct StrainLikeCoefficients {
  explicit StrainLikeCoefficients(std::uint32_t dimension, double size = 1.0,
                                  std::uint32_t seed = 1)
      : r(dimension) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    const Eigen::Index samples = 3 * r;
    const Eigen::MatrixXd a =
        Eigen::MatrixXd::NullaryExpr(r, samples, [&] { return uniform(random); });
    std::vector<Eigen::MatrixXd> B;
    for (Eigen::Index m = 0; m < samples; ++m) {
      const Eigen::MatrixXd half =
          Eigen::MatrixXd::NullaryExpr(r, r, [&] { return uniform(random); });
      B.push_back(0.5 * size * (half + half.transpose()));
    }
    const auto over_samples = [&](const auto& term) {
      double sum = 0.0;
      for (Eigen::Index m = 0; m < samples; ++m)
        sum += term(a.col(m), B[static_cast<std::size_t>(m)]);
      return sum;
    };
    for (Eigen::Index i = 0; i < r; ++i) {
      for (Eigen::Index j = i; j < r; ++j) {
        quadratic.push_back(over_samples([&](const auto& x, const auto&) { return x(i) * x(j); }));
        for (Eigen::Index k = j; k < r; ++k) {
          cubic.push_back(over_samples([&](const auto& x, const auto& b) {
            return x(i) * b(j, k) + x(j) * b(i, k) + x(k) * b(i, j);
          }));
          for (Eigen::Index l = k; l < r; ++l) {
            quartic.push_back(2.0 / 3.0 * over_samples([&](const auto&, const auto& b) {
                                return b(i, j) * b(k, l) + b(i, k) * b(j, l) + b(i, l) * b(j, k);
                              }));
          }
        }
      }
    }
  }
  ReducedEnergy energy() const { return {r, quadratic, cubic, quartic}; }

  std::uint32_t r;
  std::vector<double> quadratic, cubic, quartic;
};

/// W = 1/2 q.P q only.
inline ReducedEnergy linear_energy(const Eigen::MatrixXd& P) {
  const auto r = static_cast<std::uint32_t>(P.rows());
  std::vector<double> quadratic;
  for (Eigen::Index i = 0; i < P.rows(); ++i) {
    for (Eigen::Index j = i; j < P.rows(); ++j) quadratic.push_back(P(i, j));
  }
  return {r, quadratic, std::vector<double>(distinct_count(r, 3), 0.0),
          std::vector<double>(distinct_count(r, 4), 0.0)};
}

inline Eigen::VectorXd random_state(std::uint32_t r, std::uint32_t seed, double size = 1.0) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-size, size);
  return Eigen::VectorXd::NullaryExpr(r, [&] { return uniform(random); });
}

/// Force and stiffness as Eigen objects.
struct Response {
  Response(const ReducedEnergy& energy, const Eigen::VectorXd& q)
      : force(q.size()), stiffness(q.size(), q.size()) {
    ReducedEnergy::Workspace workspace(energy.dimension());
    energy.force_and_stiffness({q.data(), energy.dimension()}, {force.data(), energy.dimension()},
                               {stiffness.data(), static_cast<std::size_t>(stiffness.size())},
                               workspace);
  }
  Eigen::VectorXd force;
  Eigen::MatrixXd stiffness;
};

inline double energy_at(const ReducedEnergy& energy, const Eigen::VectorXd& q) {
  return energy.energy({q.data(), energy.dimension()});
}

}  // namespace haptic
