#pragma once

namespace CLI {
class App;
}

namespace haptic {

/// Adds every command listed in host/cli/CMakeLists.txt. The commands that the helper runs
/// (helper_commands.h) are added without options.
void add_all_commands(CLI::App& app);

/// Adds the commands that the helper runs, with all options.
void add_helper_commands(CLI::App& app);

/// Adds every command with all options, for the manual page and the completion.
void add_documented_commands(CLI::App& app);

/// The main function of both programs: parses the arguments, runs one subcommand, prints an error
/// as one line on standard error and returns its exit code (docs/architecture.md, "Errors and exit
/// codes"). Never throws. If a command throws HelperNeeded, the helper replaces this process.
int run_program(int argc, const char* const* argv, void (*add_commands)(CLI::App&));

}  // namespace haptic
