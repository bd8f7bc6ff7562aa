#include "rt/contact/level_schedule.h"

#include <fmt/format.h>

#include <cmath>

#include "shared/error.h"

namespace haptic {

LevelSchedule::LevelSchedule(const DegradationSettings& settings, std::uint32_t levels)
    : settings_(settings), levels_(levels), depth_(levels) {
  if (!(settings.cold_ratio > 0.0) || !(settings.cold_ratio <= 1.0)) {
    throw InputError("contact", "cold_ratio", fmt::format("found {}", settings.cold_ratio),
                     "a number > 0, at most 1");
  }
  if (!(settings.contact_nodes >= 0.0) || !std::isfinite(settings.contact_nodes)) {
    throw InputError("contact", "contact_nodes", fmt::format("found {}", settings.contact_nodes),
                     "a number >= 0");
  }
}

void LevelSchedule::forget() HAPTIC_REALTIME {
  deepest_ = 0;
  depth_ = levels_;
}

bool LevelSchedule::may_enter(std::uint32_t level, std::uint32_t visited, std::uint32_t next,
                              std::uint32_t contacts) HAPTIC_REALTIME {
  if (settings_.warm_nodes == 0) return true;
  const double warm = settings_.warm_nodes, cold = settings_.cold_ratio * warm;
  double load = visited;
  if (settings_.rule == DegradationSettings::Rule::kHard) {
    // Eq 3.13: as large a part of the queued nodes will touch as of the visited ones.
    const double rate = visited == 0 ? 0.0 : double(contacts) / visited;
    load += next + settings_.contact_nodes * (contacts + rate * next);
  }
  const double threshold = level <= deepest_ ? warm : cold;
  const bool hard = settings_.rule == DegradationSettings::Rule::kHard;
  if (hard ? load > threshold : load >= threshold) return false;
  if (!fades()) return true;
  if (depth_ + 1.0 / settings_.fade_cycles <= level - 1.0) return false;  // it is not due yet
  room_ = cold < warm ? std::clamp((warm - load) / (warm - cold), 0.0, 1.0) : 1.0;
  return true;
}

float LevelSchedule::finish(std::uint32_t level, bool cut, bool touching) HAPTIC_REALTIME {
  deepest_ = level;
  if (settings_.warm_nodes == 0 || !fades()) {
    depth_ = cut ? level : levels_;
    return 1.0f;
  }
  // With no level left out and none entered but the first, or nothing in contact, no force can
  // jump.
  const double aim = level == 1 ? 1.0 : level - 1.0 + room_;
  const double step = 1.0 / settings_.fade_cycles;
  if (!touching) {
    depth_ = cut ? aim : levels_;
    return 1.0f;
  }
  depth_ = std::min<double>(std::clamp(aim, depth_ - step, depth_ + step), level);
  return static_cast<float>(std::clamp(depth_ - (level - 1.0), 0.0, 1.0));
}

}  // namespace haptic
