#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <string>

namespace haptic {

/// Longest time that an option may ask for [s], eleven days: a slip of the keyboard ends in a line
/// and not in a full disk.
inline constexpr double kLongestTime_s = 1e6;

/// A number in [low, high]; unlike CLI::Range this refuses what is not a number at all.
inline CLI::Validator number_in(double low, double high) {
  const std::string range = fmt::format("[{:g} - {:g}]", low, high);
  return CLI::Validator(
      [low, high, range](std::string& text) {
        char* end = nullptr;
        const double value = std::strtod(text.c_str(), &end);
        const bool holds = !text.empty() && *end == '\0' && value >= low && value <= high;
        return holds ? std::string()
                     : fmt::format("found {}, expected a number in {}", text, range);
      },
      "NUMBER in " + range);
}

/// A duration [s].
inline CLI::Validator seconds_above_0() {
  return number_in(1e-9, kLongestTime_s);
}

}  // namespace haptic
