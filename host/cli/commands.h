#pragma once

namespace CLI {
class App;
}

namespace haptic {

/// Adds every subcommand listed in host/cli/CMakeLists.txt.
void add_all_commands(CLI::App& app);

/// The whole of `haptic`: parses, runs one subcommand, maps errors to exit codes and prints one
/// line on standard error for each (docs/architecture.md, "Errors and exit codes"). Never throws.
int run_haptic(int argc, const char* const* argv);

}  // namespace haptic
