// What the step keeps of the exact motion: amplitude and order, and that neither the order of the
// bodies nor others far away change it. Numbers M..: docs/methods/multibody.md, "Acceptance tests".

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <vector>

#include "tests/rt/worlds/solids/jointed_bodies_fixture.h"

namespace haptic::solids {
namespace {

/// Height of the cube's points below its origin, which the model has as floats [m].
const double kPointHeight = static_cast<double>(static_cast<float>(0.01));

class Accuracy : public JointedBodies {
 protected:
  /// A cube on a prismatic joint along z whose servo pulls it by `offset`. No gravity.
  static Scene servo_spring(double stiffness, double offset, double damping = 0.0) {
    Scene scene = ground(Vector3::Zero());
    const std::size_t cube = add(scene, "cube.h5", {0.0, 0.0, 1.0});
    JointSettings& slide =
        join(scene, JointType::kPrismatic, kWorld, cube, {0.0, 0.0, 1.0}, Vector3::UnitZ());
    slide.servo = ServoSettings{stiffness, damping};
    slide.target = -offset;
    return scene;
  }
  /// A cube whose lowest 16 points are pressed `depth` into the plane, less than the 0.5 mm to the
  /// next ones. No gravity.
  static Scene contact_spring(double stiffness, double depth) {
    Scene scene = ground(Vector3::Zero());
    const std::size_t cube = add(scene, "cube.h5", {0.0, 0.0, kPointHeight - depth});
    touch(scene, cube, 0, stiffness / 16.0);
    return scene;
  }
  static double speed(const SolidsWorld& world) {
    return world.free_bodies()[0]->momentum().z() / kMass;
  }
};

// Backward Euler: [w x, v] falls by (1 + h^2 w^2)^(-1/2) a step, w^2 = k / m, at any stiffness; of
// a servo, from the angle of 1 in a step on.
TEST_F(Accuracy, the_amplitude_of_a_spring_falls_as_that_of_backward_euler) {
  for (const double turn : {0.01, 0.1, 1.0, 2.5, 10.0, 100.0, 1000.0}) {  // h w
    const double w = turn / kStep, k = kMass * w * w;
    const double factor = 1.0 / std::sqrt(1.0 + turn * turn);
    // Until the amplitude has fallen to the rounding of the position, 1 m.
    if (turn >= 1.0) {
      const double offset = 1e-2;
      SolidsWorld world(servo_spring(k, offset), nullptr);
      double last = w * offset;
      for (int i = 0; i < 200; ++i) {
        hold(world, {}, 1);
        const double x = position(world, 2).z() - 1.0 + offset;
        const double amplitude = std::hypot(w * x, speed(world));
        ASSERT_TRUE(std::isfinite(amplitude)) << turn;
        if (w * 1e-16 > 1e-10 * amplitude) break;
        EXPECT_NEAR(amplitude / last, factor, 1e-10) << turn << " step " << i;
        last = amplitude;
      }
      hold(world, {}, 1000);
      EXPECT_LE(std::abs(position(world, 2).z() - 1.0 + offset), 2.0 * offset) << turn;
    }
    // A contact is a spring while it presses: to the step at whose end its points are outside.
    {
      const double depth = 4e-4;
      SolidsWorld world(contact_spring(k, depth), nullptr);
      double last = w * depth;
      int pressed = 0;
      for (;; ++pressed) {
        hold(world, {}, 1);
        const double x = position(world, 2).z() - kPointHeight;
        if (x > 0.0) break;
        const double amplitude = std::hypot(w * x, speed(world));
        EXPECT_NEAR(amplitude / last, factor, 1e-10) << turn << " contact, step " << pressed;
        last = amplitude;
      }
      // A quarter of the period, at least one step.
      EXPECT_GE(pressed, turn > 1.5 ? 1 : 0.5 * kPi / turn - 2.0) << turn;
      hold(world, {}, 1000);
      EXPECT_TRUE(position(world, 2).allFinite());
    }
  }
}

/// What a free oscillation about `rest` shows between `from` and `to` [s]: the determinant of three
/// steps falls by the product of both factors of the motion in a step.
struct Oscillation {
  double decay, angular_frequency;  // 1/s, rad/s

