#include "rt/contact/level_schedule.h"

#include <fmt/format.h>

#include <cmath>

#include "shared/error.h"

namespace haptic {

LevelSchedule::LevelSchedule(const DegradationSettings& settings) : settings_(settings) {
  if (!(settings.cold_ratio > 0.0) || !(settings.cold_ratio <= 1.0)) {
    throw InputError("contact", "cold_ratio", fmt::format("found {}", settings.cold_ratio),
                     "a number > 0, at most 1");
  }
  if (!(settings.contact_nodes >= 0.0) || !std::isfinite(settings.contact_nodes)) {
    throw InputError("contact", "contact_nodes", fmt::format("found {}", settings.contact_nodes),
                     "a number >= 0");
  }
}

bool LevelSchedule::may_enter(std::uint32_t level, std::uint32_t visited, std::uint32_t next,
                              std::uint32_t contacts) const HAPTIC_REALTIME {
  if (settings_.warm_nodes == 0) return true;
  const double warm = settings_.warm_nodes, cold = settings_.cold_ratio * warm;
  double load = visited;
  const bool hard = settings_.rule == DegradationSettings::Rule::kHard;
  if (hard) {
    // Barbic 2007, Eq 3.13: assumes the same rate of contacts for queued as for visited nodes.
    const double rate = visited == 0 ? 0.0 : double(contacts) / visited;
    load += next + settings_.contact_nodes * (contacts + rate * next);
  }
  const double threshold = level <= deepest_ ? warm : cold;
  return hard ? load <= threshold : load < threshold;
}

}  // namespace haptic
