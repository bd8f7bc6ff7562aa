// Contacts that hold: [contact] stick = true.
#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include "lab/samples/state_value.h"
#include "tests/rt/worlds/condensed/condensed_world_fixture.h"
#include "tests/support/no_allocation.h"

namespace haptic::condensed {
namespace {

class StickWorldTest : public PressedBlock {
 protected:
  /// Points on a disc of 12 mm that is uneven by 3 mm: up to 64 in a face of an element of 25 mm.
  static std::string points(int count) {
    std::string text = "points = [";
    for (int i = 0; i < count; ++i) {
      text += (i > 0 ? ", " : "") + std::to_string(0.012 * std::sin(1.7 * i)) + ", " +
              std::to_string(0.003 * std::cos(0.9 * i)) + ", " +
              std::to_string(0.012 * std::cos(1.7 * i));
    }
    return text + "]\nstick = true";
  }
  static CondensedWorld world_of(int count) {
    return CondensedWorld(scene(scene_text("radius = 0.004", 0.0, "", points(count), 1000.0)),
                          nullptr);
  }

  /// A cycle, and what holds in every one: no attraction, the tool feels the sum of the forces, and
  /// the conditions of contact hold to a micrometre.
  static void step(CondensedWorld& world, const Vector3& at) {
    DeviceState hand = hand_at(at.x(), at.y(), at.z());
    WorldOutput output;
    WorldStatus status;
    {
      const NoAllocation guard;
      status = world.step(hand, output);
    }
    ASSERT_EQ(status, WorldStatus::kOk);
    Vector3 sum = output.contact_wrench.force;
    double size = 0.0;
    const std::span<const double> f = world.tool_contact().forces();
    for (std::size_t i = 0; i < world.contacts().size(); ++i) {
      const Vector3 force(f[3 * i], f[3 * i + 1], f[3 * i + 2]);
      ASSERT_GE(force.dot(world.contacts()[i].push), -1e-12 * force.norm());
      sum += force;
      size += force.norm();
    }
    ASSERT_LE(sum.norm(), 1e-12 * size + 1e-15);
    ASSERT_LT(state_value(world, "contact/residual"), 1e-6);
  }
};

// 10,000 steps of random presses and drags at up to 0.2 m/s for each number of points. A point that
// had to pull in order to hold once left 0.8 mm, 64 points 23 mm.
TEST_F(StickWorldTest, random_presses_and_drags_keep_the_law_to_a_micrometre) {
  for (const int count : {1, 2, 5, 17, 64}) {
    SCOPED_TRACE(count);
    std::mt19937_64 engine(static_cast<std::uint64_t>(count));
    std::uniform_real_distribution<double> side(-0.04, 0.04), height(-0.035, 0.015);
    CondensedWorld world = world_of(count);
    Vector3 at = Vector3::Zero();
    long pressed = 0;
    for (int i = 0; i < 10000;) {
      const Vector3 to(side(engine), height(engine), side(engine));
      const int steps = std::max(50, static_cast<int>((to - at).norm() / 0.0002));
      for (int k = 1; k <= steps; ++k, ++i) {
        ASSERT_NO_FATAL_FAILURE(step(world, at + (to - at) * (double(k) / steps))) << "cycle " << i;
        pressed += state_value(world, "contact/points") > 0.0;
      }
      at = to;
    }
    EXPECT_GT(pressed, 3000);
  }
}

// Pressed and dragged aside, then held: no contact begins, ends or lets go, and the force is still
// to 1 %, four seconds after the body began to swing.
TEST_F(StickWorldTest, points_that_hold_are_still_under_a_still_hand) {
  for (const int count : {1, 3, 17, 64}) {
    SCOPED_TRACE(count);
    CondensedWorld world = world_of(count);
    const Vector3 pressed(0.0, -0.015, 0.0), aside(0.01, -0.013, 0.006);
    move(world, Vector3::Zero(), pressed, 300);
    move(world, pressed, aside, 300);
    hold(world, aside, 4000);
    const double points = state_value(world, "contact/points");
    EXPECT_GT(points, 0.0);
    Vector3 sum = Vector3::Zero();
    double squares = 0.0;
    for (int i = 0; i < 500; ++i) {
      const Vector3 force = hold(world, aside, 1).contact_wrench.force;
      EXPECT_EQ(state_value(world, "contact/points"), points);
      sum += force;
      squares += force.squaredNorm();
    }
    sum /= 500;
    // What still rings: the tool follows the hand without static damping.
    EXPECT_LT(std::sqrt(std::max(squares / 500 - sum.squaredNorm(), 0.0)), 0.015 * sum.norm());
    // Held points pull the tool back to where they began; without friction only the tilt would.
    EXPECT_LT(sum.x(), -0.05 * sum.y());
  }
}

}  // namespace
}  // namespace haptic::condensed
