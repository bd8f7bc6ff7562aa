// Acceptance test 38 (docs/methods/reduced-dynamics.md); lab/experiments/falling_baskets has 512.
#include "lab/multibody/body_swarm.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <cmath>

#include "host/reduction/mass_pca.h"
#include "tests/lab/multibody/free_block.h"

namespace haptic {
namespace {

constexpr double kStep = 1e-3;
const Vector3 kGravity(0.0, -9.81, 0.0);
constexpr PenaltyLaw kLaw{500.0, 0.5, 0.3, 0.05};

const FreeBlock& block() {
  static const FreeBlock shared;
  return shared;
}

SwarmModel swarm_model() {
  return {block().rigid, &block().energy, {0.5, 1e-4}, &block().tree};
}

/// Two layers of four in various orientations, close together, the lower one at `height`.
std::vector<RigidState> two_layers(double height) {
  std::vector<RigidState> starts;
  for (int i = 0; i < 8; ++i) {
    RigidState& state = starts.emplace_back();
    state.centre =
        Vector3(0.15 * (i % 2) + 0.02 * (i / 4), height + 0.15 * (i / 4), 0.1 * (i / 2 % 2));
    state.orientation = rotation_exponential(Vector3(0.3 * i, 0.7 * i, -0.2 * i));
  }
  return starts;
}

/// Momentum of all vertices [kg m/s]: rigid motion and deformation together, from the mesh.
Vector3 momentum_of_mesh(const BodySwarm& swarm) {
  static const Eigen::MatrixXd MU = multiply_mass(block().model.scalar_mass(), block().basis);
  Vector3 sum = Vector3::Zero();
  for (int b = 0; b < swarm.size(); ++b) {
    const ReducedState q = swarm.reduced(b);
    const Eigen::VectorXd p = MU * Eigen::Map<const Eigen::VectorXd>(q.qdot.data(), MU.cols());
    Vector3 in_body = Vector3::Zero();
    for (int v = 0; v < block().model.vertex_count(); ++v) in_body += p.segment<3>(3 * v);
    sum += swarm.rigid(b).momentum + swarm.rigid(b).orientation * in_body;
  }
  return sum;
}

double lowest_vertex(const BodySwarm& swarm) {
  double lowest = 1e9;
  for (int b = 0; b < swarm.size(); ++b) {
    const Eigen::VectorXd u =
        block().basis * Eigen::Map<const Eigen::VectorXd>(swarm.reduced(b).q.data(), 12);
    const Pose pose{swarm.rigid(b).centre, swarm.rigid(b).orientation};
    for (int v = 0; v < block().model.vertex_count(); ++v) {
      lowest = std::min(lowest, pose.to_world(block().points.col(v) + u.segment<3>(3 * v)).y());
    }
  }
  return lowest;
}

TEST(BodySwarm, momentum_is_the_sum_of_the_impulses) {
  BodySwarm swarm(swarm_model(), two_layers(0.2), kStep, kGravity, kLaw);
  int pair_contacts = 0, ground_contacts = 0;
  double largest = 0.0, deformed = 0.0;
  for (int step = 0; step < 1000; ++step) {
    const SwarmReport report = swarm.step();
    ASSERT_EQ(report.refused_steps, 0) << step;
    pair_contacts += report.pair_contacts;
    ground_contacts += report.ground_contacts;
    const Vector3 impulses = swarm.gravity_impulse() + swarm.ground_impulse();
    largest = std::max(largest, swarm.gravity_impulse().norm());
    ASSERT_LE((momentum_of_mesh(swarm) - impulses).norm(), 1e-8 * largest) << step;
    ASSERT_TRUE(is_finite(Pose{swarm.rigid(0).centre, swarm.rigid(0).orientation}));
    deformed = std::max(deformed, std::abs(swarm.reduced(0).q[0]));
  }
  EXPECT_LE(swarm.pair_impulse().norm(), 1e-12 * largest);
  EXPECT_GT(pair_contacts, 100);
  EXPECT_GT(ground_contacts, 1000);
  EXPECT_GT(deformed, 1e-4);  // m kg^1/2: contact deforms the bodies
}

TEST(BodySwarm, bodies_stay_above_the_ground_within_the_penalty_depth) {
  const double height = 0.2;
  BodySwarm swarm(swarm_model(), two_layers(height), kStep, kGravity, kLaw);
  // One leaf sphere that stops a whole body from its fall: m v^2/2 + m g d = k d^2/2.
  const double m = block().rigid.mass, g = 9.81, fall = 2.0 * g * (height + 0.15);
  const double weight = m * g;
  const double depth =
      (weight + std::sqrt(weight * weight + kLaw.stiffness * m * fall)) / kLaw.stiffness;
  double lowest = 1.0;
  for (int step = 0; step < 1000; ++step) {
    const SwarmReport report = swarm.step();
    ASSERT_LE(report.deepest_ground, depth) << step;
    lowest = std::min(lowest, lowest_vertex(swarm));
  }
  EXPECT_GE(lowest, -depth);
  EXPECT_LT(lowest_vertex(swarm), 0.01);  // they lie on the ground
}

TEST(BodySwarm, flight_keeps_angular_momentum_and_shape) {
  std::vector<RigidState> starts(1);
  starts[0].centre.y() = 100.0;
  starts[0].angular_momentum = block().rigid.inertia * Vector3(3.0, 1.0, 2.0);
  BodySwarm swarm(swarm_model(), starts, kStep, kGravity, kLaw);
  for (int step = 0; step < 1000; ++step) swarm.step();
  EXPECT_EQ(swarm.rigid(0).angular_momentum, starts[0].angular_momentum);
  EXPECT_NEAR(swarm.rigid(0).momentum.y(), -9.81 * block().rigid.mass,
              1e-12 * block().rigid.mass * 9.81);
  // Gravity is uniform and the basis has no rigid part: it does not deform.
  for (const double q : swarm.reduced(0).q) EXPECT_EQ(q, 0.0);
}

TEST(BodySwarm, does_not_depend_on_the_number_of_threads) {
  const auto run = [](std::size_t threads) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    BodySwarm swarm(swarm_model(), two_layers(0.1), kStep, kGravity, kLaw);
    for (int step = 0; step < 200; ++step) swarm.step();
    std::vector<double> state;
    for (int b = 0; b < swarm.size(); ++b) {
      const RigidState& rigid = swarm.rigid(b);
      state.insert(state.end(), rigid.centre.begin(), rigid.centre.end());
      state.insert(state.end(), swarm.reduced(b).q.begin(), swarm.reduced(b).q.end());
    }
    return state;
  };
  EXPECT_EQ(run(1), run(4));
}

}  // namespace
}  // namespace haptic
