#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace haptic {

/// The values of a key that a lab can mean: outside it, a unit was mistaken more likely than not.
/// A value outside is possible and used; only a warning says so.
struct PlausibleRange {
  std::string_view unit;  ///< empty: a pure number
  double low, high;
};

/// A line on `value` where it lies outside `range`: "<key>: 60 Pa is used, but 100 to 1e+12 Pa
/// would be plausible".
std::optional<std::string> implausible(std::string_view key, double value,
                                       const PlausibleRange& range);

/// The same, added to `lines`.
void note_implausible(std::vector<std::string>& lines, std::string_view key, double value,
                      const PlausibleRange& range);

}  // namespace haptic
