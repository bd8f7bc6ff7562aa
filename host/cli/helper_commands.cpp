#include "host/cli/helper_commands.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "shared/assert.h"

namespace haptic {

CLI::App* add_helper_command(CLI::App& app, std::string_view name) {
  const auto* const found =
      std::find_if(kHelperCommands.begin(), kHelperCommands.end(),
                   [&](const HelperCommand& command) { return command.name == name; });
  HAPTIC_DEMAND(found != kHelperCommands.end());
  return app.add_subcommand(std::string(found->name), std::string(found->description));
}

void add_forwarded_command(CLI::App& app, std::string_view name) {
  CLI::App* command = add_helper_command(app, name);
  command->set_help_flag();
  command->prefix_command();
  command->callback([name] { throw HelperNeeded(name); });
}

}  // namespace haptic
