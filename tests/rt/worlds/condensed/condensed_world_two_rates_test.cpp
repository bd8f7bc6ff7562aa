#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "rt/servo/two_rate_world.h"
#include "tests/rt/worlds/condensed/condensed_world_fixture.h"
#include "tests/rt/worlds/hand_in_air.h"
#include "tests/rt/worlds/pressing_hand.h"
#include "tests/rt/worlds/standing_still.h"
#include "tests/support/no_allocation.h"

namespace haptic::condensed {
namespace {

/// A servo of 4 kHz over a condensed world of 1 kHz, in virtual time.
class TwoRateContact : public PressedBlock {
 protected:
  static constexpr int kCycles = 4;  // of the servo in a world step
  static constexpr double kPeriod = PressingHand::kPeriod;

  static void SetUpTestSuite() {
    PressedBlock::SetUpTestSuite();
    CondensedBoxSettings stiff;
    stiff.youngs_modulus = 1e9;
    bake_condensed_box(folder_ / "stiff.h5", stiff);
    CondensedBoxSettings damped;
    damped.damping_ratios = {0.7, 0.7};
    bake_condensed_box(folder_ / "damped.h5", damped);
  }
  static std::string coupling(double stiffness) {
    return "[coupling]\nstiffness = " + std::to_string(stiffness) + "\n";
  }
  static std::string on(const char* model, std::string text) {
    return text.replace(text.find("block.h5"), 8, model);
  }
  static TwoRateWorld::Settings settings() {
    TwoRateWorld::Settings settings;
    settings.cycles_per_step = kCycles;
    return settings;
  }

