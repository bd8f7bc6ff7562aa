// Free bodies that deform: flight, spin, collisions.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <random>
#include <string>
#include <tuple>

#include "shared/error.h"
#include "tests/rt/worlds/solids/soft_bodies_fixture.h"
#include "tests/support/no_allocation.h"

namespace haptic::solids {
namespace {

using FlyingBodies = SoftBodies;

/// The exact motion of a spinning body of points, by the classical Runge-Kutta method: L is
/// constant; the accelerations of rotation and deformation are those of all points together.
struct ExactFlight {
  struct State {
    Quaternion R = Quaternion::Identity();
    Eigen::VectorXd q, v;
  };
  struct Rate {
    Vector3 turn;  // world
    Eigen::VectorXd q, v;
  };
  const FreePoints& body;
  Vector3 L;

  Rate rate(const State& s) const {
    const Eigen::Index r = s.q.size();
    const Vector3 inside = s.R.conjugate() * L;
    const Vector3 w = body.inertia(s.q).inverse() * (inside - body.spin(s.q, s.v));
    const FreePoints::Equations of = body.equations(w, s.q, s.v);
    const Eigen::VectorXd a = of.A.ldlt().solve(of.b);
    return {s.R * w, s.v, a.tail(r)};
  }
  State moved(const State& s, const Rate& rate, double h) const {
    return {(rotation_exponential(h * rate.turn) * s.R).normalized(), s.q + h * rate.q,
            s.v + h * rate.v};
  }
  State run(State s, double seconds, int steps) const {
    const double h = seconds / steps;
    for (int i = 0; i < steps; ++i) {
      const Rate a = rate(s), b = rate(moved(s, a, 0.5 * h)), c = rate(moved(s, b, 0.5 * h)),
                 d = rate(moved(s, c, h));
      s = moved(
          s,
          {(a.turn + 2.0 * b.turn + 2.0 * c.turn + d.turn) / 6.0,
           (a.q + 2.0 * b.q + 2.0 * c.q + d.q) / 6.0, (a.v + 2.0 * b.v + 2.0 * c.v + d.v) / 6.0},
          h);
    }
    return s;
  }
};

TEST_F(FlyingBodies, spin_and_vibrate_as_all_their_points_do) {
  const FreePoints body = points();
  const Vector3 angular(12.0, -20.0, 8.0);
  constexpr double kSeconds = 0.2;
  ExactFlight exact{body, body.inertia(Eigen::VectorXd::Zero(kModes)) * angular};
  ExactFlight::State start;
  start.q = start.v = Eigen::VectorXd::Zero(kModes);
  const ExactFlight::State end = exact.run(start, kSeconds, 4000);
  ASSERT_GT(end.q.norm(), 1e-5);
  double last = 0.0;
  for (const double rate : {1000.0, 2000.0, 4000.0}) {
    Scene scene = ground(Vector3::Zero());
    scene.rate_hz = rate;
    add(scene, "points.h5", {0.0, 0.0, 0.5}, {{0, 0, 0}, angular});
    SolidsWorld world(scene, nullptr);
    hold(world, {}, static_cast<int>(kSeconds * rate));
    const double error = (values(world.deformable(2)->q()) - end.q).norm() / end.q.norm();
    const double turned =
        rotation_logarithm(world.poses()[2].orientation * end.R.conjugate()).norm();
    // The springs are of second order in the step, the coupling with the rotation of first order:
    // 16 to 24 Hz, and 25 rad/s.
    EXPECT_LE(error, 0.013 * std::pow(1000.0 / rate, 1.3)) << rate;
    EXPECT_LE(turned, 6e-4 * 1000.0 / rate) << rate;
    if (last > 0.0) {
      EXPECT_LE(error, 0.55 * last) << rate;
    }
    last = error;
  }
}

TEST_F(FlyingBodies, keep_their_momenta_and_their_energy_in_flight) {
  Scene scene = ground(Vector3::Zero());
  add(scene, "points.h5", {0.0, 0.0, 0.5}, {{0.3, 0.1, 0.0}, {12.0, -20.0, 8.0}});
  SolidsWorld world(scene, nullptr);
  const std::vector<FreePoints> bodies = {points()};
  const Sums before = sums(world, bodies);
  double lowest = before.energy, highest = before.energy;
  for (int i = 0; i < 10000; ++i) {
    hold(world, {}, 1);
    const double energy = sums(world, bodies).energy;
    lowest = std::min(lowest, energy);
    highest = std::max(highest, energy);
  }
  const Sums after = sums(world, bodies);
  EXPECT_LE((after.momentum - before.momentum).norm(), 1e-12 * before.momentum.norm());
  EXPECT_LE((after.angular - before.angular).norm(), 1e-12 * before.angular.norm());
  // The impulses of the inertial forces alternate with the steps of the springs, symmetrically: the
  // energy oscillates by the square of the step and does not drift.
  EXPECT_LE(highest, before.energy * (1.0 + 2e-3));
  EXPECT_GE(lowest, before.energy * (1.0 - 2e-3));
}

TEST_F(FlyingBodies, keep_their_momenta_and_lose_energy_when_they_collide) {
  for (const double k : {1e3, 1e4, 1e6}) {
    Scene scene = ground(Vector3::Zero());
    const std::size_t a =
        add(scene, "points.h5", {-0.05, 0.0, 0.5}, {{1.0, 0.0, 0.0}, {5.0, 3.0, 1.0}});
    const std::size_t b = scene.bodies.size();
    add(scene, "cube.h5", {0.0, 0.004, 0.503}, {{0.0, 0.0, 0.0}, {0.0, 4.0, 0.0}});
    touch(scene, a, b, k, 0.0, {0.3, 0.3, {}});
    SolidsWorld world(scene, nullptr);
    const std::vector<FreePoints> bodies = {points()};
    const auto all = [&] {
      Sums sum = sums(world, bodies);
      const FreeBody& cube = *world.free_bodies()[1];
      sum.momentum += cube.momentum();
      sum.angular += cube.angular_momentum() + cube.centre().cross(cube.momentum());
      sum.energy += cube.energy();
      return sum;
    };
    const Sums before = all();
    double highest = 0.0, bent = 0.0;
    for (int i = 0; i < 200; ++i) {
      hold(world, {}, 1);
      highest = std::max(highest, all().energy);
      bent = std::max(bent, values(world.deformable(a)->q()).norm());
    }
    const Sums after = all();
    EXPECT_GT(bent, 1e-4) << k;
    EXPECT_GT(world.free_bodies()[1]->momentum().x(), 0.05 * before.momentum.x()) << k;
    EXPECT_LE((after.momentum - before.momentum).norm(), 1e-12 * before.momentum.norm()) << k;
    // The displacement blocks of the shell are floats.
    EXPECT_LE((after.angular - before.angular).norm(), 1e-7 * before.angular.norm()) << k;
    EXPECT_LE(highest, before.energy * (1.0 + 2e-3)) << k;
    EXPECT_LT(after.energy, 0.999 * before.energy) << k;
  }
}

TEST_F(FlyingBodies, fall_on_the_ground_and_come_to_rest) {
  Scene scene = ground();
  const std::size_t body = add(scene, "points.h5", {0.0, 0.0, 0.06}, {{0, 0, 0}, {5.0, 3.0, 1.0}});
  touch(scene, body, 0, 1e3, 20.0, {0.5, 0.5, {}});
  SolidsWorld world(scene, nullptr);
  const std::vector<FreePoints> bodies = {points()};
  const double mass = points().masses.sum();
  const auto energy = [&] {
    return sums(world, bodies).energy + mass * kG * world.free_bodies()[0]->centre().z();
  };
  const double start = energy();
  for (int i = 0; i < 4000; ++i) {
    hold(world, {}, 1);
    ASSERT_LE(energy(), start * (1.0 + 1e-3)) << i;
  }
  EXPECT_LT(world.free_bodies()[0]->momentum().norm() / mass, 1e-2);
  EXPECT_GT(state_value(world, "contact/points"), 2.0);
}

// Springs of 3.6 and 7 Hz do not stop a body at 2 and 5 m/s before it is flat, or inside out.
TEST_F(FlyingBodies, soft_ones_that_are_squashed_flat_gain_no_energy) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(-10.0, 10.0);
  for (const double eigenvalue : {500.0, 2000.0}) {
    FreePoints body = FreePoints::stretching(10, eigenvalue, 4);
    body.damping = 5.0;
    body.write(folder_ / "squashed.h5");
    for (int trial = 0; trial < 12; ++trial) {
      Scene scene = ground();
      const Vector3 spin(uniform(random), uniform(random), uniform(random));
      const std::size_t index = add(scene, "squashed.h5", {0.0, 0.0, 0.06},
                                    {{0.0, 0.0, trial % 2 == 0 ? -2.0 : -5.0}, spin});
      touch(scene, index, 0, 1e4, 0.0, {0.5, 0.5, {}});
      SolidsWorld world(scene, nullptr);
      const auto energy = [&] {
        return sums(world, {body}).energy +
               body.masses.sum() * kG * world.free_bodies()[0]->centre().z();
      };
      WorldOutput output;
      hold(world, {}, 1);
      const double start = energy();
      for (int i = 0; i < 600; ++i) {
        ASSERT_EQ(world.step({}, output), WorldStatus::kOk) << eigenvalue << " " << trial;
        // The energy is that of the points; the coupling that is left out where the shape is flat
        // is not in it.
        ASSERT_LE(energy(), 1.05 * start) << eigenvalue << " " << trial << " " << i;
      }
    }
  }
}

TEST_F(FlyingBodies, a_run_is_repeated_after_a_reset_and_no_step_allocates) {
  Scene scene = ground();
  const std::size_t a = add(scene, "points.h5", {0.0, 0.0, 0.06}, {{0, 0, 0}, {5.0, 3.0, 1.0}});
  const std::size_t b = add(scene, "other.h5", {0.01, 0.0, 0.15}, {{0, 0, 0}, {1.0, 0.0, 1.0}});
  for (const std::size_t body : {a, b}) touch(scene, body, 0, 1e3, 20.0, {0.5, 0.5, {}});
  SolidsWorld world(scene, nullptr);
  const auto run = [&] {
    const NoAllocation none;
    hold(world, {}, 400);
    return std::tuple(world.poses()[a].position, world.poses()[b].position,
                      world.deformable(a)->q()[0]);
  };
  const auto first = run();
  EXPECT_NE(std::get<2>(first), 0.0);
  world.reset();
  EXPECT_EQ(run(), first);
}

TEST_F(FlyingBodies, one_without_its_inertia_and_a_new_density_are_refused) {
  write_sprung_plane(folder_ / "anchored.h5", SprungPlane{});
  Scene scene = ground();
  add(scene, "anchored.h5", {0.0, 0.0, 0.06});
  EXPECT_THAT(refusal(scene), ::testing::HasSubstr("reduction.free = true"));
  scene = ground();
  add(scene, "points.h5", {0.0, 0.0, 0.06});
  SolidsWorld world(scene, nullptr);
  for (const World::Parameter& parameter : world.parameters()) {
    EXPECT_EQ(parameter.name.find("density"), std::string_view::npos) << parameter.name;
  }
  EXPECT_THAT(world.why_absent("free2.density"), ::testing::HasSubstr("is that of its model"));
}

}  // namespace
}  // namespace haptic::solids
