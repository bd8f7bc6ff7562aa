// The part of a status report that reads the telemetry; its JSON and text: status_report.cpp.
#include "host/monitor/status_report.h"

namespace haptic {

StatusReport read_status(const TelemetryReader& telemetry, SubspaceMonitor* subspace) {
  StatusReport report;
  report.header = telemetry.header();
  report.header.grants = telemetry.grants();
  report.holder = telemetry.holder();
  report.life = telemetry.life();
  report.has_cycle = telemetry.newest(report.newest);
  report.age_s = telemetry.age_s().value_or(0.0);
  report.state = telemetry.state();
  if (!telemetry.display(report.display)) report.display.state.clear();
  report.statistics = telemetry.statistics();
  report.parameters = telemetry.parameters();
  report.events = telemetry.events();
  if (report.events.size() > kShownEvents) {
    report.events.erase(report.events.begin(), report.events.end() - kShownEvents);
  }
  if (subspace != nullptr && report.has_cycle) {
    report.subspace_error = subspace->read(report.parameters, report.newest);
  }
  if (report.has_cycle) {
    report.uptime_s =
        static_cast<double>(report.newest.record.time_ns - report.header.start_monotonic_ns) * 1e-9;
    // Deadlines are absolute: what was not skipped was run.
    const double run = static_cast<double>(report.newest.record.cycle + 1);
    report.measured_rate_hz =
        report.header.rate_hz * run / (run + static_cast<double>(report.newest.record.missed));
  }
  return report;
}

}  // namespace haptic
