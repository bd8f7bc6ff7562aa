#include "host/monitor/metrics_text.h"

#include <gtest/gtest.h>

#include <optional>

#include "shared/ipc/telemetry_writer.h"
#include "tests/shared/ipc/test_name.h"

namespace haptic {
namespace {

TelemetryDescription description() {
  TelemetryDescription d;
  d.device = "simulated";
  d.scene_path = "/scenes/sp\"oon.toml";
  d.grants = kGrantFifo | kGrantGuarded;
  d.parameters = {make_parameter_record("limits.force", 0.0, 8.5, 5.0)};
  d.state = StateLayout({{.name = "contact/points", .unit = "1"},
                         {.name = "chain/masses", .unit = "kg", .shape = {2}},
                         {.name = "chain/energy", .unit = "J", .rate = StateRate::kDisplay}});
  return d;
}

class MetricsTextTest : public testing::Test {
 protected:
  void publish(std::int64_t after_start_ns = 2'000'000'000) {
    SampleRecord sample{};
    sample.cycle = 1999;
    sample.time_ns = writer_->header().start_monotonic_ns + after_start_ns;
    sample.state = ServoState::kFault;
    sample.fault = FaultKind::kSpeedLimit;
    sample.device_wrench.force_N[1] = -3.5;
    sample.world_age_ns = 1'500'000;
    const double state[3] = {17.0, 1.0, 2.0};
    writer_->publish(sample, state);
    Counters& counters = writer_->statistics().counters;
    counters.cycles = 2000;
    counters.page_faults_major = 2;
    counters.faults[static_cast<std::size_t>(FaultKind::kSpeedLimit)] = 3;
    writer_->statistics().compute.record(900'000);
  }
  void expect_line(const std::string& line) const {
    const std::string text = "\n" + read_metrics(name_);
    EXPECT_NE(text.find("\n" + line + "\n"), std::string::npos) << line << " in\n" << text;
  }
  std::string daemon() const { return "daemon=\"" + name_ + "\""; }

  std::string name_ = test_name("metrics");
  std::optional<TelemetryWriter> writer_{std::in_place, name_, description()};
};

TEST_F(MetricsTextTest, the_newest_cycle_and_the_counters_are_shown) {
  publish();
  expect_line("haptic_up{" + daemon() + "} 1");
  expect_line("haptic_info{" + daemon() +
              ",scene=\"/scenes/sp\\\"oon.toml\",device=\"simulated\"} 1");
  expect_line("haptic_cycles_total{" + daemon() + "} 2000");
  expect_line("haptic_page_faults_total{" + daemon() + ",kind=\"major\"} 2");
  expect_line("haptic_faults_total{" + daemon() + ",fault=\"speed_limit\"} 3");
  expect_line("haptic_state{" + daemon() + ",state=\"fault\"} 1");
  expect_line("haptic_state{" + daemon() + ",state=\"engaged\"} 0");
  expect_line("haptic_fault{" + daemon() + ",fault=\"speed_limit\"} 1");
  expect_line("haptic_granted{" + daemon() + ",what=\"guard\"} 1");
  expect_line("haptic_granted{" + daemon() + ",what=\"memory_locked\"} 0");
  expect_line("haptic_force_newtons{" + daemon() + ",axis=\"y\"} -3.5");
  expect_line("haptic_uptime_seconds{" + daemon() + "} 2");
  expect_line("haptic_world_age_seconds{" + daemon() + "} 0.0015");
  expect_line("haptic_compute_seconds_count{" + daemon() + "} 1");
  expect_line("haptic_compute_seconds_bucket{" + daemon() + ",le=\"0.000524287\"} 0");
  expect_line("haptic_compute_seconds_bucket{" + daemon() + ",le=\"0.001048575\"} 1");
  expect_line("haptic_parameter{" + daemon() + ",key=\"limits.force\"} 5");
}

TEST_F(MetricsTextTest, blocks_of_one_number_are_shown_once_they_exist) {
  publish();
  expect_line("haptic_world_state{" + daemon() + ",block=\"contact/points\",unit=\"1\"} 17");
  EXPECT_EQ(read_metrics(name_).find("chain/"), std::string::npos);
  const double energy[] = {0.25};
  const std::span<const double> display[] = {energy};
  writer_->publish_display(1999, display);
  expect_line("haptic_world_state{" + daemon() + ",block=\"chain/energy\",unit=\"J\"} 0.25");
}

TEST_F(MetricsTextTest, a_daemon_that_stands_still_is_down) {
  publish(-5'000'000'000);
  expect_line("haptic_up{" + daemon() + "} 0");
  EXPECT_NE(read_metrics(name_).find("\nhaptic_age_seconds{" + daemon() + "} 5."),
            std::string::npos);
}

TEST_F(MetricsTextTest, before_the_first_cycle_there_is_no_state) {
  expect_line("haptic_up{" + daemon() + "} 1");
  EXPECT_EQ(read_metrics(name_).find("haptic_state"), std::string::npos);
}

TEST_F(MetricsTextTest, a_daemon_that_ended_is_down) {
  publish();
  writer_.reset();
  expect_line("haptic_up{" + daemon() + "} 0");
  EXPECT_EQ(read_metrics(name_).find("haptic_cycles_total"), std::string::npos);
}

TEST(MetricsText, a_daemon_that_never_was_is_down_with_the_reason) {
  const std::string text = read_metrics("nobody-of-this-name");
  EXPECT_EQ(text.find("# "), 0u) << text;
  EXPECT_NE(text.find("\nhaptic_up{daemon=\"nobody-of-this-name\"} 0\n"), std::string::npos);
}

}  // namespace
}  // namespace haptic
