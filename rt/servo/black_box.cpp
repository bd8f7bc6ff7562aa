#include "rt/servo/black_box.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "shared/error.h"
#include "shared/ipc/event_text.h"

namespace haptic {
namespace {

void append_header(std::string& text, const StateLayout& state) {
  text +=
      "cycle,time_s,state,fault,missed,wake_us,total_us,"
      "hand_x_m,hand_y_m,hand_z_m,hand_qw,hand_qx,hand_qy,hand_qz,hand_vx_m_s,hand_vy_m_s,"
      "hand_vz_m_s,held_x_m,held_y_m,held_z_m,held_qw,held_qx,held_qy,held_qz,"
      "force_x_N,force_y_N,force_z_N,torque_x_Nm,torque_y_Nm,torque_z_Nm,"
      "wanted_x_N,wanted_y_N,wanted_z_N,contact_x_N,contact_y_N,contact_z_N,ramp";
  for (const StateBlock& block : state.blocks()) {
    if (block.rate != StateRate::kCycle) continue;
    for (std::uint64_t i = 0; i < block.size(); ++i) {
      text += fmt::format(",{} ({})", value_name(block, i), block.unit);
    }
  }
  text += '\n';
}

template <std::size_t N>
void append(std::string& text, const double (&values)[N]) {
  for (const double value : values) text += fmt::format(",{:.9g}", value);
}

void append_row(std::string& text, const TelemetrySample& sample, std::int64_t start_ns) {
  const SampleRecord& r = sample.record;
  text += fmt::format("{},{:.9f},{},{},{},{:.1f},{:.1f}", r.cycle,
                      static_cast<double>(r.time_ns - start_ns) * 1e-9, name(r.state),
                      name(r.fault), r.missed, static_cast<double>(r.wake_ns) * 1e-3,
                      static_cast<double>(r.total_ns) * 1e-3);
  append(text, r.device_pose.position_m);
  append(text, r.device_pose.orientation_wxyz);
  append(text, r.device_twist.linear_m_s);
  append(text, r.held_pose.position_m);
  append(text, r.held_pose.orientation_wxyz);
  append(text, r.device_wrench.force_N);
  append(text, r.device_wrench.torque_Nm);
  append(text, r.wanted_wrench.force_N);
  append(text, r.contact_wrench.force_N);
  text += fmt::format(",{:.6g}", r.ramp);
  for (const double value : sample.state) text += fmt::format(",{:.9g}", value);
  text += '\n';
}

/// The events after the cycles; each line begins with '#'.
void append_events(std::string& text, const TelemetryReader& telemetry) {
  const std::int64_t start_ns = telemetry.header().start_monotonic_ns;
  for (const EventRecord& e : telemetry.events()) {
    text += fmt::format("# {:.6f} s, cycle {}: {}\n",
                        static_cast<double>(e.time_ns - start_ns) * 1e-9, e.cycle, event_text(e));
  }
}

std::string utc(std::int64_t realtime_ns) {
  const auto seconds = static_cast<std::time_t>(realtime_ns / 1'000'000'000);
  std::tm parts{};
  char date[32] = {};
  gmtime_r(&seconds, &parts);
  std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &parts);
  return fmt::format("{}.{:03}Z", date, realtime_ns / 1'000'000 % 1000);
}

/// On one line, whatever a file is called.
std::string on_one_line(std::string text) {
  std::ranges::replace_if(
      text, [](unsigned char c) { return c < ' ' || c == 0x7f; }, '?');
  return text;
}

/// The first cycle of the newest fault; a fault before it was reset.
struct Found {
  FaultKind fault = FaultKind::kNone;
  std::uint64_t cycle = 0;
  std::int64_t time_ns = 0;
};

/// What ran where, with which models and parameters; each line begins with '#'.
void append_session(std::string& text, const TelemetryReader& telemetry, const Found& found) {
  const TelemetryHeader& h = telemetry.header();
  utsname system{};
  uname(&system);
  text += fmt::format("# fault: {} in cycle {}, {}\n", name(found.fault), found.cycle,
                      utc(h.start_realtime_ns + found.time_ns - h.start_monotonic_ns));
  text += fmt::format("# host: {}, {} {}\n", system.nodename, system.sysname, system.release);
  text += fmt::format("# hapticd: {}, started {}, process {}\n", h.daemon_version,
                      utc(h.start_realtime_ns), h.daemon_pid);
  text += fmt::format("# device: {}, limits {:g} N, {:g} Nm\n", h.device, h.force_limit_N,
                      h.torque_limit_Nm);
  text += fmt::format("# scene: {}, of {}, {:g} Hz\n", on_one_line(h.scene_path),
                      utc(h.scene_modified_ns), h.rate_hz);
  for (const BodyRecord& body : telemetry.bodies()) {
    if (body.model_hash == 0) continue;
    text += fmt::format("# model: {} of {}, {:016x}\n", on_one_line(body.model_path), body.name,
                        body.model_hash);
  }
  for (const ParameterRecord& parameter : telemetry.parameters()) {
    text += fmt::format("# parameter: {} = {:.9g}\n", parameter.name, parameter.value);
  }
}

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

/// The first of stem.csv, stem-2.csv, ... that does not exist: a restarted daemon may fail in the
/// same cycle as before. @returns no file if none can be created, with errno set
std::pair<std::filesystem::path, File> create_beside_others(const std::filesystem::path& folder,
                                                            const std::string& stem) {
  constexpr int kMost = 100;
  std::filesystem::path path = folder / (stem + ".csv");
  File file(nullptr, &std::fclose);
  for (int copy = 2; copy <= kMost; ++copy) {
    file.reset(std::fopen(path.c_str(), "wx"));
    if (file || errno != EEXIST) break;
    path = folder / fmt::format("{}-{}.csv", stem, copy);
  }
  return {path, std::move(file)};
}

}  // namespace

std::filesystem::path write_black_box(const std::filesystem::path& folder,
                                      const std::string& daemon_name, TelemetryReader& telemetry) {
  telemetry.rewind_to_oldest();
  std::string text;
  append_header(text, telemetry.state());
  TelemetrySample sample;
  Found found;
  FaultKind before = FaultKind::kNone;
  while (telemetry.next(sample)) {
    const SampleRecord& record = sample.record;
    if (record.fault != FaultKind::kNone && before == FaultKind::kNone) {
      found = {record.fault, record.cycle, record.time_ns};
    }
    before = record.fault;
    append_row(text, sample, telemetry.header().start_monotonic_ns);
  }
  append_session(text, telemetry, found);
  append_events(text, telemetry);
  const std::string stem =
      fmt::format("hapticd-{}-{}-cycle{}", daemon_name, name(found.fault), found.cycle);
  const auto [path, file] = create_beside_others(folder, stem);
  if (!file || std::fwrite(text.data(), 1, text.size(), file.get()) != text.size() ||
      std::fflush(file.get()) != 0) {
    throw OperationError(path.string() + ": cannot write: " + std::strerror(errno));
  }
  return path;
}

}  // namespace haptic
