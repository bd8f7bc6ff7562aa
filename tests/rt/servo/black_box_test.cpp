#include "rt/servo/black_box.h"

#include <gtest/gtest.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "shared/error.h"
#include "shared/ipc/telemetry_writer.h"
#include "tests/shared/ipc/test_name.h"

namespace haptic {
namespace {

TEST(BlackBox, keeps_the_last_seconds_with_the_fault_in_its_name) {
  const std::string name = test_name("box");
  TelemetryDescription description;
  description.ring_seconds = 0.25;
  description.state = StateLayout({{.name = "bodies/coordinates",
                                    .unit = "m kg^1/2",
                                    .meaning = "",
                                    .shape = {2},
                                    .display = StateDisplay::kReducedCoordinates}});
  description.device = "falcon";
  description.force_limit_N = 3.0;
  description.torque_limit_Nm = 0.5;
  description.scene_path = "/scenes/a\nb.toml";
  description.scene_modified_ns = 2'500'000'000;
  description.rate_hz = 500.0;
  description.bodies = {make_body_record("spoon", "/models/spoon.h5", 0xabcd, 0, 2, false)};
  description.parameters = {make_parameter_record("coupling.stiffness", 0.0, 1e3, 400.0)};
  TelemetryWriter writer(name, description);
  const TelemetryHeader& header = writer.header();
  for (std::uint64_t cycle = 0; cycle < 600; ++cycle) {
    SampleRecord sample{};
    sample.cycle = cycle;
    sample.time_ns = header.start_monotonic_ns + 2'000'000 * static_cast<std::int64_t>(cycle);
    sample.wake_ns = 12'500;
    sample.state = cycle < 500 ? ServoState::kEngaged : ServoState::kFault;
    sample.fault = cycle < 500 ? FaultKind::kNone : FaultKind::kSpeedLimit;
    sample.device_wrench.force_N[2] = cycle < 500 ? 1.5 : 0.0;
    const double q[] = {0.25, -0.5};
    writer.publish(sample, q);
  }
  TelemetryReader reader(name);
  const auto folder = std::filesystem::temp_directory_path();
  const auto path = write_black_box(folder, name, reader);
  EXPECT_EQ(path.filename().string(), "hapticd-" + name + "-speed_limit-cycle500.csv");
  std::ifstream file(path);
  std::vector<std::string> lines;
  std::string session;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) {
      session += line + '\n';
    } else {
      lines.push_back(line);
    }
  }
  ASSERT_EQ(lines.size(), 1u + 256u);
  // Cycle 500 is a second after the start.
  const auto second = static_cast<std::time_t>(header.start_realtime_ns / 1'000'000'000 + 1);
  char date[32] = {};
  std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", std::gmtime(&second));
  EXPECT_TRUE(session.starts_with("# fault: speed_limit in cycle 500, " + std::string(date)))
      << session;
  for (const char* const part :
       {"\n# host: ", "\n# hapticd: ", "\n# device: falcon, limits 3 N, 0.5 Nm\n",
        "\n# scene: /scenes/a?b.toml, of 1970-01-01T00:00:02.500Z, 500 Hz\n",
        "\n# model: /models/spoon.h5 of spoon, 000000000000abcd\n",
        "\n# parameter: coupling.stiffness = 400\n"}) {
    EXPECT_NE(session.find(part), std::string::npos) << part << session;
  }
  EXPECT_EQ(lines[0].substr(0, 12), "cycle,time_s");
  EXPECT_EQ(lines[1].substr(0, 4), "344,");
  const auto fields = [](const std::string& line) {
    std::vector<std::string> result;
    std::istringstream stream(line);
    for (std::string field; std::getline(stream, field, ',');) result.push_back(field);
    return result;
  };
  ASSERT_EQ(fields(lines[1]).size(), fields(lines[0]).size());
  EXPECT_EQ(fields(lines[0]).back(), "bodies/coordinates[1] (m kg^1/2)");
  EXPECT_EQ(fields(lines[1])[1], "0.688000000");  // s
  EXPECT_EQ(fields(lines[1])[2], "engaged");
  EXPECT_EQ(fields(lines[1])[5], "12.5");  // us
  EXPECT_EQ(fields(lines[256])[3], "speed_limit");
  EXPECT_EQ(fields(lines[256]).back(), "-0.5");
  // A record is never overwritten.
  const auto size = std::filesystem::file_size(path);
  const auto again = write_black_box(folder, name, reader);
  EXPECT_EQ(again.filename(), path.stem().string() + "-2.csv");
  const auto third = write_black_box(folder, name, reader);
  EXPECT_EQ(third.filename(), path.stem().string() + "-3.csv");
  EXPECT_EQ(std::filesystem::file_size(path), size);
  for (const auto& record : {path, again, third}) std::filesystem::remove(record);
}

TEST(BlackBox, is_named_after_the_newest_of_two_faults) {
  const std::string name = test_name("two");
  TelemetryDescription description;
  description.ring_seconds = 0.25;
  TelemetryWriter writer(name, description);
  for (std::uint64_t cycle = 0; cycle < 200; ++cycle) {
    SampleRecord sample{};
    sample.cycle = cycle;
    if (cycle >= 50 && cycle < 100) sample.fault = FaultKind::kDeviceLost;  // then reset
    if (cycle >= 150) sample.fault = FaultKind::kStaleInput;
    writer.publish(sample, {});
  }
  TelemetryReader reader(name);
  const auto path = write_black_box(std::filesystem::temp_directory_path(), name, reader);
  EXPECT_EQ(path.filename().string(), "hapticd-" + name + "-stale_input-cycle150.csv");
  std::filesystem::remove(path);
}

TEST(BlackBox, says_why_it_cannot_write) {
  const std::string name = test_name("nowhere");
  const TelemetryWriter writer(name, TelemetryDescription{});
  TelemetryReader reader(name);
  EXPECT_THROW(write_black_box("/nonexistent-folder", name, reader), OperationError);
}

}  // namespace
}  // namespace haptic
