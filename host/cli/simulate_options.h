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
  int newton = 1, save_every = 0;
};

struct SimulateCommand {
  CLI::App* command;
  CLI::Option *trajectory, *seconds, *loads;  ///< how often each was given matters
};

/// The command with its options and without its callback: a scene is run by `haptic`, a load script
/// by the helper.
SimulateCommand add_simulate_options(CLI::App& app,
                                     const std::shared_ptr<SimulateOptions>& options);

}  // namespace haptic
