#include "rt/worlds/cloth/tool_hand.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/rt/worlds/cloth/cloth_world_fixture.h"
#include "tests/support/no_allocation.h"

namespace haptic::cloth {
namespace {

/// A ball or a bar in the hand, 10 mm above the sheet.
class Tool : public SheetWorld {
 protected:
  static constexpr double kRadius = 0.01, kStiffness = 400.0;

  static std::string with(const std::string& shape, const std::string& tables) {
    std::string all = text(tables);
    const std::string point = "shape = \"sphere\"\nradius = 0.002";
    all.replace(all.find(point), point.size(), shape);
    return all.replace(all.find("[0.0, 0.01, 0.0]"), 16, "[0.0, 0.02, 0.0]");
  }
  static std::string ball(const std::string& tables) {
    return with("shape = \"sphere\"\nradius = 0.01", tables);
  }
  /// 1 mm below the sheet: the table touches its thickness of 2 mm.
  static std::string table() {
    return "[[body]]\nname = \"table\"\nshape = \"box\"\nx = 0.3\ny = 0.02\nz = 0.3\n"
           "role = \"anchored\"\nposition = [0.0, -0.011, 0.0]\n[cloth]\nbody = \"sheet\"\n";
  }
  static constexpr double kHome = 0.02;
};

TEST_F(Tool, a_press_on_a_table_is_in_balance_with_the_coupling) {
  ClothWorld world(scene(ball(table())), nullptr);
  const Vector3 deep(0.002, -0.015, 0.001);
  move(world, Vector3::Zero(), deep, 500);
  const WorldOutput output = move(world, deep, deep, 3000);
  const Vector3 device = Vector3(0.0, kHome, 0.0) + deep;
  const Vector3 spring = kStiffness * (output.held_pose.position - device);
  EXPECT_GT(spring.y(), 0.5);
  EXPECT_LT((output.device_wrench.force - spring).norm(), 1e-9);
  EXPECT_LT((output.contact_wrench.force - spring).norm(), 1e-3 * spring.norm());
  EXPECT_LT(std::abs(output.held_pose.position.y() - device.y() - spring.y() / kStiffness), 1e-12);
}

TEST_F(Tool, the_torque_of_a_press_beside_the_grasp_is_in_balance_too) {
  const std::string bar = "shape = \"box\"\nx = 0.06\ny = 0.01\nz = 0.03";
  // Grasped 20 mm beside its middle.
  ClothWorld world(scene(with(bar, table() + "[coupling]\ngrasp = [0.02, 0.0, 0.0]\n")), nullptr);
  const Vector3 deep(0.0, -0.02, 0.0);
  move(world, Vector3::Zero(), deep, 500);
  const WorldOutput output = move(world, deep, deep, 4000);
  EXPECT_GT(output.contact_wrench.torque.norm(), 1e-3);
  EXPECT_LT((output.contact_wrench.force - output.device_wrench.force).norm(),
            1e-3 * output.device_wrench.force.norm());
  EXPECT_LT((output.contact_wrench.torque - output.device_wrench.torque).norm(),
            2e-3 * output.device_wrench.torque.norm());
}

TEST_F(Tool, it_follows_with_its_largest_speed) {
  Scene slow = scene(ball(pinned()));
  slow.coupling.max_speed = 0.6;
  ClothWorld world(slow, nullptr);
  WorldOutput output;
  ASSERT_EQ(world.step(hand_at(Vector3::Zero()), output), WorldStatus::kOk);
  Vector3 last = output.held_pose.position;
  double most = 0.0;
  for (int i = 0; i < 300; ++i) {
    ASSERT_EQ(world.step(hand_at({0.1, 0.05, 0.0}), output), WorldStatus::kOk);
    most = std::max(most, (output.held_pose.position - last).norm());
    last = output.held_pose.position;
  }
  EXPECT_LE(most, 0.6e-3 * (1.0 + 1e-9));
  EXPECT_GT(most, 0.5e-3);
}

TEST_F(Tool, a_fast_hand_does_not_pass_the_cloth) {
  for (const double speed : {1.0, 20.0}) {
    SCOPED_TRACE(speed);
    ClothWorld world(scene(ball(pinned())), nullptr);
    const Vector3 deep(0.0, -0.2, 0.0);
    move(world, Vector3::Zero(), Vector3::Zero(), 10);
    move(world, Vector3::Zero(), deep, static_cast<int>(200.0 / speed));
    for (int i = 0; i < 1500; ++i) {
      const WorldOutput output = move(world, deep, deep, 1);
      const Vector3 p = output.held_pose.position;
      Vector3 nearest = Vector3::Constant(1.0);
      for (std::size_t k = 0; k < world.sheet().system().size(); ++k) {
        const Vector3 x = at(world.sheet().x(), k);
        if ((x - p).norm() < (nearest - p).norm()) nearest = x;
      }
      // The particles that hold it are below its middle.
      ASSERT_LT(nearest.y(), p.y()) << i;
    }
  }
}

TEST_F(Tool, a_step_allocates_nothing) {
  ClothWorld world(scene(ball(table())), nullptr);
  WorldOutput output;
  EXPECT_EQ(world.step(hand_at(Vector3::Zero()), output), WorldStatus::kOk);
  NoAllocation guard;
  for (int i = 0; i < 100; ++i) (void)world.step(hand_at({0.0, -2e-4 * i, 0.0}), output);
  world.reset();
}

}  // namespace
}  // namespace haptic::cloth
