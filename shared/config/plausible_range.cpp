#include "shared/config/plausible_range.h"

#include <fmt/format.h>

#include <utility>

namespace haptic {

std::optional<std::string> implausible(std::string_view key, double value,
                                       const PlausibleRange& range) {
  if (value >= range.low && value <= range.high) return std::nullopt;
  const std::string_view space = range.unit.empty() ? "" : " ";
  return fmt::format("{}: {:g}{}{} is used, but {:g} to {:g}{}{} would be plausible", key, value,
                     space, range.unit, range.low, range.high, space, range.unit);
}

void note_implausible(std::vector<std::string>& lines, std::string_view key, double value,
                      const PlausibleRange& range) {
  if (std::optional<std::string> line = implausible(key, value, range)) {
    lines.push_back(std::move(*line));
  }
}

}  // namespace haptic
