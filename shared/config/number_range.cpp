#include "shared/config/number_range.h"

#include <fmt/format.h>

#include <cmath>

namespace haptic {
namespace {

std::string trimmed_number(double value) {
  const bool whole = std::abs(value) < 1e15 && value == std::floor(value);
  return whole ? fmt::format("{:.0f}", value) : fmt::format("{:g}", value);
}

}  // namespace

bool NumberRange::contains(double value) const {
  if (!std::isfinite(value)) return false;
  if (minimum_excluded ? value <= minimum : value < minimum) return false;
  return !(maximum_excluded ? value >= maximum : value > maximum);
}

std::string NumberRange::describe(std::string_view kind) const {
  const bool low = std::isfinite(minimum), high = std::isfinite(maximum);
  std::string text(kind);
  if (low && high && !minimum_excluded && !maximum_excluded) {
    text += fmt::format(" from {} to {}", trimmed_number(minimum), trimmed_number(maximum));
  } else {
    if (low) text += fmt::format(" {} {}", minimum_excluded ? ">" : ">=", trimmed_number(minimum));
    if (low && high) text += " and";
    if (high) text += fmt::format(" {} {}", maximum_excluded ? "<" : "<=", trimmed_number(maximum));
  }
  if (!unit.empty()) text += fmt::format(" [{}]", unit);
  return text;
}

NumberRange number_range(std::int64_t minimum, std::int64_t maximum) {
  NumberRange range;
  if (minimum != std::numeric_limits<std::int64_t>::min()) {
    range.minimum = static_cast<double>(minimum);
  }
  if (maximum != std::numeric_limits<std::int64_t>::max()) {
    range.maximum = static_cast<double>(maximum);
  }
  return range;
}

}  // namespace haptic
