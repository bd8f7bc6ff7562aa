#pragma once

#include <string>

namespace CLI {
class App;
}

namespace haptic {

/// The commands of `app` as sections of a manual page (man(7) macros): every command with its
/// usage, every argument and option with its help text. Generated from the table that parses them,
/// so that it is always up to date.
std::string commands_manual(const CLI::App& app);

/// A completion script for bash: commands, their subcommands and options; file names elsewhere.
std::string bash_completion(const CLI::App& app);

}  // namespace haptic
