#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace haptic {

/// Whether the option is followed by a value.
bool takes_value(const CLI::Option& option);

/// Placeholder of the option's value: "TEXT", "NUMBER", "N" (an integer), "VALUE" (one of a few).
std::string value_name(const CLI::Option& option);

/// The values that the option's check accepts, in words: "one of body, strain", "0 to 1e+06";
/// empty without a check.
std::string allowed_values(const CLI::Option& option);

/// "-o" and "--output", as they are typed; empty for a positional argument.
std::vector<std::string> spellings(const CLI::Option& option);

/// What the option does, with the values it accepts, its default and the options that it needs or
/// excludes: "angle of the camera [deg]; -89 to 89 (default 20)".
std::string describe(const CLI::Option& option);

}  // namespace haptic
