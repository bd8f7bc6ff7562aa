#include "host/monitor/status_report.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

#include "shared/ipc/telemetry_writer.h"
#include "tests/shared/ipc/test_name.h"

namespace haptic {
namespace {

/// A daemon at cycle 1999, two seconds old, in a fault.
class StatusReportTest : public testing::Test {
 protected:
  StatusReportTest() : writer_(name_, description()) {
    SampleRecord sample{};
    sample.cycle = 1999;
    sample.time_ns = writer_.header().start_monotonic_ns + 2'000'000'000;
    sample.state = ServoState::kFault;
    sample.fault = FaultKind::kSpeedLimit;
    sample.missed = 500;
    sample.port_energy_J = -0.25;
    sample.device_wrench.force_N[1] = -3.5;
    sample.device_wrench.torque_Nm[2] = 0.25;
    const double state[5] = {1.0, 2.0, 3.0, 0.125, 40.0};
    writer_.publish(sample, state);
    const std::vector<double> positions(300, -0.75);
    const std::span<const double> display[] = {positions};
    writer_.publish_display(1, display);
    Statistics& statistics = writer_.statistics();
    statistics.counters.cycles = 2000;
    statistics.counters.missed = 3;
    statistics.counters.page_faults_minor = 1;
    statistics.counters.page_faults_major = 2;
    statistics.counters.faults[static_cast<std::size_t>(FaultKind::kSpeedLimit)] = 1;
    statistics.counters.faults[static_cast<std::size_t>(FaultKind::kOperatorStop)] = 4;
    for (int i = 0; i < 1000; ++i) statistics.compute.record(50'000);
    statistics.compute.record(900'000);
    statistics.wake.record(8'000);
  }
  static TelemetryDescription description() {
    TelemetryDescription d;
    d.device = "simulated";
    d.scene_path = "/scenes/spoon.toml";
    d.grants = kGrantFifo | kGrantAllocationsWatched;
    d.parameters = {make_parameter_record("limits.force", 0.0, 8.5, 5.0),
                    make_parameter_record("spoon.stiffness", 1e-3, 1e3, 1.5),
                    make_parameter_record("spoon.density", 1e-2, 1e2, 1.0)};
    d.bodies = {make_body_record("spoon", "/nowhere/spoon.h5", 7, 0, 3, false)};
    d.state = StateLayout({{.name = "bodies/coordinates",
                            .unit = "m kg^1/2",
                            .shape = {3},
                            .display = StateDisplay::kReducedCoordinates},
                           {.name = "chain/energy", .unit = "J"},
                           {.name = "chain/masses", .unit = "1"},
                           {.name = "chain/position",
                            .unit = "m",
                            .shape = {100, 3},
                            .display = StateDisplay::kVertices,
                            .rate = StateRate::kDisplay}});
    return d;
  }

  std::string name_ = test_name("status");
  TelemetryWriter writer_;
};

TEST_F(StatusReportTest, a_loop_without_a_cycle_for_a_second_stands_still) {
  StatusReport report = read_status(TelemetryReader(name_));
  EXPECT_EQ(status_json(report)["age_s"], 0.0);  // this cycle is in the future
  report.newest.record.state = ServoState::kEngaged;
  report.newest.record.fault = FaultKind::kNone;
  report.age_s = 1.0;
  EXPECT_EQ(status_json(report)["state"], "engaged");
  report.age_s = 3.5;
  EXPECT_EQ(status_json(report)["state"], "stands still");
  EXPECT_EQ(status_json(report)["life"], "alive");
  EXPECT_EQ(status_text(report).substr(0, status_text(report).find('\n')),
            "state           stands still: no cycle for 3.5 s, the last one was engaged");
  report.life = DaemonLife::kClosed;
  EXPECT_EQ(status_json(report)["state"], "closed");
}

TEST_F(StatusReportTest, every_state_block_is_shown) {
  const StatusReport report = read_status(TelemetryReader(name_));
  const nlohmann::json state = status_json(report)["world_state"];
  EXPECT_EQ(state["bodies/coordinates"], (std::vector<double>{1.0, 2.0, 3.0}));
  EXPECT_EQ(state["chain/energy"], 0.125);
  EXPECT_EQ(state["chain/position"]["values"], 300);
  EXPECT_EQ(state["chain/position"]["largest"], 0.75);
  const std::string text = status_text(report);
  EXPECT_NE(text.find("state           chain/energy 0.125 J\n"), std::string::npos) << text;
  EXPECT_NE(text.find("state           chain/masses 40\n"), std::string::npos);
  EXPECT_NE(text.find("chain/position 300 values, largest 0.75 m\n"), std::string::npos);
}

TEST_F(StatusReportTest, json_has_every_documented_key) {
  const nlohmann::json status = status_json(read_status(TelemetryReader(name_)));
  for (const char* key :
       {"state", "rate_hz", "cycles", "missed", "wake_us", "compute_us", "world_state",
        "allocations", "page_faults", "faults", "force_N", "torque_Nm"}) {
    EXPECT_TRUE(status.contains(key)) << key;
  }
  for (const char* timing : {"wake_us", "compute_us", "device_us"}) {
    for (const char* key : {"p50", "p99", "p999", "max"}) {
      EXPECT_TRUE(status[timing].contains(key)) << timing << "." << key;
    }
  }
  EXPECT_EQ(status["state"], "fault");
  EXPECT_EQ(status["fault"], "speed_limit");
  EXPECT_EQ(status["rate_hz"], 1000.0);
  EXPECT_EQ(status["measured_rate_hz"], 800.0);  // 2000 of 2500 slots
  EXPECT_NEAR(status["uptime_s"].get<double>(), 2.0, 1e-9);
  EXPECT_EQ(status["cycles"], 2000);
  EXPECT_EQ(status["missed"], 3);
  EXPECT_EQ(status["port_energy_J"], -0.25);
  EXPECT_EQ(status["page_faults"], 3);
  EXPECT_EQ(status["faults"], 5);
  EXPECT_EQ(status["faults_by_kind"]["operator_stop"], 4);
  EXPECT_EQ(status["force_N"][1], -3.5);
  EXPECT_EQ(status["torque_Nm"][2], 0.25);
  EXPECT_EQ(status["realtime"]["fifo"], true);
  EXPECT_EQ(status["realtime"]["memory_locked"], false);
  // A bucket's width of 1/64.
  EXPECT_NEAR(status["compute_us"]["p50"].get<double>(), 50.0, 50.0 / 64.0);
  EXPECT_EQ(status["compute_us"]["max"], 900.0);
}

TEST_F(StatusReportTest, parameters_have_a_line_a_family_and_a_missing_model_is_null) {
  const TelemetryReader telemetry(name_);
  SubspaceMonitor subspace(telemetry);
  const StatusReport report = read_status(telemetry, &subspace);
  const nlohmann::json status = status_json(report);
  EXPECT_EQ(status["parameters"]["limits.force"], 5.0);
  EXPECT_EQ(status["parameters"]["spoon.stiffness"], 1.5);
  ASSERT_TRUE(status["subspace_error"].contains("spoon"));
  EXPECT_TRUE(status["subspace_error"]["spoon"].is_null());
  const std::string text = status_text(report);
  EXPECT_NE(text.find("spoon.stiffness 1.5, density 1\n"), std::string::npos) << text;
  EXPECT_NE(text.find("limits.force 5\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("/nowhere/spoon.h5"), std::string::npos) << "of readers of its page only";
}

TEST_F(StatusReportTest, what_is_not_a_number_is_shown_so) {
  SampleRecord sample{};
  sample.device_wrench.force_N[0] = std::numeric_limits<double>::quiet_NaN();
  writer_.publish(sample, std::vector<double>(5, 0.0));
  const StatusReport report = read_status(TelemetryReader(name_));
  EXPECT_NE(status_text(report).find("nan 0 0  (|.| nan)"), std::string::npos)
      << status_text(report);
  EXPECT_NE(status_json(report).dump().find("\"force_N\":[null,0.0,0.0]"), std::string::npos);
}

TEST_F(StatusReportTest, a_physical_warning_stays_with_its_time) {
  EXPECT_TRUE(status_json(read_status(TelemetryReader(name_)))["physical_warnings"].empty());
  EXPECT_EQ(status_text(read_status(TelemetryReader(name_))).find("warning"), std::string::npos);
  writer_.statistics().warnings[0] = {
      .cycles = 400, .last_cycle = 999, .spell = 300, .longest_spell = 300, .largest = 0.875};
  const StatusReport report = read_status(TelemetryReader(name_));
  const nlohmann::json warnings = status_json(report)["physical_warnings"];
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0]["name"], kPhysicalWarnings[0].name);
  EXPECT_EQ(warnings[0]["held_s"], 0.4);
  EXPECT_EQ(warnings[0]["last_cycle"], 999);
  EXPECT_EQ(warnings[0]["largest"], 0.875);
  const std::string text = status_text(report);
  EXPECT_NE(text.find("warning         " + warnings[0]["text"].get<std::string>() +
                      " (last 1.0 s ago)\n"),
            std::string::npos)
      << text;
}

TEST_F(StatusReportTest, text_names_the_fault) {
  const std::string text = status_text(read_status(TelemetryReader(name_)));
  EXPECT_NE(text.find("fault (speed_limit)"), std::string::npos) << text;
  EXPECT_NE(text.find("2000, missed 3"), std::string::npos) << text;
}

}  // namespace
}  // namespace haptic
