#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <string>

namespace haptic {

/// Longest duration that an option accepts [s], eleven days: a typing error gives an error message
/// and not a full disk.
inline constexpr double kMaxTime_s = 1e6;

/// A number in [low, high]; unlike CLI::Range this also refuses NaN.
inline CLI::Validator number_in(double low, double high) {
  const std::string range = fmt::format("[{:g} - {:g}]", low, high);
  return CLI::Validator(
      [low, high, range](std::string& text) {
        char* end = nullptr;
        const double value = std::strtod(text.c_str(), &end);
        const bool valid = !text.empty() && *end == '\0' && value >= low && value <= high;
        return valid ? std::string()
                     : fmt::format("found {}, expected a number in {}", text, range);
      },
      "NUMBER in " + range);
}

/// Makes every numeric option of a program and of its commands refuse an empty word, such as that
/// of an unset shell variable, which CLI11 would take for 0. Call it once all options are added.
inline void refuse_empty_numbers(CLI::App& app) {
  for (CLI::Option* const option : app.get_options()) {
    const std::string type = option->get_type_name();
    if (type.starts_with("TEXT") || type.find_first_not_of(' ') == std::string::npos) continue;
    option->check([](const std::string& text) {
      return text.empty() ? std::string("found an empty word, expected a value") : std::string();
    });
  }
  for (CLI::App* const command : app.get_subcommands({})) refuse_empty_numbers(*command);
}

/// A duration [s].
inline CLI::Validator seconds_above_0() {
  return number_in(1e-9, kMaxTime_s);
}

}  // namespace haptic
