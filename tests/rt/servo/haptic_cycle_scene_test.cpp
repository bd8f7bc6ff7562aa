// A running cycle goes over to another scene: force out, the change, force in.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <thread>

#include "lab/samples/spring_wall.h"
#include "rt/servo/haptic_cycle.h"
#include "rt/servo/monotonic_clock.h"
#include "rt/servo/servo_loop.h"
#include "tests/support/no_allocation.h"

namespace haptic {
namespace {

constexpr double kLoopRate = 1000.0;

/// A wall of 1000 N/m by default, with a separate sink.
struct WallScene {
  WallScene(VirtualClock& clock, const ScriptedHand& hand, const ServoLimits& limits,
            double stiffness = 1000.0)
      : wall(clock), scene(wall, sink, hand.capability, limits, {}, kLoopRate) {
    EXPECT_TRUE(wall.set_parameter(0, stiffness));
  }
  SpringWall wall;
  MemorySink sink;
  ServoScene scene;
};

/// A hand 1 mm in walls of 1 N/mm (first) and 2 N/mm (second), in virtual time.
class SceneChangeTest : public testing::Test {
 protected:
  SceneChangeTest() { limits_.ramp_s = 0.1; }

  void start() {
    first_ = std::make_unique<WallScene>(clock_, hand_, limits_);
    second_ = std::make_unique<WallScene>(clock_, hand_, next_limits_.value_or(limits_), 2000.0);
    cycle_ =
        std::make_unique<HapticCycle>(hand_, first_->scene, clock_, commands_, kLoopRate, false);
    schedule_ = std::make_unique<Schedule>(1'000'000, clock_.now_ns() + 1'000'000);
  }
  double run(int cycles = 1) {
    const NoAllocation guard;
    for (int i = 0; i < cycles; ++i) {
      clock_.sleep_until(schedule_->next_ns());
      const std::int64_t woke = clock_.now_ns();
      cycle_->run(schedule_->take(woke), woke);
      largest_step_ = std::max(largest_step_, (hand_.felt.force - last_).norm());
      largest_force_ = std::max(largest_force_, hand_.felt.force.norm());
      last_ = hand_.felt.force;
    }
    return hand_.felt.force.z();
  }
  CommandAnswer command(CommandKind kind) {
    EXPECT_TRUE(commands_.post({kind, 0, 0.0}));
    run();
    CommandReply reply{};
    EXPECT_TRUE(commands_.collect(reply));
    return reply.answer;
  }
  /// Engaged, at full force.
  void engage() {
    start();
    run();
    ASSERT_EQ(command(CommandKind::kEngage), CommandAnswer::kApplied);
    run(200);
    largest_step_ = 0.0;
  }
  void expect_no_cycle_missing() {
    std::uint64_t cycle = 0;
    for (const MemorySink* sink : {&first_->sink, &second_->sink}) {
      for (const SampleRecord& sample : sink->samples) {
        EXPECT_EQ(sample.cycle, cycle++);
        EXPECT_EQ(sample.missed, 0u);
        EXPECT_EQ(sample.scheduled_ns, first_->sink.samples.front().scheduled_ns +
                                           static_cast<std::int64_t>(sample.cycle) * 1'000'000);
      }
    }
    EXPECT_EQ(cycle, cycle_->cycles());
  }

