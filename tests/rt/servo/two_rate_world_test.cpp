#include "rt/servo/two_rate_world.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <random>
#include <thread>
#include <vector>

#include "lab/samples/spring_wall.h"
#include "rt/servo/haptic_cycle.h"
#include "rt/servo/simulation_loop.h"
#include "rt/worlds/body_blocks.h"
#include "tests/support/no_allocation.h"

namespace haptic {
namespace {

/// A held body that is where the hand was at the step; keeps what it was given.
class Follower final : public World {
 public:
  Follower() {
    bodies_.resize(1);
    bodies_[0].name = "tip";
    bodies_[0].held = true;
  }
  [[nodiscard]] WorldStatus step(const DeviceState& hand,
                                 WorldOutput& output) HAPTIC_REALTIME override {
    output = WorldOutput{};
    ++steps;
    seen = hand;
    write_pose(hand.pose, pose_);
    output.held_pose = hand.pose;
    coordinate_[0] = static_cast<double>(steps);
    return next_status;
  }
  void reset() HAPTIC_REALTIME override {
    ++resets;
    next_status = WorldStatus::kOk;
  }
  HandCoupling hand_coupling() const HAPTIC_REALTIME override {
    HandCoupling law;
    law.stiffness = stiffness;
    law.rotational_stiffness = 1.0;
    return law;
  }
  const std::vector<BodyInfo>& bodies() const override { return bodies_; }
  const StateLayout& state_layout() const override { return layout_; }
  std::span<const double> state(std::size_t block) const HAPTIC_REALTIME override {
    return block == 0 ? std::span<const double>(pose_) : coordinate_;
  }
  std::span<const Parameter> parameters() const HAPTIC_REALTIME override { return kParameters; }
  double parameter(std::size_t) const HAPTIC_REALTIME override { return stiffness; }
  [[nodiscard]] bool set_parameter(std::size_t, double value) HAPTIC_REALTIME override {
    stiffness = value;
    return true;
  }

  HeldResponse held_response() HAPTIC_REALTIME override {
    ++responses;
    HeldResponse response;
    response.manipulandum = seen.pose;
    response.free = gives_way * Matrix6::Identity();
    response.max_motion = response.max_rotation = gives_way;
    return response;
  }

  [[nodiscard]] bool pull(const Pull& pull) HAPTIC_REALTIME override {
    ++pulls;
    pulled_to = pull.target.x();
    return true;
  }

  double pulled_to = 0.0;
  int pulls = 0;
  std::uint64_t steps = 0, resets = 0, responses = 0;
  double stiffness = 200.0;
  double gives_way = 0.0;  ///< part of the hand's motion that the held body makes within a step
  DeviceState seen;
  WorldStatus next_status = WorldStatus::kOk;

