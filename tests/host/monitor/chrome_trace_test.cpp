#include "host/monitor/chrome_trace.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace haptic {
namespace {

/// A number without a unit, one with a unit, and a block of two.
const StateLayout kLayout({{.name = "contact/points", .unit = "1"},
                           {.name = "chain/energy", .unit = "J"},
                           {.name = "chain/forces", .unit = "N", .shape = {2}}});

TelemetrySample sample(std::uint64_t cycle, std::int64_t time_ns) {
  TelemetrySample s;
  SampleRecord& r = s.record;
  r.cycle = cycle;
  r.world_step = cycle + 1;
  r.time_ns = time_ns;
  r.wake_ns = 20'000;
  r.sense_ns = 1'000;
  r.couple_ns = 2'000;
  r.touch_ns = 3'000;
  r.move_ns = 4'000;
  r.feel_ns = 500;
  r.publish_ns = 700;
  r.total_ns = 1'000 + 9'100 + 500 + 700;  // 100 ns of the world in no stage
  r.state = ServoState::kEngaged;
  s.state = {7.0, 0.25, 1.0, 2.0};
  r.device_wrench.force_N[0] = 3.0;
  r.device_wrench.force_N[2] = -4.0;
  return s;
}

nlohmann::json trace_of(const std::vector<TelemetrySample>& samples,
                        const std::vector<EventRecord>& happened = {}) {
  TelemetryHeader header{};
  header.daemon_pid = 42;
  header.start_monotonic_ns = 1'000'000;
  return nlohmann::json::parse(chrome_trace(header, kLayout, samples, happened)).at("traceEvents");
}

std::vector<nlohmann::json> named(const nlohmann::json& events, const std::string& name) {
  std::vector<nlohmann::json> found;
  for (const nlohmann::json& event : events) {
    if (event.at("name") == name) found.push_back(event);
  }
  return found;
}

TEST(ChromeTrace, cycles_and_stages_have_their_start_and_duration) {
  const nlohmann::json events = trace_of({sample(10, 6'000'000), sample(11, 7'000'000)});
  const auto cycles = named(events, "cycle");
  ASSERT_EQ(cycles.size(), 2u);
  EXPECT_EQ(cycles[0].at("ph"), "X");
  EXPECT_EQ(cycles[0].at("pid"), 42);
  EXPECT_EQ(cycles[0].at("ts"), 5000.0);  // us since the daemon's start
  EXPECT_NEAR(cycles[0].at("dur"), 11.3, 1e-9);
  EXPECT_NEAR(cycles[1].at("dur"), 10.6, 1e-9);  // the time of its publishing is not known yet
  EXPECT_EQ(cycles[0].at("args").at("cycle"), 10);
  EXPECT_EQ(cycles[0].at("args").at("state"), "engaged");
  const std::pair<const char*, double> begins[] = {{"sense", 5000.0}, {"couple", 5001.0},
                                                   {"touch", 5003.0}, {"move", 5006.0},
                                                   {"feel", 5010.1},  {"publish", 5010.6}};
  for (const auto& [stage, begin] : begins) {
    const auto found = named(events, stage);
    ASSERT_FALSE(found.empty()) << stage;
    EXPECT_NEAR(found[0].at("ts"), begin, 1e-9) << stage;
  }
  EXPECT_EQ(named(events, "publish").size(), 1u);
  const auto late = named(events, "wake-up");
  EXPECT_NEAR(late[0].at("ts"), 4980.0, 1e-9);
  EXPECT_NEAR(late[0].at("dur"), 20.0, 1e-9);
  EXPECT_NEAR(named(events, "force [N]")[0].at("args").at("value"), 5.0, 1e-12);
  EXPECT_EQ(named(events, "contact/points")[0].at("args").at("value"), 7.0);
  EXPECT_EQ(named(events, "chain/energy [J]")[0].at("args").at("value"), 0.25);
  EXPECT_TRUE(named(events, "chain/forces [N]").empty());
}

TEST(ChromeTrace, a_world_with_a_lower_rate_is_not_shown_in_the_cycle) {
  TelemetrySample s = sample(10, 6'000'000);
  s.record.world_step = 3;
  const nlohmann::json events = trace_of({s});
  EXPECT_TRUE(named(events, "touch").empty());
  ASSERT_EQ(named(events, "couple").size(), 1u);
  EXPECT_NEAR(named(events, "couple")[0].at("dur"), 9.1, 1e-9);
}

TEST(ChromeTrace, missed_slots_lost_cycles_and_faults_are_marked) {
  TelemetrySample faulty = sample(13, 9'000'000);
  faulty.record.missed = 2;
  faulty.record.state = ServoState::kFault;
  faulty.record.fault = FaultKind::kStaleCommand;
  faulty.record.device_wrench.force_N[0] = std::numeric_limits<double>::quiet_NaN();
  const nlohmann::json events = trace_of({sample(10, 6'000'000), faulty});
  EXPECT_EQ(named(events, "2 slots missed").size(), 1u);
  EXPECT_EQ(named(events, "2 cycles lost here").size(), 1u);
  EXPECT_EQ(named(events, "fault").size() + named(events, "fault stale_command").size(), 2u);
  EXPECT_EQ(named(events, "force [N]").size(), 1u);  // NaN is not written as a counter
}

TEST(ChromeTrace, numbers_that_are_not_finite_are_left_out_and_the_text_stays_json) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::vector<TelemetrySample> samples = {sample(10, 6'000'000), sample(11, 7'000'000),
                                          sample(12, 8'000'000)};
  samples[0].record.device_wrench.force_N[1] = kInfinity;
  samples[1].record.device_wrench.force_N[1] = kNan;
  samples[0].state = {kNan, -kInfinity, kNan, kNan};
  samples[1].state = {kInfinity, kNan, 0.0, 0.0};
  const std::string text = chrome_trace(TelemetryHeader{}, kLayout, samples, {});
  EXPECT_EQ(text.find("null"), std::string::npos);  // as which the library writes them
  EXPECT_EQ(text.find("nan"), std::string::npos);
  EXPECT_EQ(text.find("inf"), std::string::npos);
  const nlohmann::json events = nlohmann::json::parse(text).at("traceEvents");
  EXPECT_EQ(named(events, "cycle").size(), 3u);
  for (const char* counter : {"force [N]", "contact/points", "chain/energy [J]"}) {
    const auto found = named(events, counter);
    ASSERT_EQ(found.size(), 1u) << counter;  // of the last cycle
    EXPECT_EQ(found[0].at("ts"), 8000.0) << counter;
  }
}