  static Oscillation of(const std::vector<double>& x, double dt) {
    const auto determinant = [&](std::size_t i) { return x[i] * x[i] - x[i - 1] * x[i + 1]; };
    const std::size_t last = x.size() - 2;
    const double product =
        std::pow(determinant(last) / determinant(1), 1.0 / static_cast<double>(last - 1));
    // x[2] = sum x[1] - product x[0]
    const double sum = (x[2] + product * x[0]) / x[1];
    return {-0.5 * std::log(product) / dt, std::acos(0.5 * sum / std::sqrt(product)) / dt};
  }
};

// The amplitude of a servo falls by exp(-c t / 2 m), whatever the rate.
TEST_F(Accuracy, a_servo_has_the_damping_that_was_typed_at_any_rate) {
  for (const double rate : {250.0, 1000.0, 4000.0}) {
    for (const double frequency : {2.0, 15.0}) {
      for (const double ratio : {0.0, 0.02, 0.3}) {
        const double w = 2.0 * kPi * frequency, decay = ratio * w;
        Scene scene = servo_spring(kMass * w * w, 1e-2, 2.0 * kMass * decay);
        scene.rate_hz = rate;
        SolidsWorld world(scene, nullptr);
        std::vector<double> x;
        for (int i = 0; i < static_cast<int>(0.3 * rate); ++i) {
          hold(world, {}, 1);
          x.push_back(position(world, 2).z() - 1.0 + 1e-2);
        }
        const Oscillation found = Oscillation::of(x, 1.0 / rate);
        // The position, 1 m, is rounded to 1e-16; an undamped spring keeps 1e-6 of its stiffness
        // as damping (kMin).
        const double left = 0.5e-6 * w * w / rate;
        EXPECT_NEAR(found.decay, std::max(decay, left), 1e-4 * decay + 0.1 * left + 1e-4)
            << rate << " Hz, " << frequency << " Hz, " << ratio;
        // (w dt)^2 / 24, and half the decay in a step.
        const double true_frequency = w * std::sqrt(1.0 - ratio * ratio);
        EXPECT_NEAR(found.angular_frequency / true_frequency, 1.0,
                    0.05 * w * w / (rate * rate) + 0.55 * decay / rate + 1e-4)
            << rate << " Hz, " << frequency << " Hz, " << ratio;
      }
    }
  }
}

// What the servo of a hinge moves is the inertia about the hinge. What hangs on it by further
// joints counts in the motion; in the damping, up to terms of second order.
TEST_F(Accuracy, a_servo_moves_the_inertia_about_its_joint) {
  const double arm = 0.06, w = 2.0 * kPi * 5.0, ratio = 0.1;
  for (const double rate : {250.0, 1000.0, 4000.0}) {
    for (const bool loaded : {false, true}) {
      Scene scene = ground(Vector3::Zero());
      scene.rate_hz = rate;
      const std::size_t cube = add(scene, "cube.h5", {arm, 0.0, 1.0});
      JointSettings& hinge = join(scene, JointType::kHinge, kWorld, cube, {0.0, 0.0, 1.0});
      const double inertia = kInertia + (loaded ? 2.0 : 1.0) * kMass * arm * arm;
      hinge.servo = ServoSettings{inertia * w * w, 2.0 * ratio * w * inertia};
      hinge.target = -1e-3;
      if (loaded) {
        const std::size_t load = add(scene, "cube.h5", {arm, 0.0, 1.0});
        join(scene, JointType::kBall, cube, load, {arm, 0.0, 1.0});
      }
      SolidsWorld world(scene, nullptr);
      std::vector<double> x;
      for (int i = 0; i < static_cast<int>(0.3 * rate); ++i) {
        hold(world, {}, 1);
        x.push_back(rotation_logarithm(world.poses()[cube].orientation).y() + 1e-3);
      }
      const Oscillation found = Oscillation::of(x, 1.0 / rate);
      // Of the load, x / 4 with x = 2 ratio w dt of the inertia without it.
      const double bound = loaded ? ratio * w / rate : 1e-3;
      EXPECT_NEAR(found.decay / (ratio * w), 1.0, bound) << rate << " Hz, load " << loaded;
      EXPECT_NEAR(found.angular_frequency / (w * std::sqrt(1.0 - ratio * ratio)), 1.0,
                  0.05 * w * w / (rate * rate) + 0.65 * ratio * w / rate + 1e-4)
          << rate << " Hz, load " << loaded;
    }
  }
}

/// The error at 1, 2 and 4 kHz halves each time. @param error_at  of a rate [Hz]
void expect_first_order(const std::function<double(double)>& error_at) {
  std::array<double, 3> errors{};
  for (std::size_t i = 0; i < 3; ++i) errors[i] = error_at(1000.0 * std::pow(2.0, i));
  EXPECT_GT(errors[2], 1e-7);  // above rounding and the reference
  EXPECT_NEAR(errors[0] / errors[1], 2.0, 0.3) << errors[0];
  EXPECT_NEAR(errors[1] / errors[2], 2.0, 0.3) << errors[0];
}

/// @returns the pose of body 2 after `time` [s] at `rate` [Hz]
Pose end_of(Scene scene, double rate, double time) {
  scene.rate_hz = rate;
  SolidsWorld world(scene, nullptr);
  WorldOutput output;
  const int steps = static_cast<int>(std::lround(time * rate));
  for (int i = 0; i < steps; ++i) EXPECT_EQ(world.step({}, output), WorldStatus::kOk);
  return world.poses()[2];
}

TEST_F(Accuracy, the_error_halves_with_the_step) {
  // A spring, most of a period.
  const double w = 40.0, offset = 0.02, time = 0.12;
  expect_first_order([&](double rate) {
    const double x = end_of(servo_spring(kMass * w * w, offset), rate, time).position.z();
    return std::abs(x - 1.0 + offset - offset * std::cos(w * time));
  });
  // A body thrown off by its contact: half a period in it, then free flight.
  expect_first_order([&](double rate) {
    const double w_contact = 60.0, depth = 4e-4, end = 0.1;
    const Pose pose = end_of(contact_spring(kMass * w_contact * w_contact, depth), rate, end);
    const double leaves = 0.5 * kPi / w_contact;
    return std::abs(pose.position.z() - kPointHeight - w_contact * depth * (end - leaves));
  });
  // A pendulum on a hinge, from the horizontal: theta'' = g m l / (I + m l^2) cos(theta).
  const double arm = 0.05;
  const double rate_squared = kG * kMass * arm / (kInertia + kMass * arm * arm);
  double theta = 0.0, omega = 0.0;
  const double fine = 1e-5, end = 0.2;
  for (int i = 0; i < 20000; ++i) {  // Runge-Kutta of fourth order
    const auto slope = [&](double t) { return rate_squared * std::cos(t); };
    const double k1 = slope(theta), k2 = slope(theta + 0.5 * fine * omega),
                 k3 = slope(theta + 0.5 * fine * omega + 0.25 * fine * fine * k1),
                 k4 = slope(theta + fine * omega + 0.5 * fine * fine * k2);
    theta += fine * omega + fine * fine * (k1 + k2 + k3) / 6.0;
    omega += fine * (k1 + 2.0 * k2 + 2.0 * k3 + k4) / 6.0;
  }
  expect_first_order([&](double rate) {
    Scene scene = ground();
    const Vector3 pivot(0.0, 0.0, 1.0);
    const std::size_t cube = add(scene, "cube.h5", pivot + Vector3(arm, 0.0, 0.0));
    join(scene, JointType::kHinge, kWorld, cube, pivot);
    const Pose pose = end_of(scene, rate, end);
    return std::abs(rotation_logarithm(pose.orientation).y() - theta);
  });
}

/// Momenta of two cubes after a collision with friction; both have points and a field.
/// @param swapped  the cubes and the directions of their contact in the other order
std::array<Vector6, 2> collide(Scene scene, bool swapped,
                               const std::function<void(Scene&, bool)>& fill) {
  fill(scene, swapped);
  SolidsWorld world(scene, nullptr);
  WorldOutput output;
  int touched = 0;
  for (int i = 0; i < 12; ++i) {
    EXPECT_EQ(world.step({}, output), WorldStatus::kOk);
    for (const ContactSet::Pair& pair : world.pairs()) {
      touched += pair.contact.contacts().empty() ? 0 : 1;
    }
  }
  EXPECT_GT(touched, 10);
  std::array<Vector6, 2> momenta;
  for (const std::size_t i : {0, 1}) {
    const FreeBody& body = *world.free_bodies()[swapped ? 1 - i : i];
    momenta[i] << body.momentum(), body.angular_momentum();
  }
  return momenta;
}

TEST_F(Accuracy, the_bodies_of_a_two_way_contact_can_be_exchanged) {
  for (const double mu : {0.0, 0.4}) {
    const auto fill = [mu](Scene& scene, bool swapped) {
      std::array<std::size_t, 2> cubes{};
      for (const std::size_t i : {swapped ? 1u : 0u, swapped ? 0u : 1u}) {
        const double side = i == 0 ? -1.0 : 1.0;
        cubes[i] = add(scene, i == 0 ? "cube.h5" : "heavy.h5",
                       {side * 0.011, side * 0.003, 0.5 + side * 0.002},
                       {{-side * 0.4, 0.0, 0.05}, {2.0 * side, 3.0, 1.0}});
        scene.bodies[cubes[i]].pose.orientation = rotation_exponential({0.1, 0.2 * side, 0.3});
      }
      for (const bool first : {!swapped, swapped}) {
        touch(scene, cubes[first ? 0 : 1], cubes[first ? 1 : 0], 2e4, 10.0, {mu, mu, {}});
      }
    };
    const auto a = collide(ground(Vector3::Zero()), false, fill);
    const auto b = collide(ground(Vector3::Zero()), true, fill);
    for (const std::size_t i : {0, 1}) {
      // The momenta before, 0.16 N s and 1e-3 N m s. Friction is solved to the solver's 1e-9.
      const double tolerance = mu > 0.0 ? 1e-9 : 1e-12;
      EXPECT_LE((a[i] - b[i]).norm(), tolerance * a[i].norm()) << mu;
    }
  }
}

// How many solutions a step has depends on the island only. With friction each has the limits of
// the one before, so one more would change friction.
TEST_F(Accuracy, bodies_far_away_do_not_change_the_motion_of_others) {
  for (const double mu : {0.0, 0.4}) {
    // A cube that is thrown onto a sliding one and tumbles on, so that steps have further solutions
    // for its friction; and a pendulum that strikes a sliding cube.
    const auto stack = [mu](Scene& scene) {
      const std::size_t below =
          add(scene, "cube.h5", {0.0, 0.0, kHalf}, {{0.2, 0.0, 0.0}, {0, 0, 0}});
      const std::size_t above = add(scene, "cube.h5", {0.004, 0.002, 3.0 * kHalf + 0.01},
                                    {{0.6, 0.3, -1.5}, {25.0, -18.0, 7.0}});
      touch(scene, above, 0, 1e4, 10.0, {mu, mu, {}});
      touch(scene, below, 0, 1e4, 10.0, {mu, mu, {}});
      touch(scene, above, below, 1e4, 10.0, {mu, mu, {}});
      touch(scene, below, above, 1e4, 10.0, {mu, mu, {}});
    };
    const auto pendulum = [mu](Scene& scene) {
      const Vector3 pivot(1.0, 0.0, 0.1);
      const std::size_t swings = add(scene, "heavy.h5", pivot + Vector3(-0.08, 0.0, 0.0));
      const std::size_t slides =
          add(scene, "cube.h5", {1.02, 0.0, kHalf}, {{-0.3, 0.1, 0.0}, {0.0, 0.0, 8.0}});
      join(scene, JointType::kHinge, kWorld, swings, pivot);
      touch(scene, slides, 0, 1e4, 10.0, {mu, mu, {}});
      touch(scene, slides, swings, 1e4, 10.0);
    };
    Scene both = ground(), first = ground(), second = ground();
    stack(both);
    pendulum(both);
    stack(first);
    pendulum(second);
    SolidsWorld together(both, nullptr), stack_alone(first, nullptr),
        pendulum_alone(second, nullptr);
    SolidsWorld* const alone[] = {&stack_alone, &pendulum_alone};
    double last = 0.0, moved = 0.0;
    for (int i = 0; i < 400; ++i) {
      double difference = 0.0;  // of the cubes' half side, or in rad
      hold(together, {}, 1);
      for (const std::size_t island : {0, 1}) {
        hold(*alone[island], {}, 1);
        for (const std::size_t body : {2, 3}) {
          const Pose &a = together.poses()[body + 2 * island], &b = alone[island]->poses()[body];
          difference += (a.position - b.position).norm() / kHalf;
          difference += rotation_logarithm(a.orientation * b.orientation.conjugate()).norm();
          const Vector3 start = (island == 0 ? first : second).bodies[body].pose.position;
          moved = std::max(moved, (b.position - start).norm());
        }
      }
      EXPECT_LE(difference - last, 1e-9) << i;
      last = difference;
    }
    EXPECT_GT(moved, 3.0 * kHalf);
    RecordProperty(mu == 0.0 ? "without_friction" : "with_friction", fmt::format("{:.1e}", last));
    EXPECT_LE(last, 1e-9);
  }
}

}  // namespace
}  // namespace haptic::solids
