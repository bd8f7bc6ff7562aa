#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <random>
#include <vector>

#include "rt/dynamics/reduced_energy.h"

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