  /// The force on the hand along y in every servo cycle of a hand that comes down with 20 mm/s for
  /// 0.8 s.
  static std::vector<double> ramp(World& world) {
    TwoRateWorld servo(world, settings(), nullptr);
    std::vector<double> force;
    WorldOutput output;
    for (int i = 0; i < 3200; ++i) {
      EXPECT_EQ(servo.step(hand_at(0.011, -0.02 * kPeriod * i, 0.007), output), WorldStatus::kOk);
      force.push_back(output.device_wrench.force.y());
    }
    return force;
  }
  struct Staircase {
    double jump = 0.0;    // largest change at a world step beyond the mean slope, over that slope
    double inside = 0.0;  // the same, of the other cycles
  };
  /// Of the second half of a ramp, with the contact well established.
  static Staircase staircase(const std::vector<double>& force) {
    Staircase result;
    const std::size_t first = 1600, last = force.size() - 1;
    const double slope = (force[last] - force[first]) / static_cast<double>(last - first);
    for (std::size_t i = first + 1; i <= last; ++i) {
      const double off = std::abs(force[i] - force[i - 1] - slope) / slope;
      double& largest = i % kCycles == 0 ? result.jump : result.inside;
      largest = std::max(largest, off);
    }
    return result;
  }
};

// With a held body that stands still the force rises within a step with the coupling alone, k times
// 5 um a cycle, and falls at the step by what the body has moved. With its response it rises with
// coupling and contact in series. What is left: the modes give way later than the statics, by a
// fifth of the compliance, and with the ball points come into contact. A block that does not
// ring.
TEST_F(TwoRateContact, the_force_of_a_steady_press_has_no_staircase) {
  struct Case {
    bool ball;
    double stiffness;
    Staircase most_with, least_without;
  };
  for (const Case& c :
       {Case{false, 400.0, {0.9, 0.3}, {2.6, 0.85}}, Case{false, 2000.0, {2.8, 0.9}, {13.0, 4.3}},
        Case{true, 400.0, {2.4, 0.55}, {3.1, 1.0}}, Case{true, 2000.0, {5.8, 2.0}, {17.0, 5.2}}}) {
    const std::string tool =
        c.ball ? ball_text("", "friction = 0.0") : stylus_text("", "stick = true");
    const std::string text = on("damped.h5", tool + coupling(c.stiffness));
    CondensedWorld with(scene(text), nullptr), inner(scene(text), nullptr);
    StandingStill without(inner);
    const Staircase flat = staircase(ramp(with)), steps = staircase(ramp(without));
    EXPECT_LT(flat.jump, c.most_with.jump) << text;
    EXPECT_LT(flat.inside, c.most_with.inside) << text;
    EXPECT_GT(steps.jump, c.least_without.jump) << text;
    EXPECT_GT(steps.inside, c.least_without.inside) << text;
  }
}

// A damping above k T / 2, with the coupling's stiffness k and the servo's period T: with that part
// of it, the port never gives more energy than it has received. 4 s after it has slid the hand
// moves by what the block still rings, 8 Hz and 2 %: e^-4 of what it rang then. What pulls a hand
// back that bounces off is at most the way of two steps of the world.
TEST_F(TwoRateContact, a_light_hand_is_passive_and_comes_to_rest) {
  for (const bool stiff : {false, true}) {
    for (const bool ball : {false, true}) {
      for (const double k : {400.0, 2000.0}) {
        for (const double mass : {0.02, 0.1}) {
          std::string text = (ball ? ball_text() : stylus_text()) + coupling(k);
          if (stiff) text = on("stiff.h5", text);
          CondensedWorld world(scene(text), nullptr);
          const PressingHand hand =
              press(world, {.mass = mass, .damping = 1.0, .sampled = 0.5 * k * kPeriod}, 6.0);
          EXPECT_GE(hand.least_energy, -1e-15) << text;  // rounding
          EXPECT_LT(hand.last_speed, 1e-3) << text;
          EXPECT_GE(hand.least_force, -2.0 * kCycles * kPeriod * k * hand.largest_speed) << text;
        }
      }
    }
  }
}

// Without the response, 0.6 m/s under 400 N/m were up to 4.8 N at 100 Hz.
TEST_F(TwoRateContact, a_hand_in_the_air_feels_nothing) {
  for (const double rate : {100.0, 250.0, 1000.0}) {
    for (const bool ball : {false, true}) {
      const std::string text = ball ? ball_text("", "", rate) : stylus_text("", "", rate);
      CondensedWorld world(scene(text + coupling(400.0)), nullptr);
      const HandInAir most = move_in_air(world, rate, static_cast<std::uint32_t>(4000.0 / rate));
      EXPECT_LT(most.force, 1e-9) << text;
      EXPECT_LT(most.torque, 1e-9) << text;
    }
  }
}

// What the world has not met yet stops the rendered body: it may touch the block, not enter it.
TEST_F(TwoRateContact, the_rendered_body_stops_at_what_the_world_has_not_met) {
  for (const double rate : {100.0, 250.0, 1000.0}) {
    for (const bool ball : {false, true}) {
      const std::string text = ball ? ball_text("", "", rate) : stylus_text("", "", rate);
      CondensedWorld world(scene(text + coupling(400.0)), nullptr);
      const double surface = 0.05 + (ball ? 0.02 : 0.0);
      const double lowest =
          lowest_before_contact(world, rate, static_cast<std::uint32_t>(4000.0 / rate), 0.04);
      EXPECT_GE(lowest, surface - 1e-6) << text;
      EXPECT_LT(lowest, surface + 0.3 / rate) << text;
    }
  }
}

// The drag of the static damping comes late by one to two steps. With a slow world, a stiff
// coupling and a hand of 20 g it would drive an oscillation if the held body followed the hand
// freely within a step: 1.6 is k h² / m, with which the response is held back. A servo over a world
// of 250 Hz.
TEST_F(TwoRateContact, a_slow_world_keeps_a_light_hand_passive) {
  for (const bool stiff : {false, true}) {
    for (const bool ball : {false, true}) {
      for (const double k : {400.0, 2000.0}) {
        std::string text =
            (ball ? ball_text("", "", 250.0) : stylus_text("", "", 250.0)) + coupling(k);
        if (stiff) text = on("stiff.h5", text);
        CondensedWorld world(scene(text), nullptr);
        const PressingHand hand = press(
            world, {.mass = 0.02, .damping = 0.3, .cycles = 16, .sampled = 0.5 * k * kPeriod}, 4.0);
        // It comes down at up to 1 m/s, with 10 mJ, without drag in the air. A bounce off the stiff
        // block in steps of that length gives it less than that again, once.
        EXPECT_GE(hand.least_energy, stiff && k > 1000.0 ? -0.01 : -1e-15) << text;
        EXPECT_LT(hand.last_speed, 0.1) << text;
      }
    }
  }
}

// From rest in contact, wherever the hand moves before the next world step, the rendered force
// pushes it out of the body or vanishes. (Static damping adds no drag after rest, and max_speed is
// out of reach.)
TEST_F(TwoRateContact, the_rendered_contact_never_attracts) {
  for (const bool stiff : {false, true}) {
    for (const bool ball : {false, true}) {
      std::string text = ball ? ball_text("", "friction = 0.0") : stylus_text();
      if (stiff) text = on("stiff.h5", text);
      CondensedWorld world(scene(text + coupling(400.0) + "max_speed = 20.0\n"), nullptr);
      move(world, Vector3::Zero(), {0.0, -0.009, 0.0}, 300);
      const WorldOutput output = hold(world, {0.0, -0.009, 0.0}, 6000);
      HandCoupling law = world.hand_coupling();
      law.response = world.held_response();
      ASSERT_TRUE(law.response.moves());
      const Vector3 away = ball ? Vector3(Vector3::UnitY()) : Vector3(-world.contacts()[0].push);
      const double pressed = output.device_wrench.force.y();
      ASSERT_GT(pressed, 0.1);
      std::mt19937_64 engine(3);
      std::uniform_real_distribution<double> number(-1.0, 1.0);
      int released = 0, used = 0;
      for (int i = 0; i < 20000; ++i) {
        Vector6 d;
        for (int k = 0; k < 3; ++k) d[k] = 6e-3 * number(engine);
        d.tail<3>().setZero();
        const Vector6 z = law.response.motion(d);
        if (z.head<3>().norm() > 0.999 * law.response.max_motion) continue;
        ++used;
        Pose hand;
        hand.position = Vector3(0.0, -0.009, 0.0) + d.head<3>();
        const Pose manipulandum = law.manipulandum(hand);
        const Pose held = law.held(manipulandum, manipulandum, output.held_pose);
        const Vector3 force = law.wrench(manipulandum, {}, held, {}).force;
        const Vector6 share = z - law.response.free * d + law.response.pushed;
        ASSERT_GE(share.head<3>().dot(away), -1e-12) << d.transpose();
        // 1e-3 of the force, since the body still moves a little, and the part k h² / 20 g = 0.02
        // of the coupling's that is held back.
        const double least = -1e-3 * pressed - 0.02 * 400.0 * d.head<3>().norm();
        ASSERT_GE(force.dot(away), least) << d.transpose();
        if (law.response.release.dot(d) > -1.0) continue;
        ++released;
        ASSERT_LT(share.head<3>().norm(), 1e-12);
        ASSERT_LT(force.norm(), -least) << "without contact: " << d.transpose();
      }
      EXPECT_GT(used, 5000);
      EXPECT_GT(released, 500);
    }
  }
}

// The hand leaves with 0.1 m/s: the force ends without pulling by more than the drag of a step of
// the static damping, k v h.
TEST_F(TwoRateContact, a_hand_that_leaves_feels_the_drag_alone) {
  const auto least = [](World& world) {
    TwoRateWorld servo(world, settings(), nullptr);
    WorldOutput output;
    double y = 0.0, lowest = 0.0, last = 0.0;
    for (int i = 0; i < 4000; ++i) {
      y += i < 2000 ? -0.02 * kPeriod : 0.1 * kPeriod;
      EXPECT_EQ(servo.step(hand_at(0.0, y, 0.0), output), WorldStatus::kOk);
      last = output.contact_wrench.force.norm();
      if (last > 0.0) lowest = std::min(lowest, output.device_wrench.force.y());
    }
    EXPECT_EQ(last, 0.0);
    return lowest;
  };
  for (const bool ball : {false, true}) {
    const std::string text = (ball ? ball_text() : stylus_text()) + coupling(400.0);
    CondensedWorld with(scene(text), nullptr), inner(scene(text), nullptr);
    StandingStill without(inner);
    const double drag = 400.0 * 0.1 * 1e-3;
    const double a = least(with), b = least(without);
    EXPECT_GT(a, -1.1 * drag);
    EXPECT_LT(b, -1.5 * drag);
  }
}

TEST_F(TwoRateContact, clutch_and_reset) {
  CondensedWorld world(scene(stylus_text("", "stick = true") + coupling(400.0)), nullptr);
  TwoRateWorld::Settings with_clutch = settings();
  with_clutch.clutch_button = 0;
  TwoRateWorld servo(world, with_clutch, nullptr);
  WorldOutput output;
  const auto run = [&](double y, int cycles, std::uint32_t buttons = 0) {
    DeviceState hand = hand_at(0.011, y, 0.007);
    hand.buttons = buttons;
    for (int i = 0; i < cycles; ++i) ASSERT_EQ(servo.step(hand, output), WorldStatus::kOk);
  };
  for (int i = 0; i < 1000; ++i) run(-1e-5 * i, 1);
  run(-0.01, 16000);
  const Wrench pressed = output.device_wrench;
  EXPECT_GT(pressed.force.y(), 0.3);
  // With the clutch open the manipulandum rests, and so does what is rendered; the block rings by
  // 1e-4 of its force.
  run(0.05, 400, 1);
  EXPECT_EQ(output.force_scale, 0.0);
  EXPECT_NEAR(output.device_wrench.force.y(), pressed.force.y(), 1e-3);
  run(0.05, 4000);
  EXPECT_NEAR(output.device_wrench.force.y(), pressed.force.y(), 1e-3);
  // The wrench and the energy that is shown with it belong to the held pose that is shown.
  run(0.0495, 2);
  const HandCoupling law = servo.hand_coupling();
  EXPECT_TRUE(law.response.moves());
  EXPECT_EQ(law.wrench(output.manipulandum_pose, {}, output.held_pose, {}).force,
            output.device_wrench.force);
  EXPECT_EQ(law.stored(output.manipulandum_pose, output.held_pose), output.stored_energy_J);
  // After a reset nothing of the old contact is left.
  servo.reset();
  run(0.0, 1);
  EXPECT_EQ(output.device_wrench.force, Vector3(Vector3::Zero()));
  run(0.0, 12);
  const HeldResponse& in_air = servo.hand_coupling().response;
  EXPECT_EQ(in_air.contact.norm() + in_air.pushed.norm() + in_air.release.norm(), 0.0);
  EXPECT_TRUE(in_air.free.isIdentity(0.0)) << "not held back as after a contact";
  EXPECT_EQ(output.device_wrench.force.norm(), 0.0);
}

TEST_F(TwoRateContact, a_step_never_allocates_and_two_runs_have_the_same_bits) {
  for (const bool ball : {false, true}) {
    std::vector<double> forces[2];
    for (std::vector<double>& force : forces) {
      CondensedWorld world(scene(ball ? ball_text("release_s = 0.01") : stylus_text()), nullptr);
      TwoRateWorld servo(world, settings(), nullptr);
      WorldOutput output;
      force.resize(2000);
      const NoAllocation guard;
      for (int i = 0; i < 2000; ++i) {
        const double t = kPeriod * i;
        ASSERT_EQ(servo.step(hand_at(0.01 * std::sin(20.0 * t), 0.02 * std::cos(40.0 * t) - 0.015,
                                     0.01 * std::sin(30.0 * t)),
                             output),
                  WorldStatus::kOk);
        force[static_cast<std::size_t>(i)] = output.device_wrench.force.y();
      }
    }
    EXPECT_EQ(forces[0], forces[1]);
    EXPECT_GT(*std::ranges::max_element(forces[0]), 0.5);
  }
}

}  // namespace
}  // namespace haptic::condensed
