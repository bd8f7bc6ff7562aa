#include "rt/hapticd/final_table.h"

#include <fmt/format.h>

#include <span>

namespace haptic {
namespace {

std::string microseconds(const char* label, const Histogram& histogram) {
  const auto us = [&](double p) { return static_cast<double>(histogram.percentile_ns(p)) * 1e-3; };
  return fmt::format("{:<20}p50 {:.1f}   p99 {:.1f}   p99.9 {:.1f}   max {:.1f}\n", label, us(0.5),
                     us(0.99), us(0.999), static_cast<double>(histogram.maximum_ns) * 1e-3);
}

/// The state blocks of one number, as the last cycle published them; a line each.
std::string last_numbers(const TelemetryReader& telemetry) {
  TelemetrySample last;
  if (!telemetry.newest(last)) return {};
  const StateLayout& layout = telemetry.state();
  std::string text;
  for (std::size_t i = 0; i < layout.blocks().size(); ++i) {
    const StateBlock& block = layout.blocks()[i];
    if (!block.is_number()) continue;
    text += fmt::format("{:<20}{} {:.6g}{}\n", "last cycle", block.name,
                        layout.values(i, std::span(last.state))[0], block.unit_suffix());
  }
  return text;
}

}  // namespace

std::string final_table(const TelemetryReader& telemetry, double seconds) {
  const Statistics statistics = telemetry.statistics();
  const Counters& counters = statistics.counters;
  std::uint64_t faults = 0;
  for (const std::uint64_t n : counters.faults) faults += n;
  const bool watched = (telemetry.header().grants & kGrantAllocationsWatched) != 0;

  std::string text;
  text += fmt::format("{:<20}{:.6g} Hz (ran {:.3f} s at {:.1f} Hz)\n", "rate",
                      telemetry.header().rate_hz, seconds,
                      seconds > 0.0 ? static_cast<double>(counters.cycles) / seconds : 0.0);
  text += fmt::format("{:<20}{}\n", "cycles", counters.cycles);
  text += fmt::format("{:<20}{}\n", "missed", counters.missed);
  text += microseconds("compute [us]", statistics.compute);
  text += microseconds("wake-up [us]", statistics.wake);
  text += microseconds("device [us]", statistics.device);
  text += fmt::format("{:<20}{}\n", "allocations",
                      watched ? fmt::format("{}", counters.allocations) : "not watched");
  text += fmt::format("{:<20}{}\n", "page faults",
                      counters.page_faults_minor + counters.page_faults_major);
  text += fmt::format("{:<20}{}\n", "preemptions", counters.involuntary_switches);
  if ((telemetry.header().grants & kGrantCallsFiltered) != 0) {
    text += fmt::format("{:<20}{}\n", "forbidden calls", counters.forbidden_calls);
  }
  text += fmt::format("{:<20}{}\n", "faults", faults);
  for (const WarningFinding& finding :
       find_warnings(statistics.warnings, telemetry.header().rate_hz)) {
    text += fmt::format("{:<20}{}\n", "warning", finding.text());
  }
  return text + last_numbers(telemetry);
}

}  // namespace haptic