  VirtualClock clock_;
  ScriptedHand hand_;
  CommandChannel commands_;
  ServoLimits limits_;
  std::optional<ServoLimits> next_limits_;
  std::unique_ptr<WallScene> first_, second_;
  std::unique_ptr<HapticCycle> cycle_;
  std::unique_ptr<Schedule> schedule_;
  Vector3 last_ = Vector3::Zero();
  double largest_step_ = 0.0, largest_force_ = 0.0;
};

TEST_F(SceneChangeTest, force_ramps_out_with_the_old_limits_and_in_with_the_new_ones) {
  next_limits_ = limits_;
  next_limits_->ramp_s = 0.2;
  engage();
  ASSERT_TRUE(cycle_->scenes().offer(second_->scene));
  for (int k = 1; k <= 100; ++k) ASSERT_NEAR(run(), 1.0 - k / 100.0, 1e-12);
  EXPECT_EQ(hand_.felt.force, Vector3::Zero());  // exactly, before the change
  EXPECT_EQ(cycle_->scenes().collect(), nullptr);
  EXPECT_EQ(second_->wall.steps, 0u);
  for (int k = 1; k <= 200; ++k) {
    ASSERT_NEAR(run(), 2.0 * k / 200.0, 1e-12);
    ASSERT_EQ(cycle_->state(), ServoState::kEngaged);
  }
  EXPECT_NEAR(run(10), 2.0, 1e-12);
  EXPECT_EQ(cycle_->scenes().collect(), &first_->scene);
  EXPECT_EQ(cycle_->scenes().collect(), nullptr);
  EXPECT_EQ(first_->wall.steps + second_->wall.steps, cycle_->cycles());
  EXPECT_NEAR(largest_step_, 0.01, 1e-12);  // 1 N over 100 cycles, 2 N over 200
  expect_no_cycle_missing();
}

TEST_F(SceneChangeTest, without_force_it_changes_at_the_next_cycle) {
  start();
  run(5);
  ASSERT_TRUE(cycle_->scenes().offer(second_->scene));
  run();
  EXPECT_EQ(cycle_->scenes().collect(), &first_->scene);
  EXPECT_EQ(second_->wall.steps, 1u);
  EXPECT_EQ(cycle_->state(), ServoState::kIdle);
  EXPECT_EQ(largest_force_, 0.0);
  expect_no_cycle_missing();
}

TEST_F(SceneChangeTest, an_engage_that_was_asked_for_in_the_scene_before_is_refused) {
  start();
  run();
  const std::uint64_t epoch = commands_.epoch();
  ASSERT_TRUE(cycle_->scenes().offer(second_->scene));
  EXPECT_TRUE(commands_.post(
      {CommandKind::kEngage, 0, 0.0, std::numeric_limits<std::int64_t>::max(), epoch}));
  run();
  CommandReply reply{};
  ASSERT_TRUE(commands_.collect(reply));
  EXPECT_EQ(reply.answer, CommandAnswer::kStateChanged);
  EXPECT_EQ(cycle_->state(), ServoState::kIdle);
  EXPECT_EQ(reply.epoch, epoch + 1);
  EXPECT_TRUE(commands_.post(
      {CommandKind::kEngage, 0, 0.0, std::numeric_limits<std::int64_t>::max(), reply.epoch}));
  run();
  ASSERT_TRUE(commands_.collect(reply));
  EXPECT_EQ(reply.answer, CommandAnswer::kApplied);
}

TEST_F(SceneChangeTest, a_fault_stays_latched_with_its_first_cause) {
  engage();
  ASSERT_EQ(command(CommandKind::kStop), CommandAnswer::kApplied);
  ASSERT_TRUE(cycle_->scenes().offer(second_->scene));
  run(300);
  EXPECT_EQ(cycle_->scenes().collect(), &first_->scene);
  EXPECT_EQ(cycle_->state(), ServoState::kFault);
  EXPECT_EQ(second_->sink.samples.back().fault, FaultKind::kOperatorStop);
  EXPECT_EQ(hand_.felt.force, Vector3::Zero());
  EXPECT_EQ(command(CommandKind::kEngage), CommandAnswer::kWrongState);
  EXPECT_EQ(command(CommandKind::kReset), CommandAnswer::kApplied);
  EXPECT_EQ(second_->wall.resets, 1u);
  EXPECT_EQ(first_->wall.resets, 0u);
}

TEST_F(SceneChangeTest, limits_that_exclude_the_hand_release_it_without_a_fault) {
  hand_.state.pose.position.x() = 0.1;
  next_limits_ = limits_;
  next_limits_->workspace_radius = 0.05;
  engage();
  ASSERT_TRUE(cycle_->scenes().offer(second_->scene));
  run(300);
  EXPECT_EQ(cycle_->state(), ServoState::kIdle);
  EXPECT_EQ(cycle_->sample().fault, FaultKind::kNone);
  EXPECT_EQ(hand_.felt.force, Vector3::Zero());
  EXPECT_FALSE(hand_.enabled);
  EXPECT_NEAR(largest_step_, 0.01, 1e-12);
  EXPECT_EQ(command(CommandKind::kEngage), CommandAnswer::kOutOfReach);
}

TEST_F(SceneChangeTest, the_new_limits_apply_from_its_first_cycle) {
  next_limits_ = limits_;
  next_limits_->force = 0.5;
  next_limits_->ramp_s = 0.0;
  engage();
  ASSERT_TRUE(cycle_->scenes().offer(second_->scene));
  run(100);
  EXPECT_NEAR(run(), 0.5, 1e-12);  // of 2 N
  EXPECT_NEAR(run(100), 0.5, 1e-12);
}

TEST_F(SceneChangeTest, a_slew_limit_applies_to_the_ramp_out_and_the_change_waits_for_it) {
  limits_.slew_N_per_s = 2.0;  // 1 N in 500 cycles, the ramp would take 100
  engage();
  run(600);
  ASSERT_TRUE(cycle_->scenes().offer(second_->scene));
  double before = 1.0;
  int cycles = 0;
  while (second_->wall.steps == 0 && cycles < 1000) {
    before = hand_.felt.force.z();
    run();
    ++cycles;
  }
  EXPECT_EQ(before, 0.0);
  EXPECT_EQ(cycles, 501);  // 1 N at 2 mN a cycle, then the change
  run(100);
  EXPECT_LE(largest_step_, 0.002 + 1e-12);
}

TEST_F(SceneChangeTest, a_slew_limit_delays_the_change_only_briefly) {
  limits_.slew_N_per_s = 0.1;  // the new scene's too
  limits_.ramp_s = 0.0;
  hand_.state.pose.position.z() = -0.002;
  engage();
  run(20'000);
  ASSERT_NEAR(hand_.felt.force.z(), 2.0, 1e-12);
  ASSERT_TRUE(cycle_->scenes().offer(second_->scene));
  run(1000);
  EXPECT_EQ(second_->wall.steps, 0u);
  run(3);
  EXPECT_GT(second_->wall.steps, 0u);
  EXPECT_LT(hand_.felt.force.z(), 0.001);  // cut as by a release; in again with the slew
}

TEST_F(SceneChangeTest, a_release_during_the_ramp_out_takes_effect_at_once) {
  engage();
  ASSERT_TRUE(cycle_->scenes().offer(second_->scene));
  run(50);
  EXPECT_EQ(command(CommandKind::kRelease), CommandAnswer::kApplied);
  EXPECT_EQ(hand_.felt.force, Vector3::Zero());
  run();
  EXPECT_EQ(cycle_->scenes().collect(), &first_->scene);
  EXPECT_EQ(cycle_->state(), ServoState::kIdle);
}

TEST_F(SceneChangeTest, after_a_withdrawn_scene_the_force_returns) {
  engage();
  ASSERT_TRUE(cycle_->scenes().offer(second_->scene));
  EXPECT_NEAR(run(60), 0.4, 1e-12);
  EXPECT_FALSE(cycle_->scenes().offer(second_->scene));  // one at a time
  EXPECT_TRUE(cycle_->scenes().withdraw());
  EXPECT_NEAR(run(), 0.41, 1e-12);
  EXPECT_NEAR(run(100), 1.0, 1e-12);
  EXPECT_EQ(second_->wall.steps, 0u);
  EXPECT_NEAR(largest_step_, 0.01, 1e-12);
  EXPECT_FALSE(cycle_->scenes().withdraw());
}

TEST_F(SceneChangeTest, a_world_that_fails_during_the_ramp_out_is_a_latched_fault) {
  engage();
  ASSERT_TRUE(cycle_->scenes().offer(second_->scene));
  run(10);
  first_->wall.next_status = WorldStatus::kDiverged;
  run(10);
  EXPECT_EQ(cycle_->state(), ServoState::kFault);
  EXPECT_EQ(second_->sink.samples.back().fault, FaultKind::kWorldDiverged);
  const auto kind = static_cast<std::size_t>(FaultKind::kWorldDiverged);
  EXPECT_EQ(second_->sink.statistics().counters.faults[kind], 1u);  // counted once, carried over
}

TEST_F(SceneChangeTest, counters_continue_and_histograms_are_reset) {
  engage();
  first_->wall.slow_step = first_->wall.steps + 1;
  first_->wall.slow_step_ns = 1'500'000;
  run(2);
  const std::uint64_t cycles = cycle_->cycles();
  ASSERT_EQ(first_->sink.statistics().counters.overruns, 1u);
  ASSERT_TRUE(cycle_->scenes().offer(second_->scene));
  run(150);
  EXPECT_EQ(second_->sink.statistics().counters.overruns, 1u);
  EXPECT_EQ(second_->sink.statistics().counters.cycles, cycles + 150);
  EXPECT_EQ(second_->sink.statistics().compute.count(), second_->wall.steps);
}

TEST(SceneChange, a_running_loop_changes_scenes_many_times_without_a_missed_cycle) {
  MonotonicClock clock;
  VirtualClock work;  // of the walls: no time
  ScriptedHand hand;
  ServoLimits limits;
  limits.ramp_s = 0.002;
  limits.overload_slots = ~std::uint64_t{0};  // the machine may be busy
  limits.overload_fraction = ServoLimits::kNone;
  CommandChannel commands;
  WallScene a(work, hand, limits), b(work, hand, limits, 2000.0);
  HapticCycle cycle(hand, a.scene, clock, commands, kLoopRate, true);
  ServoLoop loop(cycle, clock, kLoopRate);
  std::thread servo([&] { loop.run(0); });
  for (int change = 0; change < 40; ++change) {
    ServoScene& left = change % 2 == 0 ? a.scene : b.scene;
    ServoScene& next = change % 2 == 0 ? b.scene : a.scene;
    ASSERT_TRUE(cycle.scenes().offer(next));
    ServoScene* back = nullptr;
    while ((back = cycle.scenes().collect()) == nullptr) std::this_thread::yield();
    EXPECT_EQ(back, &left);
  }
  loop.stop();
  servo.join();
  EXPECT_EQ(a.wall.steps + b.wall.steps, cycle.cycles());
  EXPECT_EQ(cycle.state(), ServoState::kIdle);  // wound down, without a fault
}

}  // namespace
}  // namespace haptic
