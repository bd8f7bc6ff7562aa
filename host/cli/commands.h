#pragma once

namespace CLI {
class App;
}

namespace haptic {

/// Adds every command listed in host/cli/CMakeLists.txt; those of the helper (helper_commands.h)
/// without their options.
void add_all_commands(CLI::App& app);

/// Adds what the helper runs, with all options.
void add_helper_commands(CLI::App& app);

/// Adds every command with all options, for the manual page and the completion.
void add_documented_commands(CLI::App& app);

/// The whole of a program: parses, runs one subcommand, maps errors to exit codes and prints one
/// line on standard error for each (docs/architecture.md, "Errors and exit codes"). Never throws.
/// Where a command throws HelperNeeded, the process becomes the helper instead.
int run_program(int argc, const char* const* argv, void (*add_commands)(CLI::App&));

}  // namespace haptic
