#include <gtest/gtest.h>

#include <string>

#include "tests/rt/worlds/condensed/condensed_world_fixture.h"
#include "tests/rt/worlds/motion_by_hand.h"
#include "tests/support/no_allocation.h"

namespace haptic::condensed {
namespace {

using ToolContactResponse = PressedBlock;

// Without static damping the world's next step goes all the way to the balance of coupling and
// contact, and its derivative by the hand is the response: by central differences of 0.1 um and
// 10 urad. With mass, it is the step itself. The contact solver leaves 1e-8 of demands of some
// millimetres, which is 1e-3 of such a motion where Newton's method has found the forces, and
// rounding where all contacts stick or have no friction.
TEST_F(ToolContactResponse, is_the_derivative_of_the_step) {
  struct Case {
    bool ball, drag;
    const char *condensed, *contact, *coupling;
  };
  const char* const three = "points = [0.0, 0.0, 0.0, 0.004, 0.001, 0.0, -0.003, 0.0, 0.004]\n";
  const std::string still =
      "[coupling]\nrotational_stiffness = 0.5\nstatic_damping = 0.0\nmax_speed = 20.0\n";
  for (const Case& c :
       {Case{false, false, "", "stick = true", ""}, Case{false, false, "", "friction = 0.8", ""},
        Case{false, true, "", "friction = 0.2", ""}, Case{false, true, "", "friction = 0.0", ""},
        Case{false, true, "", "friction = 100.0\nviscosity = 20.0", ""},
        Case{false, false, "corotated = true", "stick = true", ""},
        Case{true, false, "", "friction = 0.0", ""}, Case{true, true, "", "friction = 0.2", ""},
        Case{true, false, "", "friction = 0.8", ""},
        Case{false, false, "", "stick = true",
             "mode = \"dynamic\"\nmass = 0.02\nmax_speed = 20.0\nrotational_stiffness = 0.5\n"}}) {
    std::string contact = c.contact;
    if (!c.ball) contact = three + contact;
    const std::string text = scene_text(c.ball ? "radius = 0.02" : "radius = 0.004",
                                        c.ball ? 0.02 : 0.0, c.condensed, contact, 1000.0) +
                             (*c.coupling != 0 ? std::string("[coupling]\n") + c.coupling : still);
    CondensedWorld world(scene(text), nullptr);
    const double aside = c.drag ? 3e-5 : 0.0;
    motion_by_hand(world, 2e-5, aside, Vector6::Zero());
    HeldResponse response;
    {
      const NoAllocation guard;
      response = world.held_response();
    }
    ASSERT_TRUE(response.moves()) << text;
    const Matrix6 Y = response.free + response.contact;
    const Matrix6 slopes = slopes_by_hand(world, 2e-5, aside);
    // 400 N/m (1 ms)² / 20 g, and 0.5 N·m/rad (1 ms)² / 5e-5 kg·m².
    Vector6 held_back;
    held_back << Vector3::Constant(0.02), Vector3::Constant(0.01);
    const Matrix6 expected = slopes - slopes * held_back.asDiagonal() * slopes;
    for (int axis = 0; axis < 6; ++axis) {
      const Vector6 off = Y.col(axis) - expected.col(axis);
      EXPECT_LT(off.head<3>().norm(), 3e-3 * (axis < 3 ? 1.0 : 0.02)) << text << "axis " << axis;
      EXPECT_LT(off.tail<3>().norm(), 3e-3 * (axis < 3 ? 50.0 : 1.0)) << text << "axis " << axis;
    }
  }
}

// In the air the tool follows the hand by as much as it is sure not to touch: 5 mm at the start. It
// stands still until 0.1 s after a contact.
TEST_F(ToolContactResponse, without_contact_the_tool_follows_within_its_clearance) {
  CondensedWorld world(scene(ball_text()), nullptr);
  hold(world, {0.0, -4.9e-3, 0.0}, 3);
  const HeldResponse above = world.held_response();
  EXPECT_NEAR(above.max_motion, 1e-4, 1e-6);
  EXPECT_EQ(above.contact, Matrix6::Zero());
  move(world, {0.0, -4.9e-3, 0.0}, {0.0, -0.01, 0.0}, 100);
  EXPECT_TRUE(world.held_response().moves());
  move(world, {0.0, -0.01, 0.0}, {0.0, 0.01, 0.0}, 100);
  EXPECT_FALSE(world.held_response().moves());
  hold(world, {0.0, 0.01, 0.0}, 100);
  EXPECT_TRUE(world.held_response().moves());
}

}  // namespace
}  // namespace haptic::condensed
