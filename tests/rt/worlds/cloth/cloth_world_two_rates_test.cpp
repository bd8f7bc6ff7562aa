#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "rt/servo/two_rate_world.h"
#include "tests/rt/worlds/cloth/cloth_world_fixture.h"
#include "tests/rt/worlds/hand_in_air.h"
#include "tests/rt/worlds/pressing_hand.h"

namespace haptic::cloth {
namespace {

/// A servo of 4 kHz over a slow world of cloth, in virtual time.
class TwoRateCloth : public SheetWorld {
 protected:
  static std::string held_at_two_sides(double stiffness, const char* shading, double rate,
                                       const std::string& core = "") {
    return text("[coupling]\nstiffness = " + std::to_string(stiffness) + "\n" +
                    point(std::string("shading = \"") + shading + "\"\n") +
                    "[[constraint]]\nset = \"left\"\n[[constraint]]\nset = \"right\"\n",
                rate, core);
  }
};

// Between two steps of the cloth the point moves along the planes that hold it and off them
// (PointHand::response), as if the cloth stood still. The port never gives more energy than it has
// received. 2 s after it has slid the hand moves by what the cloth still swings; a hand of 0.1 kg
// on 400 N/m has 0.1 s of a free swing, and a step of 25 ms is a quarter of it.
TEST_F(TwoRateCloth, a_light_hand_on_a_slow_cloth_is_passive_and_comes_to_rest) {
  for (const double rate : {1000.0, 200.0, 40.0}) {
    for (const double k : {100.0, 400.0}) {
      for (const char* shading : {"none", "interpolated", "sub-proxy"}) {
        SCOPED_TRACE(shading + (" " + std::to_string(rate)) + " Hz, k = " + std::to_string(k));
        ClothWorld world(scene(held_at_two_sides(k, shading, rate)), nullptr);
        const PressingHand hand = press(world,
                                        {.mass = 0.1,
                                         .damping = 1.0,
                                         .cycles = static_cast<int>(4000.0 / rate),
                                         .sampled = 0.5 * k * PressingHand::kPeriod},
                                        4.0);
        EXPECT_GE(hand.least_energy, -1e-15);  // rounding
        // Without a speed limit, which would damp it too, it comes to rest a little later.
        EXPECT_LT(hand.last_speed, rate > 100.0 ? 2e-3 : 0.1);
        EXPECT_GT(hand.energy, 0.01);  // it has pressed and slid
      }
    }
  }
}

// The differences that StepFade spreads give nothing that they have not taken: a tool in a light
// hand receives no energy from the port, and comes to rest.
TEST_F(TwoRateCloth, a_tool_in_a_light_hand_is_passive_on_a_slow_cloth) {
  for (const double rate : {1000.0, 250.0, 100.0}) {
    for (const double k : {100.0, 400.0}) {
      for (const double mass : {0.1, 0.3}) {
        ClothWorld world(scene(text("[coupling]\nstiffness = " + std::to_string(k) +
                                        "\n[[constraint]]\nset = \"left\"\n"
                                        "[[constraint]]\nset = \"right\"\n",
                                    rate)),
                         nullptr);
        const PressingHand hand = press(world,
                                        {.mass = mass,
                                         .damping = 1.0,
                                         .cycles = static_cast<int>(4000.0 / rate),
                                         .sampled = 0.5 * k * PressingHand::kPeriod},
                                        4.0);
        EXPECT_GE(hand.least_energy, -1e-9) << rate << " Hz, k = " << k << ", " << mass << " kg";
        EXPECT_LT(hand.last_speed, 0.1) << rate << " Hz, k = " << k << ", " << mass << " kg";
        EXPECT_GT(hand.energy, 0.01);
      }
    }
  }
}

/// Of the force in the servo's cycles while a hand presses 40 mm into the cloth at 0.1 m/s: largest
/// change of a cycle over the mean one, and the sum of the changes over that of the ends.
struct Staircase {
  double largest, travel;
};
Staircase staircase(World& world, double rate, int cycles_per_step, double above,
                    double speed = 0.1, double depth = 0.04) {
  TwoRateWorld::Settings at_rate;
  at_rate.cycles_per_step = static_cast<std::uint32_t>(cycles_per_step);
  at_rate.world_rate_hz = rate;
  TwoRateWorld servo(world, at_rate, nullptr);
  const double cycle = 1.0 / (rate * cycles_per_step);
  WorldOutput output;
  DeviceState hand;
  Vector3 first = Vector3::Zero(), last = Vector3::Zero();
  double largest = 0.0, sum = 0.0, touched = 0.0;
  int count = 0;
  for (int i = 0; i * cycle * speed < depth + above; ++i) {
    const double way = i * cycle * speed;
    hand.pose.position.y() = -way;
    if (servo.step(hand, output) != WorldStatus::kOk) return {1e9, 1e9};
    const Vector3 force = output.device_wrench.force;
    // From 5 mm deep on: the first touch is a step of its own, as what the world has not met yet
    // stops the tool as a wall does. The sheet hangs down before it.
    if (touched == 0.0 && output.contact_wrench.force.norm() > 0.0) touched = way;
    if (touched > 0.0 && way > touched + 5e-3) {
      const double change = count > 0 ? (force - last).norm() : 0.0;
      if (count++ == 0) first = force;
      largest = std::max(largest, change);
      sum += change;
    }
    last = force;
  }
  return {largest * (count - 1) / sum, sum / (last - first).norm()};
}

TEST_F(TwoRateCloth, a_pressing_hand_feels_no_staircase) {
  for (const bool is_point : {true, false}) {
    for (const auto& [rate, cycles] :
         {std::pair(100.0, 10), std::pair(250.0, 4), std::pair(250.0, 16), std::pair(1000.0, 4)}) {
      const std::string tables =
          std::string(is_point ? "[touch]\nhand = \"point\"\n" : "[touch]\nhand = \"tool\"\n") +
          "[coupling]\nstiffness = 300.0\nmax_speed = 5.0\n"
          "[[constraint]]\nset = \"left\"\n[[constraint]]\nset = \"right\"\n";
      ClothWorld world(scene(text(tables, rate, "gravity = [0.0, 0.0, 0.0]\n")), nullptr);
      const Staircase found = staircase(world, rate, cycles, kAbove);
      // A tool of 100 Hz changed by 14 times the mean while it stood still within a step, and the
      // force travelled 30 times its way. A point also slides over edges of triangles; at 1 kHz
      // what travels is the cloth's own swing, thousandths of a newton.
      EXPECT_LT(found.largest, is_point ? 12.0 : 5.0) << is_point << " " << rate << " " << cycles;
      if (rate == 1000.0) continue;
      EXPECT_LT(found.travel, 2.5) << is_point << " " << rate << " " << cycles;
    }
  }
}

// 60 mm in 0.5 s into a sheet that is pinned all round. A press is not even by itself: at one rate
// of 1 kHz the force changes by up to 3.6 times the mean with a point, which slides over edges of
// triangles, and at 4 kHz by 13 and, with a tool, 8 times, as the cloth rings from the touch.
// Without StepFade a tool changed by 31, 20 and 63 times the mean, a point at 100 Hz by 30.
TEST_F(TwoRateCloth, a_press_all_round_changes_the_force_about_as_evenly_as_at_one_rate) {
  struct Press {
    double rate;
    int cycles;
    double point, tool;  // largest change of a cycle over the mean one
  };
  for (const Press& c :
       {Press{100.0, 10, 9.0, 5.0}, Press{200.0, 5, 6.0, 6.5}, Press{250.0, 16, 12.0, 7.0}}) {
    for (const bool is_point : {true, false}) {
      const std::string tables =
          std::string(is_point ? "[touch]\nhand = \"point\"\n" : "[touch]\nhand = \"tool\"\n") +
          "[coupling]\nstiffness = 300.0\n"
          "[[constraint]]\nset = \"left\"\n[[constraint]]\nset = \"right\"\n"
          "[[constraint]]\nlow = [0.01, -0.01, -1.0]\nhigh = [0.19, 0.01, 1.0]\n"
          "[[constraint]]\nlow = [0.01, 0.19, -1.0]\nhigh = [0.19, 0.21, 1.0]\n";
      ClothWorld world(scene(text(tables, c.rate)), nullptr);
      const Staircase found = staircase(world, c.rate, c.cycles, kAbove, 0.12, 0.06);
      EXPECT_LT(found.largest, is_point ? c.point : c.tool) << is_point << " " << c.rate;
      EXPECT_LT(found.travel, 1.3) << is_point << " " << c.rate;
    }
  }
}

// Without the response, 0.6 m/s under 400 N/m were up to 4.8 N at 100 Hz.
TEST_F(TwoRateCloth, a_hand_in_the_air_feels_nothing) {
  for (const double rate : {100.0, 250.0, 1000.0}) {
    for (const bool is_point : {true, false}) {
      const std::string hand = is_point ? "point" : "tool";
      ClothWorld world(scene(text("[touch]\nhand = \"" + hand +
                                      "\"\n[coupling]\nstiffness = 400.0\n"
                                      "[[constraint]]\nset = \"left\"\n",
                                  rate)),
                       nullptr);
      const HandInAir most = move_in_air(world, rate, static_cast<std::uint32_t>(4000.0 / rate));
      EXPECT_LT(most.force, 1e-9) << hand << " " << rate;
      EXPECT_LT(most.torque, 1e-9) << hand << " " << rate;
    }
  }
}

// The steps within one that the servo renders have the same hand: the point is there after the
// first.
TEST_F(TwoRateCloth, a_hand_in_the_air_feels_nothing_with_substeps) {
  for (const bool is_point : {true, false}) {
    const std::string hand = is_point ? "point" : "tool";
    ClothWorld world(scene(text("[cloth]\nsubsteps = 4\n[touch]\nhand = \"" + hand +
                                    "\"\n[coupling]\nstiffness = 400.0\n"
                                    "[[constraint]]\nset = \"left\"\n",
                                250.0)),
                     nullptr);
    const HandInAir most = move_in_air(world, 250.0, 16);
    EXPECT_LT(most.force, 1e-9) << hand;
    EXPECT_LT(most.torque, 1e-9) << hand;
  }
}

// The servo's cycles between two steps do not wait for the cloth: each has a force of its own.
TEST_F(TwoRateCloth, a_cloth_of_5_Hz_has_a_force_in_every_cycle_of_the_servo) {
  ClothWorld world(scene(held_at_two_sides(100.0, "none", 5.0, "gravity = [0.0, 0.0, 0.0]\n")),
                   nullptr);
  TwoRateWorld::Settings at_rate;
  at_rate.cycles_per_step = 200;
  at_rate.world_rate_hz = 5.0;
  TwoRateWorld servo(world, at_rate, nullptr);
  WorldOutput output;
  double last = 0.0;
  int changed = 0;
  for (int i = 0; i < 4000; ++i) {
    // Down by 40 mm a second.
    ASSERT_EQ(servo.step(hand_at({0.0, -4e-5 * i, 0.0}), output), WorldStatus::kOk);
    const double force = output.device_wrench.force.y();
    if (i >= 3000) {
      changed += force != last ? 1 : 0;
      EXPECT_GT(force, 0.0) << i;
    }
    last = force;
  }
  EXPECT_EQ(changed, 1000);
}

}  // namespace
}  // namespace haptic::cloth
