#include "host/monitor/metrics_text.h"

#include <fmt/format.h>

#include <cctype>
#include <span>
#include <string_view>
#include <utility>

#include "host/monitor/metric_lines.h"
#include "shared/error.h"
#include "shared/ipc/record_fields.h"

namespace haptic {
namespace {

constexpr char kAxes[] = "xyz";

void up(MetricLines& out, bool is_up) {
  out.begin("haptic_up", "gauge", "1 while the daemon's loop runs and can be read.");
  out.count(is_up ? 1 : 0);
}

void identity(MetricLines& out, const StatusReport& report) {
  const TelemetryHeader& header = report.header;
  out.begin("haptic_info", "gauge", "The scene and the device of the daemon.");
  out.count(1, {{"scene", header.scene_path}, {"device", header.device}});
  out.begin("haptic_start_time_seconds", "gauge", "Start of the daemon, since 1970.");
  out.value(static_cast<double>(header.start_realtime_ns) * 1e-9);
  out.begin("haptic_rate_hertz", "gauge", "Rate of the loop that the scene asks for.");
  out.value(header.rate_hz);
  out.begin("haptic_force_limit_newtons", "gauge", "Largest force on the hand.");
  out.value(header.force_limit_N);
  out.begin("haptic_torque_limit_newton_metres", "gauge", "Largest torque on the hand.");
  out.value(header.torque_limit_Nm);
  out.begin("haptic_granted", "gauge", "1 for what the system granted to the loop.");
  for (const auto& [bit, what] : {std::pair{kGrantRealtimeKernel, "realtime_kernel"},
                                  {kGrantFifo, "fifo"},
                                  {kGrantMemoryLocked, "memory_locked"},
                                  {kGrantPinned, "pinned"},
                                  {kGrantDmaLatency, "cpu_dma_latency"},
                                  {kGrantAllocationsWatched, "allocations_watched"},
                                  {kGrantCallsFiltered, "calls_filtered"},
                                  {kGrantGuarded, "guard"}}) {
    out.count((header.grants & bit) != 0 ? 1 : 0, {{"what", what}});
  }
  out.begin("haptic_operator", "gauge", "1 while an operator holds the device.");
  out.count(report.holder.since_ns == 0 ? 0 : 1);
}

/// "Cycles of the loop." of the meaning of a field.
std::string help_of(const RecordField& field) {
  std::string help(field.meaning);
  help[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(help[0])));
  return help + '.';
}

/// {"kind", "minor"} of "kind=minor"; none of an empty label.
MetricLabels labels_of(std::string_view label) {
  if (label.empty()) return {};
  const std::size_t equals = label.find('=');
  return {{label.substr(0, equals), std::string(label.substr(equals + 1))}};
}

/// The fields of a record that have a metric, by their types.
template <class Record>
void declared(MetricLines& out, const Record& record) {
  std::string_view begun;
  for (const RecordField& field : kFieldsOf<Record>) {
    if (field.metric.empty()) continue;
    if (field.metric != begun) out.begin(field.metric, metric_type(field), help_of(field));
    begun = field.metric;
    if (field.type == FieldType::kRecord) {
      out.histogram(element_at<Histogram>(record, field.offset));
    } else if (field.type == FieldType::kFloat64) {
      out.value(element_at<double>(record, field.offset));
    } else if (field.count == 1) {
      out.count(element_at<std::uint64_t>(record, field.offset), labels_of(field.label));
    } else {
      for (std::size_t i = 1; i < kFaultKinds; ++i) {
        out.count(element_at<std::uint64_t>(record, field.offset + i * sizeof(std::uint64_t)),
                  {{field.label, std::string(kFaultNames[i])}});
      }
    }
  }
}

void warnings(MetricLines& out, const Statistics& statistics) {
  out.begin("haptic_warning_cycles_total", "counter",
            "Cycles of the scene in which the condition of a physical warning held.");
  for (std::size_t i = 0; i < kPhysicalWarningCount; ++i) {
    out.count(statistics.warnings[i].cycles, {{"warning", std::string(kPhysicalWarnings[i].name)}});
  }
}

void newest_cycle(MetricLines& out, const StatusReport& report) {
  const SampleRecord& newest = report.newest.record;
  const auto gauge = [&out](std::string_view name, double value, std::string_view help) {
    out.begin(name, "gauge", help);
    out.value(value);
  };
  const auto vector = [&out](std::string_view name, const double(&v)[3], std::string_view help) {
    out.begin(name, "gauge", help);
    for (int i = 0; i < 3; ++i) out.value(v[i], {{"axis", std::string(1, kAxes[i])}});
  };
  out.begin("haptic_state", "gauge", "1 for the state of the servo.");
  for (std::size_t i = 0; i < kServoStateNames.size(); ++i) {
    out.count(newest.state == static_cast<ServoState>(i) ? 1 : 0,
              {{"state", std::string(kServoStateNames[i])}});
  }
  out.begin("haptic_fault", "gauge", "1 for the fault that holds the servo.");
  for (std::size_t i = 1; i < kFaultKinds; ++i) {
    out.count(newest.fault == static_cast<FaultKind>(i) ? 1 : 0,
              {{"fault", std::string(kFaultNames[i])}});
  }
  gauge("haptic_age_seconds", report.age_s, "Age of the newest cycle.");
  gauge("haptic_uptime_seconds", report.uptime_s, "Start of the daemon to its newest cycle.");
  gauge("haptic_measured_rate_hertz", report.measured_rate_hz, "Cycles run per second of slots.");
  vector("haptic_force_newtons", newest.device_wrench.force_N, "Force on the hand, after limits.");
  vector("haptic_torque_newton_metres", newest.device_wrench.torque_Nm,
         "Torque on the hand, after limits.");
  vector("haptic_hand_position_metres", newest.device_pose.position_m, "The hand, device frame.");
  gauge("haptic_world_age_seconds", static_cast<double>(newest.world_age_ns) * 1e-9,
        "Age of the world's state when it was rendered.");
  declared(out, newest);
}

/// Blocks of one number; a unit is a label, for a world names its blocks itself.
void world_state(MetricLines& out, const StatusReport& report) {
  out.begin("haptic_world_state", "gauge", "State of the world: blocks of one number.");
  const std::span<const StateBlock> blocks = report.state.blocks();
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (!blocks[i].shape.empty()) continue;
    const MetricLabels labels = {{"block", blocks[i].name}, {"unit", blocks[i].unit}};
    if (blocks[i].rate == StateRate::kCycle) {
      out.value(report.state.values(i, std::span(report.newest.state))[0], labels);
    } else if (!report.display.state.empty()) {
      out.value(static_cast<double>(report.state.values(i, std::span(report.display.state))[0]),
                labels);
    }
  }
}

}  // namespace

