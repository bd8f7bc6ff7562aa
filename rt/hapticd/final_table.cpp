#include "rt/hapticd/final_table.h"

#include <fmt/format.h>

namespace haptic {
namespace {

std::string microseconds(const char* label, const Histogram& histogram) {
  const auto us = [&](double p) { return static_cast<double>(histogram.percentile_ns(p)) * 1e-3; };
  return fmt::format("{:<20}p50 {:.1f}   p99 {:.1f}   p99.9 {:.1f}   max {:.1f}\n", label, us(0.5),
                     us(0.99), us(0.999), static_cast<double>(histogram.maximum_ns) * 1e-3);
}

}  // namespace

std::string final_table(const TelemetryReader& telemetry, double seconds) {
  const Statistics statistics = telemetry.statistics();
  const Counters& counters = statistics.counters;
  TelemetrySample last;
  const bool any = telemetry.newest(last);
  std::uint64_t faults = 0;
  for (const std::uint64_t n : counters.faults) faults += n;
  const bool watched = (telemetry.header().grants & kGrantAllocationsWatched) != 0;

  std::string text;
  text += fmt::format("{:<20}{:.6g} Hz (ran {:.3f} s at {:.1f} Hz)\n", "rate",
                      telemetry.header().rate_hz, seconds,
                      seconds > 0.0 ? static_cast<double>(counters.cycles) / seconds : 0.0);
  text += fmt::format("{:<20}{}\n", "cycles", counters.cycles);
  text += fmt::format("{:<20}{}\n", "missed", counters.missed);
  text += fmt::format("{:<20}{} (last cycle)\n", "contacts", any ? last.record.contacts : 0);
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
  return text;
}

}  // namespace haptic
