#include "host/cli/keys_command.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/monitor/key_bindings.h"
#include "host/monitor/key_control.h"
#include "shared/command_line/number_checks.h"

namespace haptic {

void add_keys_command(CLI::App& app) {
  struct Options {
    std::vector<std::string> bindings;
    double speed = 0.0;
    std::string name = "hapticd";
  };
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "keys", "Move parameters of the running world, such as targets of servos, by keys; q quits");
  command
      ->add_option("BINDING", options->bindings,
                   "LESS/MORE=PARAMETER[@SPEED]: two keys, characters or left, right, up, down; a "
                   "parameter of `haptic set`; its speed while a key is held, in its unit/s")
      ->required();
  const CLI::Option* speed =
      command->add_option("--speed", options->speed, "of the parameters without their own [unit/s]")
          ->check(number_in(1e-9, 1e9));
  command->add_option("--name", options->name, "name of the daemon")->capture_default_str();
  command->callback([options, speed] {
    const auto otherwise =
        speed->count() > 0 ? std::optional<double>(options->speed) : std::nullopt;
    control_by_keys(options->name, read_key_bindings(options->bindings, otherwise));
  });
}

}  // namespace haptic
