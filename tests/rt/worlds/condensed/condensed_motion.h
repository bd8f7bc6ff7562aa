#pragma once

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <vector>

#include "rt/worlds/condensed/condensed_dynamics.h"
#include "rt/worlds/condensed/constraint_solver.h"
#include "tests/rt/worlds/condensed/condensed_block.h"

namespace haptic::condensed {

/// Steps of a condensed body whose contacts are held at given displacements.
class CondensedMotion {
 public:
  CondensedMotion(const CondensedBlock& block, const CondensedDynamicsSettings& settings)
      : dynamics(block.model(), settings),
        solver(3 * settings.capacity),
        lambda(Eigen::VectorXd::Zero(Eigen::Index(3 * settings.capacity))),
        u_(Eigen::VectorXd::Zero(block.dof())) {}

  /// @param target  u*, 3c values
  void step(const Eigen::VectorXd& target) {
    dynamics.prepare();
    const auto free = dynamics.free_displacement();
    lambda = target - Eigen::Map<const Eigen::VectorXd>(free.data(), Eigen::Index(free.size()));
    rank = solver.factorise(dynamics.effective_compliance(), dynamics.contacts().scale());
    const std::span<double> x(lambda.data(), std::size_t(lambda.size()));
    solver.solve(x, x);
    ASSERT_TRUE(dynamics.advance(x));
  }

  /// Displacement of all condensed degrees of freedom in the displayed pose.
  const Eigen::VectorXd& u() {
    dynamics.node_displacements({u_.data(), std::size_t(u_.size())});
    return u_;
  }
  Eigen::VectorXd q() const {
    return Eigen::Map<const Eigen::VectorXd>(dynamics.q().data(),
                                             Eigen::Index(dynamics.q().size()));
  }
  Eigen::VectorXd qd() const {
    return Eigen::Map<const Eigen::VectorXd>(dynamics.qd().data(),
                                             Eigen::Index(dynamics.qd().size()));
  }

  CondensedDynamics dynamics;
  ConstraintSolver solver;
  Eigen::VectorXd lambda;
  std::size_t rank = 0;

 private:
  Eigen::VectorXd u_;
};

}  // namespace haptic::condensed
