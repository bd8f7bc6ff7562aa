#include "host/monitor/status_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "host/files/warning_json.h"
#include "shared/ipc/daemon_life_name.h"
#include "shared/ipc/event_text.h"
#include "shared/ipc/record_fields.h"
#include "shared/math/length.h"
#include "shared/printable.h"

namespace haptic {
namespace {

double microseconds(std::uint64_t ns) {
  return static_cast<double>(ns) * 1e-3;
}

nlohmann::json percentiles(const Histogram& histogram) {
  return {{"p50", microseconds(histogram.percentile_ns(0.5))},
          {"p99", microseconds(histogram.percentile_ns(0.99))},
          {"p999", microseconds(histogram.percentile_ns(0.999))},
          {"max", microseconds(histogram.maximum_ns)}};
}

std::string percentiles_text(const char* label, const Histogram& histogram) {
  return fmt::format(
      "{:<16}p50 {:.1f}  p99 {:.1f}  p99.9 {:.1f}  max {:.1f}\n", label,
      microseconds(histogram.percentile_ns(0.5)), microseconds(histogram.percentile_ns(0.99)),
      microseconds(histogram.percentile_ns(0.999)), microseconds(histogram.maximum_ns));
}

std::uint64_t page_faults(const Counters& counters) {
  return counters.page_faults_minor + counters.page_faults_major;
}

std::uint64_t total_faults(const Counters& counters) {
  std::uint64_t total = 0;
  for (const std::uint64_t n : counters.faults) total += n;
  return total;
}

nlohmann::json vector_json(const double (&v)[3]) {
  return {v[0], v[1], v[2]};
}

std::string vector_text(const double (&v)[3]) {
  return fmt::format("{:.4g} {:.4g} {:.4g}  (|.| {:.4g})", v[0], v[1], v[2],
                     length(v[0], v[1], v[2]));
}

double seconds_of_daemon(const StatusReport& report, std::int64_t time_ns) {
  return static_cast<double>(time_ns - report.header.start_monotonic_ns) * 1e-9;
}

nlohmann::json events_json(const StatusReport& report) {
  nlohmann::json events = nlohmann::json::array();
  for (const EventRecord& event : report.events) {
    events.push_back({{"number", event.number},
                      {"cycle", event.cycle},
                      {"time_s", seconds_of_daemon(report, event.time_ns)},
                      {"text", event_text(event)}});
  }
  return events;
}

nlohmann::json operator_json(const OperatorRecord& holder) {
  if (holder.since_ns == 0) return nullptr;
  return {{"uid", holder.uid}, {"pid", holder.pid}, {"client", holder.client}};
}

std::string guard_text(const StatusReport& report) {
  const std::uint32_t grants = report.header.grants;
  const std::string words = report.guard.empty() ? "" : fmt::format(" ({})", report.guard);
  if ((grants & kGrantGuarded) != 0) return "guarded" + words;
  return ((grants & kGrantMayGoUnguarded) != 0 ? "UNGUARDED (--unguarded)" : "no guard") + words;
}

/// "cow.stiffness 1, density 1, lambda.rim 2e+04": one line for all that share their first word.
std::vector<std::string> parameter_lines(const std::vector<ParameterRecord>& parameters) {
  std::vector<std::string> lines;
  std::string family;
  for (const ParameterRecord& p : parameters) {
    const std::string key = p.name;
    const std::string own = key.substr(0, key.find('.'));
    if (lines.empty() || own != family) {
      lines.push_back(fmt::format("{} {:.6g}", key, p.value));
    } else {
      lines.back() += fmt::format(", {} {:.6g}", key.substr(own.size() + 1), p.value);
    }
    family = own;
  }
  return lines;
}

/// Values of a block in the newest cycle or display snapshot; none before the first.
std::vector<double> block_values(const StatusReport& report, std::size_t block) {
  if (report.state.blocks()[block].rate == StateRate::kCycle) {
    if (!report.has_cycle) return {};
    const auto values = report.state.values(block, std::span(report.newest.state));
    return {values.begin(), values.end()};
  }
  if (report.display.state.empty()) return {};
  const auto values = report.state.values(block, std::span(report.display.state));
  return {values.begin(), values.end()};
}

double largest(const std::vector<double>& values) {
  double most = 0.0;
  for (const double value : values) most = std::max(most, std::abs(value));
  return most;
}

nlohmann::json state_json(const StatusReport& report) {
  nlohmann::json state = nlohmann::json::object();
  for (std::size_t i = 0; i < report.state.blocks().size(); ++i) {
    const StateBlock& block = report.state.blocks()[i];
    const std::vector<double> values = block_values(report, i);
    if (block.shape.empty()) {
      state[block.name] = values.empty() ? nlohmann::json() : nlohmann::json(values[0]);
    } else if (values.size() <= kMaxListedValues) {
      state[block.name] = values;
    } else {
      state[block.name] = {{"values", values.size()}, {"largest", largest(values)}};
    }
  }
  return state;
}

/// "chain/energy 0.0123 J" or "cloth/position 3000 values, largest 0.42 m".
std::string state_line(const StateBlock& block, const std::vector<double>& values) {
  constexpr std::size_t kMaxPerLine = 8;
  if (values.size() > kMaxPerLine) {
    return fmt::format("{} {} values, largest {:.4g}{}", block.name, values.size(), largest(values),
                       block.unit_suffix());
  }
  std::string text = block.name;
  for (const double value : values) text += fmt::format(" {:.4g}", value);
  return text + block.unit_suffix();
}

}  // namespace

double StatusReport::since_s(const WarningFinding& finding) const {
  const std::uint64_t cycle = newest.record.cycle, last = finding.record.last_cycle;
  return cycle > last ? static_cast<double>(cycle - last) / header.rate_hz : 0.0;
}

bool stands_still(const StatusReport& report) {
  return report.life == DaemonLife::kAlive && report.age_s > TelemetryReader::kStandsStill_s;
}

std::string_view state_name(const StatusReport& report) {
  if (report.life != DaemonLife::kAlive) return name(report.life);
  return stands_still(report) ? "stands still" : name(report.newest.record.state);
}

nlohmann::json status_json(const StatusReport& report) {
  const SampleRecord& newest = report.newest.record;
  const Counters& counters = report.statistics.counters;
  nlohmann::json by_kind = nlohmann::json::object();
  for (std::size_t i = 1; i < kFaultKinds; ++i)
    by_kind[std::string(kFaultNames[i])] = counters.faults[i];
  nlohmann::json parameters = nlohmann::json::object();
  for (const ParameterRecord& p : report.parameters) parameters[p.name] = p.value;
  nlohmann::json subspace = nlohmann::json::object();
  for (const BodySubspaceError& e : report.subspace_error) {
    subspace[e.body] = e.known ? nlohmann::json(e.ratio) : nlohmann::json();
  }
  const nlohmann::json world_state = state_json(report);
  const auto granted = [&](GrantBit bit) { return (report.header.grants & bit) != 0; };
  nlohmann::json status = {{"state", state_name(report)},
                           {"age_s", report.age_s},
                           {"fault", name(newest.fault)},
                           {"life", name(report.life)},
                           {"pid", report.header.daemon_pid},
                           {"scene", report.header.scene_path},
                           {"device", report.header.device},
                           {"rate_hz", report.header.rate_hz},
                           {"measured_rate_hz", report.measured_rate_hz},
                           {"uptime_s", report.uptime_s},
                           {"wake_us", percentiles(report.statistics.wake)},
                           {"compute_us", percentiles(report.statistics.compute)},
                           {"device_us", percentiles(report.statistics.device)},
                           {"port_energy_J", newest.port_energy_J},
                           {"port_damping_N_s_m", newest.port_damping_N_s_m},
                           {"port_damping_Nm_s", newest.port_damping_Nm_s},
                           {"world_step", newest.world_step},
                           {"world_age_us", static_cast<double>(newest.world_age_ns) * 1e-3},
                           {"allocations_watched", granted(kGrantAllocationsWatched)},
                           {"page_faults", page_faults(counters)},
                           {"calls_filtered", granted(kGrantCallsFiltered)},
                           {"guarded", granted(kGrantGuarded)},
                           {"guard", report.guard},
                           {"may_go_unguarded", granted(kGrantMayGoUnguarded)},
                           {"operator", operator_json(report.holder)},
                           {"faults", total_faults(counters)},
                           {"faults_by_kind", by_kind},
                           {"ramp", newest.ramp},
                           {"force_N", vector_json(newest.device_wrench.force_N)},
                           {"torque_Nm", vector_json(newest.device_wrench.torque_Nm)},
                           {"wanted_force_N", vector_json(newest.wanted_wrench.force_N)},
                           {"wanted_torque_Nm", vector_json(newest.wanted_wrench.torque_Nm)},
                           {"hand_position_m", vector_json(newest.device_pose.position_m)},
                           {"world_state", world_state},
                           {"physical_warnings", warnings_json(report.physical_warnings())},
                           {"parameters", parameters},
                           {"subspace_error", subspace},
                           {"events", events_json(report)},
                           {"realtime",
                            {{"realtime_kernel", granted(kGrantRealtimeKernel)},
                             {"fifo", granted(kGrantFifo)},
                             {"memory_locked", granted(kGrantMemoryLocked)},
                             {"pinned", granted(kGrantPinned)},
                             {"cpu_dma_latency", granted(kGrantDmaLatency)}}}};
  for (const RecordField& field : kFieldsOf<Counters>) {
    if (field.count > 1) continue;
    status[std::string(field.name)] = element_at<std::uint64_t>(counters, field.offset);
  }
  return status;
}

std::string status_text(const StatusReport& report) {
  const SampleRecord& newest = report.newest.record;
  const Counters& counters = report.statistics.counters;
  const bool watched = (report.header.grants & kGrantAllocationsWatched) != 0;
  std::string text;
  const auto line = [&text](const char* label, const std::string& value) {
    text += fmt::format("{:<16}{}\n", label, printable(value));
  };
  std::string state(state_name(report));
  if (newest.fault != FaultKind::kNone) state += fmt::format(" ({})", name(newest.fault));
  if (stands_still(report)) {
    state += fmt::format(": no cycle for {:.1f} s, the last one was {}", report.age_s,
                         name(newest.state));
  }
  line("state", state);
  line("scene", report.header.scene_path);
  line("device", fmt::format("{}, {}", report.header.device, guard_text(report)));
  line("rate", fmt::format("{:g} Hz (measured {:.1f} Hz over {:.1f} s)", report.header.rate_hz,
                           report.measured_rate_hz, report.uptime_s));
  line("cycles", fmt::format("{}, missed {}, overruns {}", counters.cycles, counters.missed,
                             counters.overruns));
  text += percentiles_text("wake-up [us]", report.statistics.wake);
  text += percentiles_text("compute [us]", report.statistics.compute);
  text += percentiles_text("device [us]", report.statistics.device);
  line(
      "last cycle [us]",
      fmt::format(
          "sense {:.1f}  couple {:.1f}  touch {:.1f}  move {:.1f}  feel {:.1f}  publish {:.1f}",
          static_cast<double>(newest.sense_ns) * 1e-3, static_cast<double>(newest.couple_ns) * 1e-3,
          static_cast<double>(newest.touch_ns) * 1e-3, static_cast<double>(newest.move_ns) * 1e-3,
          static_cast<double>(newest.feel_ns) * 1e-3,
          static_cast<double>(newest.publish_ns) * 1e-3));
  for (std::size_t i = 0; i < report.state.blocks().size(); ++i) {
    const std::vector<double> values = block_values(report, i);
    if (!values.empty()) line("state", state_line(report.state.blocks()[i], values));
  }
  for (const WarningFinding& finding : report.physical_warnings()) {
    line("warning", fmt::format("{} (last {:.1f} s ago)", finding.text(), report.since_s(finding)));
  }
  line("newest cycle", fmt::format("{:.3f} s ago", report.age_s));
  line("force [N]", vector_text(newest.device_wrench.force_N));
  line("torque [N m]", vector_text(newest.device_wrench.torque_Nm));
  line("in the loop", fmt::format("allocations {}, page faults {}, preemptions {}",
                                  watched ? fmt::format("{}", counters.allocations) : "not watched",
                                  page_faults(counters), counters.involuntary_switches));
  line("faults", fmt::format("{}", total_faults(counters)));
  line("commands", fmt::format("{} applied, {} refused, {} malformed", counters.commands_applied,
                               counters.commands_refused, counters.command_garbage));
  line("operator", report.holder.since_ns == 0
                       ? "none"
                       : fmt::format("user {}, process {} ({})", report.holder.uid,
                                     report.holder.pid, report.holder.client));
  for (const std::string& parameters : parameter_lines(report.parameters)) {
    line("parameters", parameters);
  }
  for (const EventRecord& event : report.events) {
    line("event", fmt::format("{:.3f} s, cycle {}: {}", seconds_of_daemon(report, event.time_ns),
                              event.cycle, event_text(event)));
  }
  return text;
}

}  // namespace haptic
