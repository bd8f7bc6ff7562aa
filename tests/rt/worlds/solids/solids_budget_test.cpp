// Nodes from a time: what a clock says of a touch decides how many the next one may visit.

#include <gtest/gtest.h>

#include <cstdint>

#include "rt/contact/node_budget.h"
#include "shared/clock.h"
#include "tests/rt/worlds/solids/solids_world_fixture.h"

namespace haptic::solids {
namespace {

using TimeBudget = SolidsWorldTest;

/// Every look at it takes `tick` nanoseconds, and nothing else takes time.
class TickingClock final : public Clock {
 public:
  explicit TickingClock(std::int64_t tick) : tick_(tick) {}
  std::int64_t now_ns() const HAPTIC_REALTIME override { return now_ += tick_; }
  void sleep_until(std::int64_t) override {}

 private:
  std::int64_t tick_;
  mutable std::int64_t now_ = 0;
};

TEST_F(TimeBudget, is_that_of_the_nominal_machine_without_a_clock) {
  Scene scene = ball_over("plane.h5");
  edit_solids(scene).contacts[0].budget_us = 100.0;
  SolidsWorld world(scene, nullptr);
  const std::uint32_t nominal = NodeBudget(100.0).warm_nodes();
  for (const int cycles : {1, 500}) {
    hold(world, hand_at(0.0, 0.0, -1e-3), cycles);
    EXPECT_EQ(state_value(world, "contact/node_budget"), nominal);
  }
}

TEST_F(TimeBudget, follows_the_clock) {
  Scene scene = ball_over("plane.h5");
  edit_solids(scene).contacts[0].budget_us = 100.0;
  // The plane's 441 nodes are a level: a touch visits them all and takes a tick.
  for (const double touch_us : {2.0, 1000.0}) {
    const TickingClock clock(static_cast<std::int64_t>(1e3 * touch_us));
    SolidsWorld world(scene, &clock);
    // Measured before the loop: the first cycle already knows.
    const double expected = 0.7 * 100.0 / touch_us * 441.0;
    for (const int cycles : {1, 5000}) {
      hold(world, hand_at(0.0, 0.0, 0.05), cycles);
      EXPECT_NEAR(state_value(world, "contact/node_budget"), expected, 0.1 * expected);
    }
  }
}

}  // namespace
}  // namespace haptic::solids
