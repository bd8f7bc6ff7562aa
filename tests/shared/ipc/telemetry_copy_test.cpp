// A copy of a telemetry segment, also while the loop publishes.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "shared/ipc/telemetry_reader.h"
#include "shared/ipc/telemetry_writer.h"
#include "tests/shared/ipc/test_name.h"

namespace haptic {
namespace {

TelemetryDescription description_of_copied() {
  TelemetryDescription description;
  description.ring_seconds = 0.25;  // 256 samples
  description.state = StateLayout({{.name = "values",
                                    .unit = "1",
                                    .meaning = "",
                                    .shape = {},
                                    .display = StateDisplay::kScalar}});
  return description;
}

void publish_copied(TelemetryWriter& writer, std::uint64_t cycle) {
  SampleRecord sample{};
  sample.cycle = cycle;
  sample.missed = 3 * cycle;
  const double value = 2.0 * static_cast<double>(cycle);
  writer.publish(sample, {&value, 1});
}

TelemetryReader copy_of(const TelemetryReader& reader) {
  return {"copy", reader.copy()};
}

TEST(TelemetryCopy, of_a_ring_that_is_not_full_is_short) {
  const std::string name = test_name("copy-short");
  TelemetryWriter writer(name, description_of_copied());
  for (std::uint64_t cycle = 0; cycle < 5; ++cycle) publish_copied(writer, cycle);
  const TelemetryReader reader(name);
  TelemetryReader copy = copy_of(reader);
  EXPECT_EQ(copy.header().ring_capacity, 8u);
  EXPECT_EQ(reader.header().ring_capacity, 256u);
  TelemetrySample sample;
  for (std::uint64_t cycle = 0; cycle < 5; ++cycle) {
    ASSERT_TRUE(copy.next(sample));
    EXPECT_EQ(sample.record.cycle, cycle);
    EXPECT_EQ(sample.state.at(0), 2.0 * static_cast<double>(cycle));
  }
  EXPECT_FALSE(copy.next(sample));
}

TEST(TelemetryCopy, before_the_first_cycle_is_empty) {
  const std::string name = test_name("copy-empty");
  const TelemetryWriter writer(name, description_of_copied());
  TelemetryReader copy = copy_of(TelemetryReader(name));
  TelemetrySample sample;
  EXPECT_FALSE(copy.next(sample));
  EXPECT_FALSE(copy.newest(sample));
  EXPECT_TRUE(copy.events().empty());
}

TEST(TelemetryCopy, keeps_the_numbers_of_events_that_wrapped_around) {
  const std::string name = test_name("copy-events");
  TelemetryWriter writer(name, description_of_copied());
  for (std::size_t i = 0; i < kEventCapacity + 5; ++i) writer.publish_event({});
  const TelemetryReader copy = copy_of(TelemetryReader(name));
  ASSERT_EQ(copy.events().size(), kEventCapacity);
  EXPECT_EQ(copy.events().front().number, 5u);
}

TEST(TelemetryCopy, outlives_the_segment) {
  const std::string name = test_name("copy-outlives");
  auto writer = std::make_unique<TelemetryWriter>(name, description_of_copied());
  publish_copied(*writer, 0);
  TelemetryReader copy = copy_of(TelemetryReader(name));
  writer.reset();
  TelemetrySample sample;
  EXPECT_TRUE(copy.next(sample));
  EXPECT_EQ(copy.life(), DaemonLife::kClosed);
}

TEST(TelemetryCopy, has_whole_samples_in_order_while_the_loop_publishes) {
  const std::string name = test_name("copy-live");
  TelemetryWriter writer(name, description_of_copied());
  for (std::uint64_t cycle = 0; cycle < 300; ++cycle) publish_copied(writer, cycle);
  std::atomic<bool> stop{false};
  std::thread loop([&] {
    for (std::uint64_t cycle = 300; !stop; ++cycle) publish_copied(writer, cycle);
  });
  const TelemetryReader reader(name);
  for (int i = 0; i < 200; ++i) {
    TelemetryReader copy = copy_of(reader);
    std::uint64_t before = 0, samples = 0;
    for (TelemetrySample sample; copy.next(sample); ++samples) {
      const std::uint64_t cycle = sample.record.cycle;
      ASSERT_TRUE(samples == 0 || cycle > before);
      ASSERT_EQ(sample.record.missed, 3 * cycle);
      ASSERT_EQ(sample.state.at(0), 2.0 * static_cast<double>(cycle));
      before = cycle;
    }
    // A loop without pauses may overwrite entries while they are copied; none is counted twice.
    ASSERT_EQ(samples + copy.lost(), 256u);
  }
  stop = true;
  loop.join();
}

}  // namespace
}  // namespace haptic
