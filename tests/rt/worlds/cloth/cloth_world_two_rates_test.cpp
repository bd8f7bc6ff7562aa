#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "rt/servo/two_rate_world.h"
#include "tests/rt/worlds/cloth/cloth_world_fixture.h"
#include "tests/rt/worlds/pressing_hand.h"

namespace haptic::cloth {
namespace {

/// A servo of 4 kHz over a slow world of cloth, in virtual time.
class TwoRateCloth : public SheetWorld {
 protected:
  static std::string held_at_two_sides(double stiffness, const char* shading, double rate) {
    return text("[coupling]\nstiffness = " + std::to_string(stiffness) + "\n" +
                    point(std::string("shading = \"") + shading + "\"\n") +
                    "[[constraint]]\nset = \"left\"\n[[constraint]]\nset = \"right\"\n",
                rate);
  }
};

// Between two steps of the cloth the point moves along the planes that hold it and off them
// (PointHand::response), as if the cloth stood still. The port never gives more energy than it has
// received. 2 s after it has slid the hand moves by what the cloth still swings; a hand of 0.1 kg
// on 400 N/m has 0.1 s of a free swing, and a step of 25 ms is a quarter of it.
TEST_F(TwoRateCloth, T62_a_light_hand_on_a_slow_cloth_is_passive_and_comes_to_rest) {
  for (const double rate : {1000.0, 200.0, 40.0}) {
    for (const double k : {100.0, 400.0}) {
      for (const char* shading : {"none", "interpolated", "sub-proxy"}) {
        SCOPED_TRACE(shading + (" " + std::to_string(rate)) + " Hz, k = " + std::to_string(k));
        ClothWorld world(scene(held_at_two_sides(k, shading, rate)), nullptr);
        const PressingHand hand = press(
            world, {.mass = 0.1, .damping = 1.0, .cycles = static_cast<int>(4000.0 / rate)}, 4.0);
        EXPECT_EQ(hand.least_energy, 0.0);
        EXPECT_LT(hand.last_speed, rate > 100.0 ? 1e-3 : 0.1);
        EXPECT_GT(hand.energy, 0.01);  // it has pressed and slid
      }
    }
  }
}

// The servo's cycles between two steps do not wait for the cloth: each has a force of its own.
TEST_F(TwoRateCloth, T63_a_cloth_of_5_Hz_has_a_force_in_every_cycle_of_the_servo) {
  ClothWorld world(scene(held_at_two_sides(100.0, "none", 5.0)), nullptr);
  TwoRateWorld::Settings at_rate;
  at_rate.cycles_a_step = 200;
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