std::string metrics_text(const std::string& daemon_name, const StatusReport& report) {
  MetricLines out({{"daemon", daemon_name}});
  up(out, !stands_still(report));
  identity(out, report);
  declared(out, report.statistics.counters);
  declared(out, report.statistics);
  warnings(out, report.statistics);
  out.begin("haptic_parameter", "gauge", "Parameters that `haptic set` may change.");
  for (const ParameterRecord& p : report.parameters) out.value(p.value, {{"key", p.name}});
  if (report.has_cycle) {
    newest_cycle(out, report);
    world_state(out, report);
  }
  return out.text();
}

std::string metrics_text_without_daemon(const std::string& daemon_name, const std::string& reason) {
  MetricLines out({{"daemon", daemon_name}});
  out.comment(reason);
  up(out, false);
  return out.text();
}

std::string read_metrics(const std::string& daemon_name) {
  try {
    TelemetryReader telemetry(daemon_name);
    // The telemetry was opened during a change of the scene.
    if (telemetry.life() == DaemonLife::kReplaced) telemetry = TelemetryReader(daemon_name);
    const StatusReport report = read_status(telemetry);
    if (report.life == DaemonLife::kAlive || report.life == DaemonLife::kReplaced) {
      return metrics_text(daemon_name, report);
    }
    return metrics_text_without_daemon(
        daemon_name, fmt::format("hapticd \"{}\" (process {}) has ended", daemon_name,
                                 report.header.daemon_pid));
  } catch (const InputError& error) {
    return metrics_text_without_daemon(daemon_name, error.what());
  } catch (const OperationError& error) {
    return metrics_text_without_daemon(daemon_name, error.what());
  }
}

}  // namespace haptic
