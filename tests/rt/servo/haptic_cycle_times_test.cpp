// Times that a cycle reports: each part, and their sum.

#include <gtest/gtest.h>

#include <cstdint>

#include "lab/samples/spring_wall.h"
#include "rt/servo/haptic_cycle.h"

namespace haptic {
namespace {

// Times whose sums and differences are all different [ns].
constexpr std::int64_t kLate = 1'000, kSense = 3'000, kWorld = 50'000, kFeel = 7'000,
                       kPublish = 11'000, kMore = 130;

/// A hand whose exchanges take time.
class SlowHand final : public Device {
 public:
  explicit SlowHand(VirtualClock& clock) : clock_(clock) {}
  const DeviceCapabilities& capabilities() const HAPTIC_REALTIME override {
    return hand_.capabilities();
  }
  [[nodiscard]] DeviceStatus sense(DeviceState& sensed) HAPTIC_REALTIME override {
    clock_.pass(sense_ns);
    return hand_.sense(sensed);
  }
  void set_enabled(bool on) HAPTIC_REALTIME override { hand_.set_enabled(on); }
  [[nodiscard]] DeviceStatus actuate(const Wrench& wrench) HAPTIC_REALTIME override {
    clock_.pass(feel_ns);
    return hand_.actuate(wrench);
  }

  std::int64_t sense_ns = kSense, feel_ns = kFeel;

 private:
  VirtualClock& clock_;
  ScriptedHand hand_;
};

/// A reader of samples that takes time to take them.
class SlowSink final : public CycleSink {
 public:
  explicit SlowSink(VirtualClock& clock) : clock_(clock) {}
  void publish(const SampleRecord& sample, std::span<const double> state) HAPTIC_REALTIME override {
    clock_.pass(publish_ns);
    memory_.publish(sample, state);
  }
  void publish_display(std::uint64_t cycle,
                       std::span<const std::span<const double>> blocks) HAPTIC_REALTIME override {
    memory_.publish_display(cycle, blocks);
  }
  void publish_parameter(std::size_t index, double value) HAPTIC_REALTIME override {
    memory_.publish_parameter(index, value);
  }
  Statistics& statistics() HAPTIC_REALTIME override { return memory_.statistics(); }
  const SampleRecord& last() const { return memory_.samples.back(); }

  std::int64_t publish_ns = kPublish;

 private:
  VirtualClock& clock_;
  MemorySink memory_;
};

TEST(CycleTimes, the_total_is_the_sum_of_the_parts) {
  VirtualClock clock;
  SpringWall wall(clock);
  wall.work_ns = kWorld;
  SlowHand hand(clock);
  SlowSink sink(clock);
  CommandChannel commands;
  HapticCycle cycle(hand, wall, clock, commands, sink, {});
  Schedule schedule(1'000'000, clock.now_ns() + 1'000'000);
  std::int64_t woke = 0;
  const auto run = [&] {
    clock.sleep_until(schedule.next_ns());
    clock.pass(kLate);
    woke = clock.now_ns();
    const Slot slot = schedule.take(woke);
    cycle.run(slot, woke);
  };

  // A sample is written before it is published: it carries the time that the last one took.
  run();
  EXPECT_EQ(sink.last().publish_ns, 0);
  EXPECT_EQ(sink.last().total_ns, kSense + kWorld + kFeel);
  run();
  EXPECT_EQ(sink.last().time_ns, woke);
  EXPECT_EQ(sink.last().wake_ns, kLate);
  EXPECT_EQ(sink.last().sense_ns, kSense);
  EXPECT_EQ(sink.last().couple_ns, kWorld);
  EXPECT_EQ(sink.last().feel_ns, kFeel);
  EXPECT_EQ(sink.last().publish_ns, kPublish);
  EXPECT_EQ(sink.last().total_ns, kSense + kWorld + kFeel + kPublish);

  // Any part that takes longer lengthens the total by as much.
  hand.sense_ns += kMore;
  run();
  EXPECT_EQ(sink.last().total_ns, kSense + kWorld + kFeel + kPublish + kMore);
  wall.work_ns += 2 * kMore;
  run();
  EXPECT_EQ(sink.last().total_ns, kSense + kWorld + kFeel + kPublish + 3 * kMore);
  hand.feel_ns += 4 * kMore;
  run();
  EXPECT_EQ(sink.last().total_ns, kSense + kWorld + kFeel + kPublish + 7 * kMore);
  sink.publish_ns += 8 * kMore;
  run();  // heard of in the next sample
  EXPECT_EQ(sink.last().total_ns, kSense + kWorld + kFeel + kPublish + 7 * kMore);
  run();
  EXPECT_EQ(sink.last().total_ns, kSense + kWorld + kFeel + kPublish + 15 * kMore);

  // The statistics: of the wake-up, of the whole from it on, of the device's two exchanges.
  const Statistics& statistics = sink.statistics();
  EXPECT_EQ(statistics.wake.count(), 7u);
  EXPECT_EQ(statistics.wake.maximum_ns, static_cast<std::uint64_t>(kLate));
  EXPECT_EQ(statistics.compute.maximum_ns,
            static_cast<std::uint64_t>(kSense + kWorld + kFeel + kPublish + 15 * kMore));
  EXPECT_EQ(statistics.device.maximum_ns, static_cast<std::uint64_t>(kSense + kFeel + 5 * kMore));
  EXPECT_EQ(statistics.counters.overruns, 0u);
}

TEST(CycleTimes, a_cycle_is_an_overrun_from_one_nanosecond_beyond_its_period) {
  VirtualClock clock;
  SpringWall wall(clock);
  SlowHand hand(clock);
  SlowSink sink(clock);
  CommandChannel commands;
  HapticCycle cycle(hand, wall, clock, commands, sink, {});
  Schedule schedule(1'000'000, clock.now_ns() + 1'000'000);
  const auto run = [&](std::int64_t total_ns) {
    wall.work_ns = total_ns - kSense - kFeel - kPublish;
    clock.sleep_until(schedule.next_ns());
    const std::int64_t woke = clock.now_ns();
    cycle.run(schedule.take(woke), woke);
    return sink.statistics().counters.overruns;
  };
  EXPECT_EQ(run(1'000'000), 0u);
  EXPECT_EQ(run(1'000'001), 1u);
  EXPECT_EQ(run(1'000'000), 1u);
}

}  // namespace
}  // namespace haptic
