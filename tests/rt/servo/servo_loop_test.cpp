#include "rt/servo/servo_loop.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <thread>

#include "lab/samples/spring_wall.h"
#include "rt/servo/monotonic_clock.h"
#include "shared/ipc/pulse.h"

namespace haptic {
namespace {

struct Rig {
  VirtualClock clock;
  SpringWall wall{clock};
  ScriptedHand hand;
  CommandChannel commands;
  MemorySink sink;
  HapticCycle cycle{hand, wall, clock, commands, sink, HapticCycle::Settings{}};
  ServoLoop loop{cycle, clock, 1000.0};
};

TEST(ServoLoop, runs_the_wanted_cycles_on_the_grid_and_releases_the_device) {
  Rig rig;
  const std::int64_t begin = rig.clock.now_ns();
  rig.loop.run(100);
  ASSERT_EQ(rig.sink.samples.size(), 100u);
  for (std::int64_t k = 0; k < 100; ++k) {
    const SampleRecord& sample = rig.sink.samples[static_cast<std::size_t>(k)];
    EXPECT_EQ(sample.scheduled_ns, begin + (k + 1) * 1'000'000);
    EXPECT_EQ(sample.wake_ns, 0);
    EXPECT_EQ(sample.missed, 0u);
  }
  EXPECT_EQ(rig.hand.actuations, 101u);  // the last one releases the device
  EXPECT_TRUE(rig.loop.done());
}

TEST(ServoLoop, an_overrun_skips_its_slots_and_keeps_the_grid) {
  Rig rig;
  rig.wall.slow_step = 10;
  rig.wall.slow_step_ns = 3'600'000;
  const std::int64_t begin = rig.clock.now_ns();
  rig.loop.run(20);
  ASSERT_EQ(rig.sink.samples.size(), 20u);
  // Step 10 runs in slot 10 until 13.6 ms: slots 11 and 12 passed whole, slot 13 is under way.
  EXPECT_EQ(rig.sink.samples[9].scheduled_ns, begin + 10'000'000);
  EXPECT_EQ(rig.sink.samples[10].scheduled_ns, begin + 13'000'000);
  EXPECT_EQ(rig.sink.samples[10].wake_ns, 2'600'000);  // after the deadline it should have met
  EXPECT_EQ(rig.sink.samples[10].missed, 2u);
  EXPECT_EQ(rig.sink.samples[11].scheduled_ns, begin + 14'000'000);
  EXPECT_EQ(rig.sink.samples[11].wake_ns, 0);
  EXPECT_EQ(rig.sink.samples[19].missed, 2u);
  EXPECT_EQ(rig.sink.statistics().counters.missed, 2u);
  EXPECT_EQ(rig.sink.statistics().counters.overruns, 1u);
  EXPECT_EQ(rig.wall.steps, 20u);  // skipped slots are not made up for
}

TEST(ServoLoop, late_wake_ups_are_measured) {
  Rig rig;
  rig.clock.oversleep_ns = 70'000;
  rig.loop.run(50);
  EXPECT_EQ(rig.sink.statistics().wake.count(), 50u);
  EXPECT_EQ(rig.sink.statistics().wake.maximum_ns, 70'000u);
  EXPECT_EQ(rig.sink.statistics().counters.missed, 0u);
}

// A second of patience and cycles of a millisecond: the 1001st without a beat is one too many.
TEST(ServoLoop, a_supervisor_without_heartbeat_is_a_fault) {
  Rig rig;
  rig.loop.check_supervisor();
  rig.loop.run(1010);
  EXPECT_EQ(rig.sink.samples[1000].fault, FaultKind::kNone);
  EXPECT_EQ(rig.sink.samples[1001].fault, FaultKind::kSupervisorLost);
  EXPECT_EQ(rig.sink.samples[1001].state, ServoState::kFault);
}

// The guard ends a daemon that no longer beats and takes the device.
TEST(ServoLoop, beats_only_while_outputs_reach_the_motors) {
  for (const bool reaches : {true, false}) {
    Rig rig;
    rig.hand.reaches = reaches;
    const std::string name = "test-beats-" + std::to_string(getpid());
    PulseWriter pulse(name, 1, 1000.0);
    ServoLoop loop(rig.cycle, rig.clock, 1000.0, &pulse);
    loop.run(20);
    EXPECT_EQ(PulseReader(name).beats(), reaches ? 20u : 0u);
    // It does not report an orderly end while a motor may still hold its last torque.
    EXPECT_EQ(PulseReader(name).released(), reaches);
  }
}

// A Falcon's I/O thread sends the loop's outputs a little later, or never if it stalls.
TEST(ServoLoop, does_not_release_the_device_before_its_last_output_is_sent) {
  for (const bool stalls : {false, true}) {
    Rig rig;
    rig.hand.carried_out_after = 7;
    if (stalls) rig.hand.stalls_after = 5;
    const std::string name = "test-carried-" + std::to_string(getpid());
    PulseWriter pulse(name, 1, 1000.0);
    ServoLoop loop(rig.cycle, rig.clock, 1000.0, &pulse);
    loop.stop();
    loop.run(0);
    EXPECT_EQ(rig.cycle.cycles(), stalls ? 5u : 7u);
    EXPECT_EQ(PulseReader(name).released(), !stalls);
  }
}

TEST(ServoLoop, a_supervisor_that_has_not_started_is_not_lost) {
  Rig rig;
  rig.loop.run(1500);
  EXPECT_EQ(rig.sink.samples.back().fault, FaultKind::kNone);
}

// The loop's own running time counts, two periods a cycle at most: a machine that was paused for a
// second as a whole is not a lost supervisor.
TEST(ServoLoop, a_stalled_machine_is_not_taken_for_a_lost_supervisor) {
  Rig rig;
  rig.wall.slow_step = 10;
  rig.wall.slow_step_ns = 5'000'000'000;
  rig.loop.check_supervisor();
  rig.loop.run(500);
  EXPECT_NE(rig.sink.samples.back().fault, FaultKind::kSupervisorLost);
}

TEST(ServoLoop, stops_at_the_request_of_another_thread) {
  MonotonicClock clock;
  VirtualClock work;
  SpringWall wall(work);
  ScriptedHand hand;
  CommandChannel commands;
  MemorySink sink;
  HapticCycle cycle(hand, wall, clock, commands, sink, HapticCycle::Settings{});
  ServoLoop loop(cycle, clock, 1000.0);
  std::thread servo([&] { loop.run(0); });
  while (load_word(sink.statistics().counters.cycles) < 5) std::this_thread::yield();
  loop.stop();
  servo.join();
  EXPECT_TRUE(loop.done());
  EXPECT_EQ(hand.actuations, cycle.cycles() + 1);
}

}  // namespace
}  // namespace haptic