/// An operator's mark in cycle 10, at 6.5 ms.
EventRecord mark_of(const char* text) {
  EventRecord mark{};
  mark.kind = EventKind::kCommand;
  mark.command = CommandKind::kMark;
  mark.answer = CommandAnswer::kApplied;
  mark.cycle = 10;
  mark.time_ns = 6'500'000;
  std::strcpy(mark.text, text);
  return mark;
}

TEST(ChromeTrace, a_label_that_is_no_utf8_is_escaped) {
  const EventRecord mark = mark_of("a\xff\"b");
  const nlohmann::json events = trace_of({sample(10, 6'000'000), sample(11, 7'000'000)}, {mark});
  EXPECT_EQ(named(events, "mark \"a\\xff\"b\" by user 0, process 0 (): applied").size(), 1u);
}

TEST(ChromeTrace, progress_rises_with_the_samples) {
  std::vector<double> told;
  chrome_trace(
      TelemetryHeader{}, kLayout,
      {sample(1, 1'000'000), sample(2, 2'000'000), sample(3, 3'000'000), sample(4, 4'000'000)}, {},
      [&](double fraction) { told.push_back(fraction); });
  EXPECT_EQ(told, (std::vector<double>{0.0, 0.25, 0.5, 0.75}));
}

TEST(ChromeTrace, commands_and_marks_of_operators_stand_at_their_times) {
  const EventRecord mark = mark_of("trial 3");
  EventRecord early = mark, late = mark;
  early.time_ns = 5'999'999;
  late.cycle = 12;
  late.time_ns = 8'000'000;
  const nlohmann::json events =
      trace_of({sample(10, 6'000'000), sample(11, 7'000'000)}, {early, mark, late});
  const auto found = named(events, "mark \"trial 3\" by user 0, process 0 (): applied");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].at("ph"), "i");
  EXPECT_EQ(found[0].at("ts"), 5500.0);  // us since the daemon's start
}

}  // namespace
}  // namespace haptic
