// Contact pairs of a world that share workspaces (dynamics.pair_capacity).
#include "rt/worlds/solids/workspace_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <string>

#include "tests/rt/worlds/solids/free_bodies_fixture.h"
#include "tests/support/no_allocation.h"

namespace haptic::solids {
namespace {

/// Marbles in two layers that fall over a plane and scatter.
class SharedWorkspaces : public FreeBodies {
 protected:
  static Scene falling(std::optional<std::uint32_t> capacity) {
    Scene scene = ground();
    for (int i = 0; i < 18; ++i) {
      const int layer = i / 9, place = i % 9;
      const Vector3 at(0.021 * (place % 3) + 0.004 * layer, 0.0213 * (place / 3),
                       0.02 + 0.03 * layer);
      const std::size_t marble =
          add(scene, "marble.h5", at, {{0.3 * layer, -0.1, 0.0}, {0.0, 0.0, 0.0}});
      touch(scene, marble, 0, 1e4, 10.0, {0.4, 0.3, {}});
      for (std::size_t other = 2; other < marble; ++other) {
        touch(scene, marble, other, 1e4, 10.0, {0.4, 0.3, {}});
      }
    }
    edit_solids(scene).dynamics.pair_capacity = capacity;
    return scene;
  }
};

TEST_F(SharedWorkspaces, give_the_motion_of_pairs_with_their_own_to_the_last_bit) {
  // 153 pairs of marbles; with the plane, whose field reaches everywhere, 18.
  SolidsWorld own(falling({}), nullptr), shared(falling(80), nullptr), again(falling(80), nullptr);
  const std::size_t blocks = own.state_layout().blocks().size();
  WorldOutput output;
  std::uint32_t contacts = 0;
  for (int i = 0; i < 600; ++i) {
    ASSERT_EQ(own.step({}, output), WorldStatus::kOk);
    {
      const NoAllocation guard;
      ASSERT_EQ(shared.step({}, output), WorldStatus::kOk);
    }
    ASSERT_EQ(again.step({}, output), WorldStatus::kOk);
    for (std::size_t block = 0; block < blocks; ++block) {
      ASSERT_TRUE(std::ranges::equal(own.state(block), shared.state(block))) << i << " " << block;
      ASSERT_TRUE(std::ranges::equal(again.state(block), shared.state(block))) << i << " " << block;
    }
    for (const ContactSet::Pair& pair : shared.pairs()) {
      if (pair.pool != ContactSet::kNoPool) {
        contacts += static_cast<std::uint32_t>(pair.contact.contacts().size());
      }
    }
  }
  EXPECT_GT(contacts, 100u);
}

TEST_F(SharedWorkspaces, that_run_out_are_a_fault_of_their_own_that_names_a_body) {
  const std::string message = refusal(falling(20));
  EXPECT_NE(message.find("dynamics.pair_capacity: found 20, and "), std::string::npos) << message;
  // Eight marbles that are flung at each other: at once, each comes close to its two neighbours.
  Scene scene = ground(Vector3::Zero());
  for (int i = 0; i < 8; ++i) {
    const Vector3 out(std::cos(0.25 * i * std::numbers::pi), std::sin(0.25 * i * std::numbers::pi),
                      0.0);
    const std::size_t marble = add(scene, "marble.h5", Vector3(0.1 * out + Vector3(0, 0, 0.5)),
                                   {-1.0 * out, {0.0, 0.0, 0.0}});
    for (std::size_t other = 2; other < marble; ++other) touch(scene, marble, other, 1e4, 10.0);
  }
  edit_solids(scene).dynamics.pair_capacity = 5;
  SolidsWorld world(scene, nullptr);
  WorldOutput output;
  WorldStatus status = WorldStatus::kOk;
  int steps = 0;
  while (status == WorldStatus::kOk && steps < 200) {
    status = world.step({}, output);
    ++steps;
  }
  EXPECT_EQ(status, WorldStatus::kCapacity);
  EXPECT_GT(steps, 20);
  ASSERT_LT(output.failed_body, world.bodies().size());
  EXPECT_GE(output.failed_body, 3u);
  EXPECT_EQ(world.capacity_key(), "dynamics.pair_capacity");
  EXPECT_EQ(output.device_wrench.force, Vector3(0.0, 0.0, 0.0));
  // The state is that before the step, and a reset starts over.
  const Vector3 before = position(world, 2);
  EXPECT_EQ(world.step({}, output), WorldStatus::kCapacity);
  EXPECT_EQ(position(world, 2), before);
  world.reset();
  for (int i = 1; i < steps; ++i) EXPECT_EQ(world.step({}, output), WorldStatus::kOk) << i;
  EXPECT_EQ(world.step({}, output), WorldStatus::kCapacity);
}

}  // namespace
}  // namespace haptic::solids
