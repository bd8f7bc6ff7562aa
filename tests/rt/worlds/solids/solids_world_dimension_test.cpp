// The number of basis vectors, changed while the world runs.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "rt/servo/two_rate_world.h"
#include "tests/rt/worlds/solids/soft_bodies_fixture.h"
#include "tests/support/no_allocation.h"

namespace haptic::solids {
namespace {

using DimensionChange = SoftBodies;

std::size_t parameter_index(const World& world, const std::string& name) {
  const auto all = world.parameters();
  const auto found = std::ranges::find(all, name, &World::Parameter::name);
  EXPECT_NE(found, all.end()) << name;
  return static_cast<std::size_t>(found - all.begin());
}

TEST_F(DimensionChange, takes_whole_numbers_up_to_that_of_the_load) {
  Scene scene = ball_over("lifting.h5");
  scene.bodies[0].dimension = 2;
  SolidsWorld world(scene, nullptr);
  const std::size_t index = parameter_index(world, "ground.dimension");
  EXPECT_EQ(world.parameters()[index].minimum, 1.0);
  EXPECT_EQ(world.parameters()[index].maximum, 2.0);
  EXPECT_TRUE(world.parameters()[index].whole);
  EXPECT_EQ(world.parameter(index), 2.0);
  for (const double bad :
       {0.0, -1.0, 3.0, 1.5, 4294967297.0, std::numeric_limits<double>::quiet_NaN(),
        std::numeric_limits<double>::infinity()}) {
    EXPECT_FALSE(world.set_parameter(index, bad)) << bad;
  }
  ASSERT_TRUE(world.set_parameter(index, 1.0));
  hold(world, hand_at(0.0, 0.0, 0.1), 2);
  EXPECT_EQ(world.parameter(index), 1.0);
  const World::Range range = world.allowed(index, 1.5);
  EXPECT_EQ(range.minimum, 1.0);
  EXPECT_EQ(range.maximum, 2.0);

  edit_solids(scene).dynamics.integrator = DynamicsIntegrator::kModal;
  const SolidsWorld modal(scene, nullptr);
  EXPECT_EQ(modal.why_absent("ground.dimension"),
            "the integrator \"modal\" uses all basis vectors of ground");
  EXPECT_EQ(modal.why_absent("ball.dimension"), "ball is rigid");
}

// The motion is that of the model loaded with as many basis vectors, with
// implicit and explicit contact, both integrators, one and two Newton iterations.
TEST_F(DimensionChange, equals_a_body_loaded_with_fewer) {
  struct Case {
    const char* model;
    DynamicsIntegrator integrator;
    bool implicit;
    std::uint32_t iterations;
  };
  for (const Case& c : {Case{"lifting.h5", DynamicsIntegrator::kNewmark, true, 1},
                        Case{"lifting.h5", DynamicsIntegrator::kNewmark, true, 2},
                        Case{"lifting.h5", DynamicsIntegrator::kNewmark, false, 1},
                        Case{"lifting.h5", DynamicsIntegrator::kNewmark, false, 3},
                        Case{"lifting.h5", DynamicsIntegrator::kCentralDifferences, false, 1},
                        Case{"stiff_lift.h5", DynamicsIntegrator::kNewmark, true, 1}}) {
    SprungPlane stiff;
    stiff.lift = 0.5;
    stiff.quartic = 5e7;
    stiff.editable = true;
    write_sprung_plane(folder_ / "stiff_lift.h5", stiff);
    Scene scene = ball_over(c.model);
    SolidsSettings& settings = edit_solids(scene);
    settings.dynamics.integrator = c.integrator;
    settings.dynamics.implicit_contact = c.implicit;
    settings.dynamics.newton_iterations = c.iterations;
    SolidsWorld changed(scene, nullptr);
    scene.bodies[0].dimension = 2;
    SolidsWorld loaded(scene, nullptr);
    const std::size_t stiffness = parameter_index(changed, "ground.stiffness");
    for (SolidsWorld* const world : {&changed, &loaded}) {
      ASSERT_TRUE(world->set_parameter(stiffness, 1.5));
      ASSERT_TRUE(world->set_parameter(parameter_index(*world, "ground.density"), 0.7));
    }
    ASSERT_TRUE(changed.set_parameter(parameter_index(changed, "ground.dimension"), 2.0));
    for (SolidsWorld* const world : {&changed, &loaded}) hold(*world, hand_at(0, 0, 0.1), 500);
    ASSERT_EQ(changed.parameter(parameter_index(changed, "ground.dimension")), 2.0);
    double largest = 0.0, difference = 0.0, force = 0.0, force_difference = 0.0;
    for (int i = 0; i < 3000; ++i) {
      DeviceState hand = stroke(i);
      hand.pose.position.z() -= 1e-3;
      const WorldOutput a = hold(changed, hand, 1), b = hold(loaded, hand, 1);
      force = std::max(force, b.device_wrench.force.norm());
      force_difference =
          std::max(force_difference, (a.device_wrench.force - b.device_wrench.force).norm());
      for (std::size_t j = 0; j < 2; ++j) {
        const double x = loaded.coordinates()[j];
        largest = std::max(largest, std::abs(x));
        difference = std::max(difference, std::abs(changed.coordinates()[j] - x));
      }
      ASSERT_EQ(changed.coordinates()[2], 0.0);
    }
    EXPECT_GT(largest, 1e-4);
    // A block of the solver has another size: other roundings, which contact does not amplify.
    EXPECT_LE(difference, 1e-9 * largest);
    EXPECT_LE(force_difference, 1e-9 * force);
    RecordProperty("difference", std::to_string(difference / largest));
  }
}

// The same for free bodies that deform, and for joints on bodies that deform, anchored or free.
TEST_F(DimensionChange, equals_free_and_jointed_bodies_loaded_with_fewer) {
  FreePoints damped = points();
  damped.damping = 20.0;
  damped.write(folder_ / "damped.h5");
  const auto make = [&](std::optional<std::uint32_t> dimension) {
    Scene scene = ground({0.0, 0.0, -2.0});
    const Vector3 at(0.0, 0.0, 1.0);
    const std::size_t a = add(scene, "points.h5", origin_for(points(), 4, at));
    const std::size_t b = add(scene, "other.h5", origin_for(other(), 7, at));
    join(scene, JointType::kBall, a, b, at);
    const std::size_t faller =
        add(scene, "damped.h5", {0.2, 0.0, 0.06}, {{0.1, 0.0, 0.0}, {3.0, -5.0, 2.0}});
    touch(scene, faller, 0, 2000.0, 1.0);
    const Vector3 peg(0.3, 0.0, 1.0);
    scene.bodies.push_back({"anchored", folder_ / "damped.h5", BodyRole::kAnchored, {}});
    scene.bodies.back().pose.position = origin_for(points(), 2, peg);
    const std::size_t anchored = scene.bodies.size() - 1;
    const std::size_t load = add(scene, "cube.h5", peg);
    join(scene, JointType::kBall, load, anchored, peg);
    for (const std::size_t body : {a, faller, anchored}) scene.bodies[body].dimension = dimension;
    return scene;
  };
  SolidsWorld changed(make({}), nullptr), loaded(make(3), nullptr);
  for (const char* body : {"free2", "free4", "anchored"}) {
    ASSERT_TRUE(
        changed.set_parameter(parameter_index(changed, std::string(body) + ".dimension"), 3.0));
  }
  // The energy is replaced in the first step, in which these small bodies change as one.
  double apart = 0.0, bent = 0.0, difference = 0.0;
  for (int i = 0; i < 400; ++i) {
    hold(changed, {}, 1);
    hold(loaded, {}, 1);
    for (std::size_t body = 0; body < changed.poses().size(); ++body) {
      apart =
          std::max(apart, (changed.poses()[body].position - loaded.poses()[body].position).norm());
      const DeformableBody* const one = changed.deformable(body);
      if (one == nullptr) continue;
      const Eigen::VectorXd q = values(loaded.deformable(body)->q()), p = values(one->q());
      ASSERT_EQ(p.tail(p.size() - q.size()).norm(), 0.0);
      bent = std::max(bent, q.norm());
      difference = std::max(difference, (p.head(q.size()) - q).norm());
    }
  }
  EXPECT_GT(bent, 1e-3);
  // Blocks of another size round differently; a collision and two joints amplify this over 400
  // steps.
  EXPECT_LE(difference, 1e-9 * bent);
  EXPECT_LE(apart, 1e-9 * 0.1);
}

/// A ball pressed 2 mm into the plane, in equilibrium, with both contacts.
class PressedPlane : public SoftBodies {
 protected:
  static Scene pressed(std::optional<std::uint32_t> dimension, bool implicit) {
    Scene scene = ball_over("lifting.h5");
    scene.bodies[0].dimension = dimension;
    edit_solids(scene).dynamics.implicit_contact = implicit;
    return scene;
  }
  static DeviceState hand() { return hand_at(0.0, 0.0, -4e-3); }
};

// The coordinate that goes carries the load: it goes to zero in a straight line over
// material_ramp_s, and the force on the hand changes by no more than the ramp asks for.
TEST_F(PressedPlane, a_falling_dimension_takes_the_coordinates_to_zero_smoothly) {
  for (const bool implicit : {true, false}) {
    SolidsWorld world(pressed({}, implicit), nullptr), loaded(pressed(2, implicit), nullptr);
    const double expected = hold(loaded, hand(), 6000).device_wrench.force.z();
    const double before = hold(world, hand(), 6000).device_wrench.force.z();
    const double q = world.coordinates()[2];
    ASSERT_LT(q, -1e-4);
    ASSERT_TRUE(world.set_parameter(parameter_index(world, "ground.dimension"), 2.0));
    double last = before, largest_step = 0.0, highest = 0.0;
    for (int i = 1; i <= 210; ++i) {
      const double now = hold(world, hand(), 1).device_wrench.force.z();
      largest_step = std::max(largest_step, std::abs(now - last));
      highest = std::max(highest, now);
      last = now;
      // 200 steps of the ramp; sums of its rounding.
      EXPECT_NEAR(world.coordinates()[2], i < 200 ? q * (1.0 - i / 200.0) : 0.0,
                  1e-12 * std::abs(q));
      EXPECT_EQ(world.parameter(parameter_index(world, "ground.dimension")), i < 200 ? 3.0 : 2.0)
          << i;
    }
    for (int i = 0; i < 6000; ++i) {
      const double now = hold(world, hand(), 1).device_wrench.force.z();
      largest_step = std::max(largest_step, std::abs(now - last));
      highest = std::max(highest, now);
      last = now;
    }
    EXPECT_NEAR(last, expected, 1e-9 * expected);
    EXPECT_GT(last, 1.02 * before);
    // An even share of the 200 steps is 0.5 % a step; the body has a mass and swings a little.
    EXPECT_LE(largest_step, 0.02 * (last - before)) << implicit;
    EXPECT_LE(highest, last + 0.2 * (last - before)) << implicit;
  }
}

// New coordinates start at zero at rest: at that instant no force changes. With the implicit
// integrator their compliance grows in a straight line over material_ramp_s, and the force with it.
TEST_F(PressedPlane, a_rising_dimension_starts_from_rest) {
  for (const bool implicit : {true, false}) {
    SolidsWorld world(pressed({}, implicit), nullptr), loaded(pressed({}, implicit), nullptr);
    const std::size_t index = parameter_index(world, "ground.dimension");
    const double expected = hold(loaded, hand(), 6000).device_wrench.force.z();
    ASSERT_TRUE(world.set_parameter(index, 2.0));
    const double before = hold(world, hand(), 6000).device_wrench.force.z();
    ASSERT_TRUE(world.set_parameter(index, 3.0));
    EXPECT_EQ(world.coordinates()[2], 0.0);
    double last = before, lowest = before, largest_step = 0.0;
    double first_step = 0.0;
    for (int i = 0; i < 6000; ++i) {
      const double now = hold(world, hand(), 1).device_wrench.force.z();
      if (i == 0) first_step = std::abs(now - last);
      largest_step = std::max(largest_step, std::abs(now - last));
      lowest = std::min(lowest, now);
      last = now;
    }
    EXPECT_NEAR(last, expected, 1e-9 * std::abs(expected));
    EXPECT_EQ(world.parameter(index), 3.0);
    EXPECT_LT(last, 0.98 * before);
    // An even share of the 200 steps is 0.5 %; the plane and the ball swing a little about it, the
    // fastest step has 1.4 %. Without the release it had 2.9 %.
    EXPECT_LE(first_step, 5e-3 * (before - last)) << implicit;
    EXPECT_LE(largest_step, 0.02 * (before - last)) << implicit;
    EXPECT_GE(lowest, last - 0.05 * (before - last)) << implicit;
  }
}

// With two rates: the world's steps are those of a world by itself, to the last bit, the wrench on
// the hand follows them, and what is no whole number is refused by the servo.
TEST_F(PressedPlane, two_rates_change_the_dimension_like_one) {
  Scene scene = pressed({}, true);
  // With the published scaling there are two balances, of 23 and of 25 points.
  edit_solids(scene).contacts[0].settings.scaling = ContactScaling::kNone;
  scene.rate_hz = 500.0;
  SolidsWorld alone(scene, nullptr), world(scene, nullptr);
  constexpr std::uint32_t kCycles = 8;
  TwoRateWorld servo(world, {.world_rate_hz = scene.rate_hz, .cycles_per_step = kCycles}, nullptr);
  const std::size_t index = parameter_index(world, "ground.dimension");
  WorldOutput seen, stepped;
  double last = 0.0, largest_change = 0.0;
  const auto run = [&](int steps) {
    for (int i = 0; i < steps; ++i) {
      // What the servo shows in these cycles is the world's step before.
      const WorldOutput shown = stepped;
      ASSERT_EQ(alone.step(hand(), stepped), WorldStatus::kOk);
      for (std::uint32_t cycle = 0; cycle < kCycles; ++cycle) {
        ASSERT_EQ(servo.step(hand(), seen), WorldStatus::kOk);
        if (seen.world_step > 0) {
          ASSERT_EQ(seen.contact_wrench.force, shown.contact_wrench.force);
        }
        const double force = seen.device_wrench.force.z();
        largest_change = std::max(largest_change, std::abs(force - last));
        last = force;
      }
      ASSERT_TRUE(std::ranges::equal(world.coordinates(), alone.coordinates()));
    }
  };
  const auto set = [&](double value) {
    ASSERT_TRUE(alone.set_parameter(index, value));
    ASSERT_TRUE(servo.set_parameter(index, value));
  };
  run(3000);
  const double with_three = last;
  for (const double bad : {2.5, 0.0, 4.0}) {
    EXPECT_FALSE(servo.set_parameter(index, bad)) << bad;
  }
  largest_change = 0.0;
  set(2.0);
  run(10);
  EXPECT_EQ(servo.parameter(index), 3.0);
  run(3000);
  EXPECT_EQ(servo.parameter(index), 2.0);
  const double with_two = last;
  EXPECT_GT(with_two, 1.02 * with_three);
  set(3.0);
  run(3000);
  EXPECT_EQ(servo.parameter(index), 3.0);
  EXPECT_NEAR(last, with_three, 1e-9 * with_three);
  // An even share of the 100 steps of the ramp is 1 %; the body swings a little about it.
  EXPECT_LE(largest_change, 0.03 * (with_two - with_three));
}

// In flight, stopping the coordinates takes kinetic energy. On their way to zero they are led: as a
// skater who draws the arms in, a body that spins turns faster. That work, of the way at constant
// momenta, is all the energy that the body gains. The momenta stay what they are.
TEST_F(DimensionChange, keeps_the_momenta_and_gains_only_the_work_of_the_way_in_flight) {
  Scene scene = ground(Vector3::Zero());
  // So short steps that the impulses of the inertial forces change the energy by 1e-6 of it.
  scene.rate_hz = 64000.0;
  add(scene, "points.h5", {0.0, 0.0, 0.5}, {{0.3, 0.1, 0.0}, {12.0, -20.0, 8.0}});
  SolidsWorld world(scene, nullptr);
  const std::vector<FreePoints> bodies = {points()};
  const std::size_t index = parameter_index(world, "free2.dimension");
  const FreeBody& body = *world.free_bodies()[0];
  const DeformableBody& shape = *world.deformable(2);
  /// Energy of the body with its momenta where the last coordinates are scaled.
  const auto energy = [&](double scale) {
    const Eigen::VectorXd qdot = values(shape.qdot());
    Eigen::VectorXd q = values(shape.q());
    q.tail(kModes - shape.used()) *= scale;
    const FreePoints& of = bodies[0];
    const Vector3 spin = of.spin(q, qdot);
    const Matrix3 J = of.inertia(q);
    const Vector3 w =
        J.inverse() * (body.pose().orientation.conjugate() * body.angular_momentum() - spin);
    double sum = w.dot(0.5 * (J * w) + spin) + 0.5 * qdot.squaredNorm();
    for (Eigen::Index j = 0; j < kModes; ++j) {
      sum += 0.5 * of.eigenvalues[static_cast<std::size_t>(j)] * q[j] * q[j];
    }
    return sum;
  };
  hold(world, {}, 20000);
  const Sums before = sums(world, bodies);
  const double whole = energy(1.0);
  double most_work = 0.0;
  for (const double dimension : {2.0, 5.0, 1.0, 4.0}) {
    const bool falls = dimension < world.parameter(index);
    ASSERT_TRUE(world.set_parameter(index, dimension));
    const double start = energy(1.0);
    hold(world, {}, 1);
    const double stopped = energy(1.0);
    if (falls) {
      EXPECT_LT(stopped, start * (1.0 - 1e-4));
    }
    double work = 0.0;
    // The next step begins with the way, which is linear over 12,800 steps.
    for (int i = 1; i < 12800 && falls; ++i) {
      work += energy(1.0 - 1.0 / (12800.0 - i)) - energy(1.0);
      hold(world, {}, 1);
    }
    if (falls) {
      EXPECT_NEAR(energy(1.0), stopped + work, 2e-5 * whole) << dimension;
    }
    most_work = std::max(most_work, work);
    // New coordinates are released in this time, which takes energy.
    hold(world, {}, falls ? 3000 : 15000);
    EXPECT_EQ(world.parameter(index), dimension);
    EXPECT_LE(energy(1.0), stopped + work + 2e-5 * whole) << dimension;
    if (falls) {
      EXPECT_NEAR(energy(1.0), stopped + work, 2e-5 * whole) << dimension;
    }
  }
  EXPECT_GT(most_work, 1e-3 * whole);  // or the test shows nothing
  const Sums after = sums(world, bodies);
  EXPECT_LE((after.momentum - before.momentum).norm(), 1e-11 * before.momentum.norm());
  EXPECT_LE((after.angular - before.angular).norm(), 1e-11 * before.angular.norm());
}

// A new value may come at any time, also within a change; the last one holds, and no step
// allocates.
TEST_F(PressedPlane, the_last_value_holds_and_no_step_allocates) {
  for (const bool implicit : {true, false}) {
    SolidsWorld world(pressed({}, implicit), nullptr), again(pressed({}, implicit), nullptr);
    const std::size_t index = parameter_index(world, "ground.dimension");
    WorldOutput a, b;
    int failures = 0;
    const auto run = [&](int cycles) {
      for (int i = 0; i < cycles; ++i) {
        failures += world.step(hand(), a) != WorldStatus::kOk;
        failures += again.step(hand(), b) != WorldStatus::kOk;
        failures += a.device_wrench.force != b.device_wrench.force;
      }
    };
    const auto set = [&](double value) {
      failures += !world.set_parameter(index, value) + !again.set_parameter(index, value);
    };
    run(1000);
    {
      NoAllocation guard;
      set(1.0);
      run(50);
      set(3.0);  // after the way to zero
      run(100);
      set(2.0);
      run(60);
      set(1.0);
      run(1);
      set(2.0);
      run(700);
    }
    EXPECT_EQ(failures, 0);
    EXPECT_EQ(world.parameter(index), 2.0);
    EXPECT_EQ(world.coordinates()[2], 0.0);
    // A reset ends the way to zero, not the change.
    set(1.0);
    run(10);
    world.reset();
    again.reset();
    for (const double q : world.coordinates()) EXPECT_EQ(q, 0.0);
    run(10);
    EXPECT_EQ(world.parameter(index), 1.0);
    EXPECT_EQ(failures, 0);
  }
}

}  // namespace
}  // namespace haptic::solids
