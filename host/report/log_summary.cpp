#include "host/report/log_summary.h"

#include <algorithm>
#include <cmath>

#include "host/log/log_quantity.h"
#include "shared/error.h"

namespace haptic {
namespace {

constexpr double kBinsADecade = 40.0;

LogExtreme extreme_of(const LogReader& log, const std::vector<double>& time,
                      const std::string& name) {
  const LogQuantity quantity = find_quantity(log, name);
  const std::vector<double> values = read_quantity(log, quantity, 0, log.rows());
  LogExtreme extreme{quantity.name, quantity.components[0].unit, 0.0, time.front()};
  for (std::size_t row = 0; row < values.size(); ++row) {
    if (!(std::abs(values[row]) > extreme.value)) continue;
    extreme.value = std::abs(values[row]);
    extreme.time = time[row];
  }
  return extreme;
}

/// The value below or at which the fraction `p` of the sorted values lies.
double percentile(const std::vector<double>& sorted, double p) {
  const auto rank = static_cast<std::size_t>(std::ceil(p * static_cast<double>(sorted.size())));
  return sorted[std::clamp<std::size_t>(rank, 1, sorted.size()) - 1];
}

CycleTimes times_of(const LogReader& log, std::string name, const std::string& column) {
  std::vector<double> us = log.column(column);
  for (double& t : us) t *= 1e-3;
  std::ranges::sort(us);
  CycleTimes times{std::move(name), percentile(us, 0.5), percentile(us, 0.99),
                   percentile(us, 0.999), us.back()};
  // The first bin has everything up to 0.1 us.
  const auto bin_of = [](double value) {
    return value <= 0.1
               ? 0
               : static_cast<std::size_t>(std::ceil(kBinsADecade * std::log10(10.0 * value)));
  };
  const std::size_t first = bin_of(us.front());
  times.counts.resize(bin_of(us.back()) + 1 - first);
  for (const double value : us) ++times.counts[bin_of(value) - first];
  for (std::size_t i = 0; i < times.counts.size(); ++i) {
    times.bins.push_back(0.1 * std::pow(10.0, static_cast<double>(first + i) / kBinsADecade));
  }
  return times;
}

void add_faults(const LogReader& log, LogSummary& summary) {
  double before = 0.0;
  for (const double fault : log.column("/samples/fault")) {
    if (fault != before && fault != 0.0) {
      const std::string text(name(static_cast<FaultKind>(static_cast<std::uint32_t>(fault))));
      if (std::ranges::find(summary.faults, text) == summary.faults.end()) {
        summary.faults.push_back(text);
      }
    }
    before = fault;
  }
}

}  // namespace

LogSummary summary_of(const LogReader& log) {
  if (log.rows() == 0) throw InputError(log.path().string(), "", "no rows", "a log with rows");
  const std::vector<double> time = log.times();
  const std::vector<double> cycle = log.column("/samples/cycle");
  LogSummary summary{.rows = log.rows(), .first_s = time.front(), .last_s = time.back()};
  summary.lost = log.lost_samples();
  summary.lost_events = lost_events(log.events());
  for (std::size_t row = 1; row < cycle.size(); ++row) {
    if (cycle[row] > cycle[row - 1] + 1.0) ++summary.gaps;
  }
  std::uint64_t engaged = 0;
  for (const double state : log.column("/samples/state")) {
    if (state == static_cast<double>(ServoState::kEngaged)) ++engaged;
  }
  summary.engaged_s = static_cast<double>(engaged) / log.description().rate_hz;
  for (const double limited : log.column("/samples/limited")) {
    const auto bits = static_cast<std::uint32_t>(limited);
    if ((bits & ~std::uint32_t{kLimitedRamp}) != 0) ++summary.limited;
    if ((bits & kLimitedRamp) != 0) ++summary.ramped;
  }
  for (const double force : log.column("/samples/device_force_N")) {
    if (!std::isfinite(force)) ++summary.not_finite;
  }
  add_faults(log, summary);
  for (const char* name :
       {"device_force.norm", "device_torque.norm", "wanted_force.norm", "contact_force.norm",
        "contact_torque.norm", "device_velocity.norm", "gap.norm", "port_energy"}) {
    summary.extremes.push_back(extreme_of(log, time, name));
  }
  for (const StateBlock& block : log.description().state.blocks()) {
    if (block.is_number() && block.display == StateDisplay::kScalar) {
      summary.extremes.push_back(extreme_of(log, time, block.name));
    }
  }
  if (log.description().timing) {
    summary.times.push_back(times_of(log, "compute", "/timing/total_ns"));
    summary.times.push_back(times_of(log, "wake-up", "/timing/wake_ns"));
    const std::vector<double> missed = log.column("/timing/missed");
    summary.missed = static_cast<std::uint64_t>(std::max(0.0, missed.back() - missed.front()));
  }
  return summary;
}

std::vector<std::uint64_t> rows_of_strongest_contact(const LogReader& log, std::size_t most) {
  const std::uint64_t rows = log.rows();
  std::vector<double> force = read_quantity(log, find_quantity(log, "contact_force.norm"), 0, rows);
  const std::uint64_t apart = rows / 10 + 1;
  std::vector<std::uint64_t> result;
  while (result.size() < most) {
    std::uint64_t best = 0;
    for (std::uint64_t row = 0; row < rows; ++row) {
      if (force[row] > force[best]) best = row;
    }
    if (!(force[best] > 0.0)) break;
    result.push_back(best);
    const std::uint64_t begin = best > apart ? best - apart : 0;
    for (std::uint64_t row = begin; row < std::min(rows, best + apart); ++row) force[row] = 0.0;
  }
  if (result.empty() && rows > 0) {
    for (const std::uint64_t row : {std::uint64_t{0}, rows / 2, rows - 1}) {
      if (result.size() < most && (result.empty() || row != result.back())) result.push_back(row);
    }
  }
  return result;
}

}  // namespace haptic
