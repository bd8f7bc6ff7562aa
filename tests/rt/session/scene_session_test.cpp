#include "rt/session/scene_session.h"

#include <gtest/gtest.h>

#include "lab/samples/spring_wall.h"

namespace haptic {
namespace {

TEST(SceneSession, only_a_fault_of_the_world_names_a_body) {
  VirtualClock clock;
  const SpringWall world(clock);  // its only body is the tip
  EXPECT_EQ(describe_fault(FaultKind::kWorldDiverged, world, 0), "world_diverged (body \"tip\")");
  EXPECT_EQ(describe_fault(FaultKind::kWorldNotFinite, world, 0),
            "world_not_finite (body \"tip\")");
  EXPECT_EQ(describe_fault(FaultKind::kWorldDiverged, world, 1), "world_diverged");
  EXPECT_EQ(describe_fault(FaultKind::kWorldDiverged, world, WorldOutput::kNoBody),
            "world_diverged");
  EXPECT_EQ(describe_fault(FaultKind::kOverload, world, 0), "overload");
}

TEST(SceneSession, a_fault_of_capacity_names_the_key_to_raise) {
  VirtualClock clock;
  SpringWall world(clock);
  EXPECT_EQ(describe_fault(FaultKind::kWorldCapacity, world, 0), "world_capacity (body \"tip\")");
  world.capacity = "wall.bricks";
  EXPECT_EQ(describe_fault(FaultKind::kWorldCapacity, world, 0),
            "world_capacity (body \"tip\": raise wall.bricks)");
  EXPECT_EQ(describe_fault(FaultKind::kWorldCapacity, world, WorldOutput::kNoBody),
            "world_capacity (raise wall.bricks)");
  EXPECT_EQ(describe_fault(FaultKind::kWorldDiverged, world, 0), "world_diverged (body \"tip\")");
}

}  // namespace
}  // namespace haptic
