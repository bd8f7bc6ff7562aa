#include "host/cli/operator_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "shared/error.h"
#include "shared/ipc/command_client.h"

namespace haptic {
namespace {

void send(const std::string& daemon_name, const std::string& what, CommandKind kind,
          const std::string& key = {}, double value = 0.0) {
  CommandClient client(daemon_name);
  const CommandReply reply = client.send(kind, key, value);
  if (reply.answer == CommandAnswer::kApplied) {
    fmt::print("{}: applied\n", what);
    return;
  }
  std::string why(reason(reply.answer));
  switch (reply.answer) {
    case CommandAnswer::kWrongState:
      why +=
          fmt::format(" ({}{}{})", name(reply.state), reply.fault == FaultKind::kNone ? "" : ": ",
                      reply.fault == FaultKind::kNone ? "" : name(reply.fault));
      break;
    case CommandAnswer::kOutOfRange:
      why += fmt::format(" (allowed {:g} to {:g})", reply.minimum, reply.maximum);
      break;
    default:
      break;
  }
  throw OperationError(fmt::format("{}: refused: {}", what, why));
}

}  // namespace

void add_operator_command(CLI::App& app) {
  struct Row {
    const char* name;
    const char* help;
    CommandKind kind;
  };
  constexpr Row kRows[] = {
      {"engage", "Let the force ramp in", CommandKind::kEngage},
      {"release", "Take the force away", CommandKind::kRelease},
      {"stop", "Stop the output until reset", CommandKind::kStop},
      {"reset", "Leave the fault state, world at rest", CommandKind::kReset},
  };
  for (const Row& row : kRows) {
    const auto daemon_name = std::make_shared<std::string>("hapticd");
    CLI::App* command = app.add_subcommand(row.name, row.help);
    command->add_option("--name", *daemon_name, "name of the daemon")->capture_default_str();
    command->callback([daemon_name, row] { send(*daemon_name, row.name, row.kind); });
  }

  struct Setting {
    std::string name = "hapticd";
    std::string key;
    double value = 0.0;
  };
  const auto setting = std::make_shared<Setting>();
  CLI::App* command = app.add_subcommand("set", "Change a parameter of the running world");
  command->add_option("KEY", setting->key, "e.g. coupling.stiffness, limits.force")->required();
  command->add_option("VALUE", setting->value, "new value, SI units")->required();
  command->add_option("--name", setting->name, "name of the daemon")->capture_default_str();
  command->callback([setting] {
    send(setting->name, fmt::format("set {} {:g}", setting->key, setting->value), CommandKind::kSet,
         setting->key, setting->value);
  });
}

}  // namespace haptic
