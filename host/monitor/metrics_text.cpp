#include "host/monitor/metrics_text.h"

#include <fmt/format.h>

#include <span>
#include <string_view>
#include <utility>

#include "host/monitor/metric_lines.h"
#include "shared/error.h"

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

void counters(MetricLines& out, const Counters& c) {
  const auto counter = [&out](std::string_view name, std::uint64_t value, std::string_view help) {
    out.begin(name, "counter", help);
    out.count(value);
  };
  counter("haptic_cycles_total", c.cycles, "Cycles of the loop.");
  counter("haptic_missed_slots_total", c.missed, "Slots of the loop that were skipped.");
  counter("haptic_world_missed_slots_total", c.world_missed,
          "Slots that a world at a rate of its own skipped.");
  counter("haptic_overruns_total", c.overruns, "Cycles whose work did not fit in one period.");
  counter("haptic_allocations_total", c.allocations, "Calls of the allocator inside the loop.");
  out.begin("haptic_page_faults_total", "counter", "Page faults of the loop.");
  out.count(c.page_faults_minor, {{"kind", "minor"}});
  out.count(c.page_faults_major, {{"kind", "major"}});
  out.begin("haptic_involuntary_switches_total", "counter", "Preemptions of a loop.");
  out.count(c.involuntary_switches, {{"thread", "servo"}});
  out.count(c.world_involuntary_switches, {{"thread", "simulation"}});
  counter("haptic_forbidden_calls_total", c.forbidden_calls,
          "System calls that the loops' filter refused.");
  counter("haptic_limited_cycles_total", c.limited_cycles, "Cycles whose wrench a limit cut.");
  out.begin("haptic_commands_total", "counter", "Commands of operators.");
  out.count(c.commands_applied, {{"result", "applied"}});
  out.count(c.commands_refused, {{"result", "refused"}});
  out.count(c.command_garbage, {{"result", "malformed"}});
  counter("haptic_dropped_messages_total", c.dropped_messages,
          "Lines for the journal that found its queue full.");
  counter("haptic_black_boxes_total", c.black_boxes, "Fault records written.");
  out.begin("haptic_faults_total", "counter", "Faults by kind.");
  for (std::size_t i = 1; i < kFaultKinds; ++i) {
    out.count(c.faults[i], {{"fault", std::string(kFaultNames[i])}});
  }
}

void durations(MetricLines& out, const Statistics& statistics) {
  out.begin("haptic_wake_seconds", "histogram", "Lateness of a wake-up after its deadline.");
  out.histogram(statistics.wake);
  out.begin("haptic_compute_seconds", "histogram", "Wake-up to the end of a cycle's work.");
  out.histogram(statistics.compute);
  out.begin("haptic_device_seconds", "histogram", "Exchange with the device in a cycle.");
  out.histogram(statistics.device);
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
  gauge("haptic_ramp_ratio", newest.ramp, "Scale of the force, 0 to 1.");
  vector("haptic_force_newtons", newest.device_wrench.force_N, "Force on the hand, after limits.");
  vector("haptic_torque_newton_metres", newest.device_wrench.torque_Nm,
         "Torque on the hand, after limits.");
  vector("haptic_hand_position_metres", newest.device_pose.position_m, "The hand, device frame.");
  gauge("haptic_port_energy_joules", newest.port_energy_J,
        "Energy that the hand's side has taken since engaging.");
  gauge("haptic_world_age_seconds", static_cast<double>(newest.world_age_ns) * 1e-9,
        "Age of the world's state when it was rendered.");
  out.begin("haptic_world_steps_total", "counter", "Steps of the world.");
  out.count(newest.world_step);
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
  counters(out, report.statistics.counters);
  durations(out, report.statistics);
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
