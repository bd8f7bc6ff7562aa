#pragma once

#include <array>
#include <stdexcept>
#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace haptic {

/// Name of the program for commands that need the mesh libraries, TBB or MPI, and of its Debian
/// package. `haptic` links none of these libraries and executes this program for the commands
/// below.
inline constexpr std::string_view kHelperProgram = "haptic-bake";

struct HelperCommand {
  std::string_view name;
  std::string_view description;
};

/// The commands that the helper runs. It also runs `simulate` with --loads, and `inspect` of a
/// surface mesh.
inline constexpr std::array kHelperCommands = {
    HelperCommand{"bake", "Make a model file from a mesh and a recipe"},
    HelperCommand{"convert", "Convert a model to VegaFEM's files, or VegaFEM's files to a model"},
    HelperCommand{"verify", "Check a model file"},
    HelperCommand{"mesh", "Write a shape of the procedural catalogue"},
    HelperCommand{"sketch",
                  "Record force loads for a sketch basis by pulling a linear static model by hand"},
};

/// Adds the command `name` of kHelperCommands to the helper; the caller adds its options.
CLI::App* add_helper_command(CLI::App& app, std::string_view name);

/// Adds the command `name` of kHelperCommands to `haptic`. With any arguments, --help included, it
/// throws HelperNeeded.
void add_forwarded_command(CLI::App& app, std::string_view name);

/// Thrown by a command of `haptic` that the helper must run; run_program then executes the helper.
class HelperNeeded : public std::runtime_error {
 public:
  /// @param command as the user knows it, for the message where the helper is missing
  explicit HelperNeeded(std::string_view command) : std::runtime_error(std::string(command)) {}
};

}  // namespace haptic
