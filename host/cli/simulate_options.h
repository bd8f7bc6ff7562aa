#pragma once

#include <filesystem>
#include <memory>
#include <string>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace haptic {

/// The arguments of `haptic simulate`.
struct SimulateOptions {
  std::filesystem::path input, trajectory, loads, log;
  double seconds = 0.0;
  bool unreduced = false, json = false;
  std::string solver = "direct";
  std::string material = "stvk", mass;
  int newton = 1, save_every = 0;
};

struct SimulateCommand {
  CLI::App* command;
  CLI::Option *trajectory, *seconds, *loads, *newton;  ///< tell whether the user gave them
};

/// Adds the command and its options, but no callback: `haptic` runs scenes, the helper runs load
/// scripts.
SimulateCommand add_simulate_options(CLI::App& app,
                                     const std::shared_ptr<SimulateOptions>& options);

}  // namespace haptic
