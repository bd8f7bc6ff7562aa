#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace haptic {

/// Range and unit of the numbers that a key accepts; both appear in the message of a refusal.
struct NumberRange {
  double minimum = -std::numeric_limits<double>::infinity();
  double maximum = std::numeric_limits<double>::infinity();
  bool minimum_excluded = false;
  bool maximum_excluded = false;
  std::string_view unit = {};  ///< SI, e.g. "Pa"; empty if dimensionless

  static constexpr NumberRange any(std::string_view unit = {}) { return {.unit = unit}; }
  static constexpr NumberRange positive(std::string_view unit = {}) {
    return {.minimum = 0.0, .minimum_excluded = true, .unit = unit};
  }
  static constexpr NumberRange positive_up_to(double high, std::string_view unit = {}) {
    return {.minimum = 0.0, .maximum = high, .minimum_excluded = true, .unit = unit};
  }
  static constexpr NumberRange non_negative(std::string_view unit = {}) {
    return {.minimum = 0.0, .unit = unit};
  }
  static constexpr NumberRange between(double low, double high, std::string_view unit = {}) {
    return {.minimum = low, .maximum = high, .unit = unit};
  }

  bool contains(double value) const;
  /// e.g. "a number > 0 [Pa]", "an integer from 1 to 256"
  std::string describe(std::string_view kind = "a number") const;
};

/// Of whole numbers; the least and the greatest number of the type stand for no bound.
NumberRange number_range(std::int64_t minimum, std::int64_t maximum);

}  // namespace haptic
