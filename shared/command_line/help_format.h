#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace haptic {

/// Gives `app` and its subcommands one form of --help: names at the left, what they mean at the
/// right in lines below 80 columns, values and conditions in words (option_words.h), subcommands
/// under the headings `groups` in this order. To be called before the subcommands are added.
void set_help_format(CLI::App& app, std::vector<std::string> groups = {});

/// "found no command sattus (did you mean status?); see haptic --help": why the first word of the
/// arguments that names no subcommand, or the first unknown option, is refused.
/// @returns empty if every word is known
std::string unknown_word(const CLI::App& app, int argc, const char* const* argv);

}  // namespace haptic
