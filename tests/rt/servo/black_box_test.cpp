#include "rt/servo/black_box.h"

#include <gtest/gtest.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "shared/error.h"
#include "shared/ipc/black_box_layout.h"
#include "shared/ipc/telemetry_writer.h"
#include "tests/shared/ipc/test_name.h"

namespace haptic {
namespace {

namespace fs = std::filesystem;

/// A folder for the files of one test.
class Folder {
 public:
  explicit Folder(const std::string& name) : path_(fs::temp_directory_path() / name) {
    fs::create_directory(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  operator const fs::path&() const { return path_; }  // NOLINT

 private:
  fs::path path_;
};

std::string content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// 600 cycles of 2 ms with a ring of 256; the fault is in cycle 500.
TelemetryDescription description() {
  TelemetryDescription description;
  description.ring_seconds = 0.25;
  description.rate_hz = 500.0;
  description.state = StateLayout({{.name = "bodies/coordinates",
                                    .unit = "m kg^1/2",
                                    .meaning = "",
                                    .shape = {2},
                                    .display = StateDisplay::kReducedCoordinates}});
  description.version = "1.2.3";
  description.device = "falcon";
  description.scene_path = "/scenes/a.toml";
  description.bodies = {make_body_record("spoon", "/models/spoon.h5", 0xabcd, 0, 2, false)};
  description.parameters = {make_parameter_record("coupling.stiffness", 0.0, 1e3, 400.0)};
  return description;
}

void run(TelemetryWriter& writer) {
  for (std::uint64_t cycle = 0; cycle < 600; ++cycle) {
    SampleRecord sample{};
    sample.cycle = cycle;
    sample.time_ns =
        writer.header().start_monotonic_ns + 2'000'000 * static_cast<std::int64_t>(cycle);
    sample.state = cycle < 500 ? ServoState::kEngaged : ServoState::kFault;
    sample.fault = cycle < 500 ? FaultKind::kNone : FaultKind::kSpeedLimit;
    const double q[] = {0.25 * static_cast<double>(cycle), -0.5};
    writer.publish(sample, q);
  }
}

TEST(BlackBox, keeps_the_last_seconds_with_the_fault_in_its_name) {
  const std::string name = test_name("box");
  const Folder folder(name);
  TelemetryWriter writer(name, description());
  run(writer);
  EventRecord event{};
  event.kind = EventKind::kFault;
  event.fault = FaultKind::kSpeedLimit;
  writer.publish_event(event);
  TelemetryReader reader(name);
  const fs::path path = write_black_box(folder, name, reader, {"rate_hz = 500\n", "kind = 1\n"});
  EXPECT_EQ(path.filename().string(), "hapticd-" + name + "-speed_limit-cycle500.box");

  const std::string bytes = content(path);
  BlackBoxHeader header{};
  ASSERT_GE(bytes.size(), sizeof header);
  std::memcpy(&header, bytes.data(), sizeof header);
  EXPECT_EQ(header.magic, BlackBoxHeader::kMagic);
  EXPECT_EQ(header.checksum, header_checksum(header));
  EXPECT_EQ(header.fault, FaultKind::kSpeedLimit);
  EXPECT_EQ(header.fault_cycle, 500u);
  // Cycle 500 is a second after the start.
  EXPECT_EQ(header.date_ns, writer.header().start_realtime_ns + 1'000'000'000);
  EXPECT_STREQ(header.daemon_version, "1.2.3");
  utsname machine{};
  ASSERT_EQ(uname(&machine), 0);
  EXPECT_STREQ(header.host, machine.nodename);
  EXPECT_TRUE(std::string(header.kernel).starts_with(machine.sysname));
  EXPECT_EQ(bytes.substr(sizeof header + header.telemetry.size), "rate_hz = 500\nkind = 1\n");

  std::vector<std::uint64_t> words(header.telemetry.size / 8);
  std::memcpy(words.data(), bytes.data() + sizeof header, words.size() * 8);
  TelemetryReader copy(path, std::move(words));
  EXPECT_EQ(copy.life(), DaemonLife::kClosed);
  EXPECT_STREQ(copy.bodies().at(0).name, "spoon");
  EXPECT_EQ(copy.parameters().at(0).value, 400.0);
  ASSERT_EQ(copy.events().size(), 1u);
  EXPECT_EQ(copy.events()[0].fault, FaultKind::kSpeedLimit);
  std::uint64_t cycle = 344;  // the oldest of 256
  for (TelemetrySample sample; copy.next(sample); ++cycle) {
    ASSERT_EQ(sample.record.cycle, cycle);
    ASSERT_EQ(sample.state, (std::vector<double>{0.25 * static_cast<double>(cycle), -0.5}));
  }
  EXPECT_EQ(cycle, 600u);
  EXPECT_EQ(copy.lost(), 0u);
}

TEST(BlackBox, is_named_after_the_newest_of_two_faults) {
  const std::string name = test_name("two");
  const Folder folder(name);
  TelemetryDescription short_ring;
  short_ring.ring_seconds = 0.25;
  TelemetryWriter writer(name, short_ring);
  for (std::uint64_t cycle = 0; cycle < 200; ++cycle) {
    SampleRecord sample{};
    sample.cycle = cycle;
    if (cycle >= 50 && cycle < 100) sample.fault = FaultKind::kDeviceLost;  // then reset
    if (cycle >= 150) sample.fault = FaultKind::kStaleInput;
    writer.publish(sample, {});
  }
  TelemetryReader reader(name);
  const fs::path path = write_black_box(folder, name, reader, {});
  EXPECT_EQ(path.filename().string(), "hapticd-" + name + "-stale_input-cycle150.box");
}

TEST(BlackBox, says_why_it_cannot_write) {
  const std::string name = test_name("nowhere");
  const TelemetryWriter writer(name, TelemetryDescription{});
  TelemetryReader reader(name);
  EXPECT_THROW(write_black_box("/nonexistent-folder", name, reader, {}), OperationError);
}

}  // namespace
}  // namespace haptic