 private:
  static constexpr std::array<Parameter, 1> kParameters = {{{"coupling.stiffness", 1.0, 5000.0}}};
  std::vector<BodyInfo> bodies_;
  StateLayout layout_{body_blocks(1, 1)};
  std::array<double, 7> pose_{};
  std::array<double, 1> coordinate_{};
};

DeviceState at(double x) {
  DeviceState hand;
  hand.pose.position.x() = x;
  return hand;
}

TwoRateWorld::Settings together(std::uint32_t cycles) {
  TwoRateWorld::Settings settings;
  settings.cycles_per_step = cycles;
  return settings;
}

TEST(TwoRateWorld, the_servo_renders_the_newest_step_against_the_present_hand_pose) {
  // Four servo cycles a step: the step begun in cycle 4 k with that hand shows from 4 (k + 1) on.
  Follower world;
  TwoRateWorld servo(world, together(4), nullptr);
  WorldOutput output;
  for (int i = 0; i < 40; ++i) {
    const double x = 1e-3 * i;
    ASSERT_EQ(servo.step(at(x), output), WorldStatus::kOk);
    ASSERT_EQ(world.steps, static_cast<std::uint64_t>(i / 4 + 1));
    ASSERT_EQ(output.manipulandum_pose.position.x(), x);
    if (i < 4) {
      ASSERT_EQ(output.device_wrench.force, Vector3(Vector3::Zero()));
      ASSERT_EQ(output.held_pose.position.x(), x);
      continue;
    }
    const double held = 1e-3 * (i / 4 - 1) * 4;
    ASSERT_EQ(output.world_step, static_cast<std::uint64_t>(i / 4));
    ASSERT_EQ(output.held_pose.position.x(), held);
    ASSERT_NEAR(output.device_wrench.force.x(), -200.0 * (x - held), 1e-12);
    ASSERT_NEAR(output.stored_energy_J, 100.0 * (x - held) * (x - held), 1e-15);
    ASSERT_EQ(servo.state(1)[0], static_cast<double>(i / 4));
  }
}

// The held body of the world is where the hand was; a quarter of what the hand has moved since then
// is rendered, shown and stored. The world is asked once a step, and not after one that has failed.
TEST(TwoRateWorld, the_held_body_gives_way_within_a_step) {
  Follower world;
  world.gives_way = 0.25;
  TwoRateWorld servo(world, together(4), nullptr);
  WorldOutput output;
  for (int i = 0; i < 40; ++i) {
    const double x = 1e-3 * i;
    ASSERT_EQ(servo.step(at(x), output), WorldStatus::kOk);
    ASSERT_EQ(world.responses, world.steps);
    if (i < 4) continue;
    const double held = 1e-3 * (i / 4 - 1) * 4, gap = 0.75 * (x - held);
    ASSERT_NEAR(output.held_pose.position.x(), x - gap, 1e-15);
    ASSERT_NEAR(output.device_wrench.force.x(), -200.0 * gap, 1e-12);
    ASSERT_NEAR(output.stored_energy_J, 100.0 * gap * gap, 1e-15);
    ASSERT_EQ(servo.state(0)[0], held);
  }
  world.next_status = WorldStatus::kDiverged;
  const std::uint64_t asked = world.responses;
  for (int i = 0; i < 4; ++i) ASSERT_EQ(servo.step(at(0.04), output), WorldStatus::kOk);
  EXPECT_EQ(servo.step(at(0.04), output), WorldStatus::kDiverged);
  EXPECT_EQ(world.responses, asked);
}

TEST(TwoRateWorld, two_runs_together_are_the_same_bit_for_bit) {
  std::array<std::vector<double>, 2> forces;
  for (auto& force : forces) {
    Follower world;
    TwoRateWorld servo(world, together(8), nullptr);
    WorldOutput output;
    for (int i = 0; i < 500; ++i) {
      ASSERT_EQ(servo.step(at(0.01 * std::sin(0.05 * i)), output), WorldStatus::kOk);
      force.push_back(output.device_wrench.force.x());
    }
  }
  EXPECT_EQ(forces[0], forces[1]);
}

TEST(TwoRateWorld, the_world_is_told_of_the_buttons) {
  Follower world;
  TwoRateWorld servo(world, together(4), nullptr);
  WorldOutput output;
  DeviceState hand = at(0.0);
  hand.buttons = 0b101;
  for (int i = 0; i < 8; ++i) ASSERT_EQ(servo.step(hand, output), WorldStatus::kOk);
  EXPECT_EQ(world.seen.buttons, 0b101U);
}

TEST(TwoRateWorld, parameters_are_checked_at_once_and_change_with_a_step) {
  Follower world;
  TwoRateWorld servo(world, together(4), nullptr);
  WorldOutput output;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(servo.parameter(0), 200.0);
  EXPECT_FALSE(servo.set_parameter(0, 5001.0));
  EXPECT_FALSE(servo.set_parameter(0, nan));
  EXPECT_FALSE(servo.set_parameter(1, 300.0));
  EXPECT_TRUE(servo.set_parameter(0, 300.0));
  EXPECT_FALSE(servo.set_parameter(0, 400.0));  // the one before is on its way
  for (int i = 0; i < 4; ++i) ASSERT_EQ(servo.step(at(0.0), output), WorldStatus::kOk);
  EXPECT_EQ(world.stiffness, 300.0);
  EXPECT_EQ(servo.parameter(0), 200.0);  // not shown yet
  ASSERT_EQ(servo.step(at(0.001), output), WorldStatus::kOk);
  EXPECT_EQ(servo.parameter(0), 300.0);
  EXPECT_NEAR(output.device_wrench.force.x(), -0.3, 1e-12);
  EXPECT_TRUE(servo.set_parameter(0, 400.0));
}

TEST(TwoRateWorld, the_last_of_several_pulls_reaches_the_world_with_its_next_step) {
  Follower world;
  TwoRateWorld servo(world, together(4), nullptr);
  WorldOutput output;
  Pull pull;
  for (const double x : {1.0, 2.0}) {
    pull.target.x() = x;
    EXPECT_TRUE(servo.pull(pull));
  }
  for (int i = 0; i < 12; ++i) ASSERT_EQ(servo.step(at(0.0), output), WorldStatus::kOk);
  EXPECT_EQ(world.pulls, 1);
  EXPECT_EQ(world.pulled_to, 2.0);
}

TEST(TwoRateWorld, a_failed_step_is_reported_and_a_reset_waits_for_the_world) {
  Follower world;
  TwoRateWorld servo(world, together(4), nullptr);
  WorldOutput output;
  const auto run = [&](int cycles) {
    WorldStatus status = WorldStatus::kOk;
    for (int i = 0; i < cycles; ++i) status = servo.step(at(0.002), output);
    return status;
  };
  EXPECT_EQ(run(8), WorldStatus::kOk);
  world.next_status = WorldStatus::kDiverged;
  EXPECT_EQ(run(5), WorldStatus::kDiverged);  // begun in the first of them, shown in the fifth
  EXPECT_EQ(output.device_wrench.force, Vector3(Vector3::Zero()));
  servo.reset();
  EXPECT_EQ(run(1), WorldStatus::kOk);  // nothing of before the reset is felt
  EXPECT_EQ(output.device_wrench.force, Vector3(Vector3::Zero()));
  EXPECT_EQ(world.resets, 0u);
  EXPECT_EQ(run(8), WorldStatus::kOk);
  EXPECT_EQ(world.resets, 1u);
}

TEST(TwoRateWorld, the_servo_handles_the_clutch) {
  Follower world;
  TwoRateWorld::Settings settings = together(2);
  settings.clutch_button = 0;
  TwoRateWorld servo(world, settings, nullptr);
  WorldOutput output;
  for (int i = 0; i < 4; ++i) ASSERT_EQ(servo.step(at(0.001), output), WorldStatus::kOk);
  DeviceState pressed = at(0.05);
  pressed.buttons = 1;
  ASSERT_EQ(servo.step(pressed, output), WorldStatus::kOk);
  const double frozen = output.manipulandum_pose.position.x();
  pressed.pose.position.x() = -0.05;
  for (int i = 0; i < 5; ++i) ASSERT_EQ(servo.step(pressed, output), WorldStatus::kOk);
  EXPECT_EQ(output.manipulandum_pose.position.x(), frozen);
  EXPECT_EQ(world.seen.pose.position.x(), frozen);
  EXPECT_EQ(world.seen.buttons, 0u);  // or the world would freeze it a second time
  EXPECT_EQ(output.force_scale, 0.0);
  ASSERT_EQ(servo.step(at(-0.04), output), WorldStatus::kOk);
  EXPECT_NEAR(output.manipulandum_pose.position.x(), frozen, 1e-12);
}

TEST(TwoRateWorld, a_world_that_stops_answering_is_an_overload) {
  // simulate() is not called after the first step: 0.1 s of the held target, then a fault.
  VirtualClock clock;
  Follower world;
  TwoRateWorld::Settings settings = together(4);
  settings.threading = TwoRateWorld::Threading::kApart;
  TwoRateWorld servo(world, settings, &clock);
  EXPECT_FALSE(servo.simulate());  // no hand yet
  ScriptedHand hand;
  CommandChannel commands;
  MemorySink sink;
  HapticCycle::Settings cycle_settings;
  cycle_settings.rate_hz = 4000.0;
  cycle_settings.limits.ramp_s = 0.0;
  cycle_settings.engage_at_start = true;
  HapticCycle cycle(hand, servo, clock, commands, sink, cycle_settings);
  Schedule schedule(250'000, clock.now_ns() + 250'000);
  const auto run = [&] {
    clock.sleep_until(schedule.next_ns());
    const std::int64_t woke = clock.now_ns();
    cycle.run(schedule.take(woke), woke);
  };
  run();
  EXPECT_TRUE(servo.simulate());
  hand.state.pose.position.z() = -0.002;  // 1 mm on
  int held = 0;
  while (cycle.state() == ServoState::kEngaged && held < 1000) {
    run();
    if (cycle.state() == ServoState::kEngaged) {
      ASSERT_NEAR(hand.felt.force.z(), 0.2, 1e-12);
      ASSERT_EQ(sink.samples.back().world_step, 1u);
      ASSERT_NEAR(static_cast<double>(sink.samples.back().world_age_ns), 250e3 * (held + 1), 1.0);
    }
    ++held;
  }
  EXPECT_EQ(held, 402);  // 400 periods are 0.1 s; one for the new state, one beyond
  EXPECT_EQ(cycle.sample().fault, FaultKind::kOverload);
  EXPECT_EQ(hand.felt.force, Vector3(Vector3::Zero()));
}

// The world's thread at random moments, also many times between two cycles, with commands: the
// outputs name the steps and their hands well enough to repeat every number.
TEST(TwoRateWorld, what_two_threads_did_is_followed) {
  std::mt19937 random(7);
  const auto chance = [&](double p) { return std::bernoulli_distribution(p)(random); };
  for (const double worlds : {0.2, 0.5, 0.9}) {
    Follower first, second;
    TwoRateWorld::Settings settings = together(4);
    settings.threading = TwoRateWorld::Threading::kApart;
    TwoRateWorld lived(first, settings, nullptr);
    settings.threading = TwoRateWorld::Threading::kFollowing;
    TwoRateWorld followed(second, settings, nullptr);
    WorldOutput was, now;
    std::uint64_t most_new_steps = 0, last = 0;
    for (int i = 0; i < 5000; ++i) {
      while (chance(worlds)) static_cast<void>(lived.simulate());
      if (chance(0.02)) {
        const double stiffness = 100.0 + i % 300;
        ASSERT_EQ(lived.set_parameter(0, stiffness), followed.set_parameter(0, stiffness)) << i;
      }
      if (chance(0.01)) {
        Pull pull;
        pull.target.x() = i;
        ASSERT_TRUE(lived.pull(pull) && followed.pull(pull));
      }
      if (chance(0.01)) {
        lived.reset();
        followed.reset();
      }
      const DeviceState hand = at(1e-3 * std::uniform_real_distribution<double>()(random));
      const WorldStatus status = lived.step(hand, was);
      ASSERT_TRUE(followed.follow(was)) << i;
      ASSERT_EQ(followed.step(hand, now), status) << i;
      ASSERT_EQ(now.world_step, was.world_step) << i;
      ASSERT_EQ(now.world_hand_age, was.world_hand_age) << i;
      ASSERT_EQ(now.held_pose.position, was.held_pose.position) << i;
      ASSERT_EQ(now.device_wrench.force, was.device_wrench.force) << i;
      ASSERT_EQ(followed.parameter(0), lived.parameter(0)) << i;
      ASSERT_EQ(followed.state(1)[0], lived.state(1)[0]) << i;
      most_new_steps = std::max(most_new_steps, was.world_step - last);
      last = was.world_step;
    }
    EXPECT_EQ(first.pulled_to, second.pulled_to);
    EXPECT_GT(last, 500u);
    EXPECT_EQ(most_new_steps, 1u);  // in one thread a cycle shows the step with the hand before
  }
}

TEST(TwoRateWorld, a_step_takes_a_new_hand) {
  Follower world;
  TwoRateWorld::Settings settings = together(4);
  settings.threading = TwoRateWorld::Threading::kApart;
  TwoRateWorld servo(world, settings, nullptr);
  WorldOutput output;
  EXPECT_FALSE(servo.simulate());
  ASSERT_EQ(servo.step(at(1e-3), output), WorldStatus::kOk);
  EXPECT_TRUE(servo.simulate());
  EXPECT_FALSE(servo.simulate());
  ASSERT_EQ(servo.step(at(1e-3), output), WorldStatus::kOk);
  EXPECT_EQ(output.world_step, 1u);
  EXPECT_EQ(output.world_hand_age[0], 1u);
  EXPECT_TRUE(servo.simulate());
  EXPECT_EQ(world.steps, 2u);
}

TEST(TwoRateWorld, steps_that_cannot_follow_are_refused) {
  using Ages = std::array<std::uint32_t, WorldOutput::kHandAges>;
  const auto shown = [](std::uint64_t step, Ages ages) {
    WorldOutput output;
    output.world_step = step;
    output.world_hand_age = ages;
    return output;
  };
  Follower world;
  TwoRateWorld::Settings settings = together(4);
  settings.threading = TwoRateWorld::Threading::kFollowing;
  TwoRateWorld servo(world, settings, nullptr);
  WorldOutput output;
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(servo.follow(shown(0, {})));
    ASSERT_EQ(servo.step(at(1e-3), output), WorldStatus::kOk);
  }
  EXPECT_FALSE(servo.follow(shown(1, {11, 0, 0})));  // before the first hand
  EXPECT_TRUE(servo.follow(shown(1, {10, 0, 0})));   // the first
  EXPECT_FALSE(servo.follow(shown(4, {0, 1, 2})));   // more steps than hands
  EXPECT_FALSE(servo.follow(shown(3, {0, 2, 1})));   // hands that go back
  EXPECT_FALSE(servo.follow(shown(2, {5, 5, 0})));   // two steps with one hand
  EXPECT_FALSE(servo.follow(shown(1, {1u << 31, 0, 0})));
  ASSERT_TRUE(servo.follow(shown(3, {0, 1, 7})));
  ASSERT_EQ(servo.step(at(2e-3), output), WorldStatus::kOk);
  EXPECT_EQ(world.steps, 3u);
  EXPECT_EQ(output.held_pose.position.x(), 2e-3);
  EXPECT_FALSE(servo.follow(shown(2, {0, 0, 0})));  // steps that go back
  EXPECT_FALSE(servo.follow(shown(4, {1, 2, 3})));  // the hand of the step before
  EXPECT_TRUE(servo.follow(shown(4, {0, 1, 2})));
}

// The daemon's arrangement on two threads. What each sees is a step that really was, and under
// ThreadSanitizer nothing is shared but the buffers.
TEST(TwoRateWorld, servo_and_simulation_on_two_threads) {
  struct RealClock final : Clock {
    std::int64_t now_ns() const HAPTIC_REALTIME override {
      return std::chrono::steady_clock::now().time_since_epoch().count();
    }
    void sleep_until(std::int64_t deadline) override {
      while (now_ns() < deadline) std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  };
  RealClock clock;
  MemorySink sink;
  Follower world;
  TwoRateWorld::Settings settings = together(4);
  settings.threading = TwoRateWorld::Threading::kApart;
  settings.timeout_s = 1e6;
  TwoRateWorld servo(world, settings, &clock);
  SimulationLoop loop(servo, clock, sink, 1000.0);
  std::thread simulation([&] { loop.run(); });
  WorldOutput output;
  std::vector<WorldOutput> shown;
  std::uint64_t last = 0;
  bool forward = true, right = true;
  for (int i = 0; i < 2'000'000 && last < 20; ++i) {
    if (i == 500) {
      EXPECT_TRUE(servo.set_parameter(0, 400.0));
    }
    ASSERT_EQ(servo.step(at(1e-6 * i), output), WorldStatus::kOk);
    shown.push_back(output);
    forward = forward && output.world_step >= last;
    last = output.world_step;
    right = right && (last == 0 || servo.state(1)[0] == static_cast<double>(last));
    right = right && output.held_pose.position.x() <= 1e-6 * i;
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
  EXPECT_TRUE(loop.stop_within(10.0));
  simulation.join();
  EXPECT_GE(last, 20u);
  EXPECT_TRUE(forward);
  EXPECT_TRUE(right);

  Follower again;
  settings.threading = TwoRateWorld::Threading::kFollowing;
  TwoRateWorld followed(again, settings, nullptr);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    if (i == 500) {
      EXPECT_TRUE(followed.set_parameter(0, 400.0));
    }
    ASSERT_TRUE(followed.follow(shown[i])) << i;
    ASSERT_EQ(followed.step(at(1e-6 * static_cast<double>(i)), output), WorldStatus::kOk);
    ASSERT_EQ(output.held_pose.position.x(), shown[i].held_pose.position.x()) << i;
    ASSERT_EQ(output.device_wrench.force.x(), shown[i].device_wrench.force.x()) << i;
    ASSERT_EQ(output.world_hand_age, shown[i].world_hand_age) << i;
  }
}

TEST(TwoRateWorld, does_not_allocate) {
  Follower world;
  TwoRateWorld servo(world, together(2), nullptr);
  WorldOutput output;
  const NoAllocation guard;
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(servo.step(at(1e-3 * i), output), WorldStatus::kOk);
    if (i == 7) {
      ASSERT_TRUE(servo.set_parameter(0, 300.0));
    }
    if (i == 11) servo.reset();
  }
}

}  // namespace
}  // namespace haptic
