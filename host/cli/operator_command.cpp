#include "host/cli/operator_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "shared/config/toml_reader.h"
#include "shared/error.h"
#include "shared/ipc/command_client.h"
#include "shared/ipc/telemetry_reader.h"

namespace haptic {
namespace {

/// Hint for an unknown `key`: the daemon's reason, the nearest parameter, or all parameters with
/// the same first word.
std::string known_keys(const std::string& daemon_name, const std::string& key,
                       const std::string& reason) {
  if (!reason.empty()) return fmt::format(" ({})", reason);
  const TelemetryReader telemetry(daemon_name);
  std::vector<std::string> names, related;
  const std::string first = key.substr(0, key.find('.') + 1);
  for (const ParameterRecord& p : telemetry.parameters()) {
    names.emplace_back(p.name);
    if (!first.empty() && names.back().starts_with(first)) related.push_back(names.back());
  }
  const std::string_view near = nearest_word(key, names);
  if (!near.empty()) return fmt::format(" (did you mean {}?)", near);
  if (related.empty()) return " (`haptic status` lists them)";
  return fmt::format(" (known: {})", fmt::join(related, ", "));
}

void send(const std::string& daemon_name, const std::string& what, CommandKind kind,
          const std::string& key = {}, double value = 0.0) {
  const CommandReply reply = kind == CommandKind::kStop
                                 ? stop_daemon(daemon_name)
                                 : CommandClient(daemon_name).send(kind, key, value);
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
    case CommandAnswer::kUnknownKey:
      why += known_keys(daemon_name, key, reply.text);
      break;
    default:
      if (reply.text[0] != '\0') why += fmt::format(" ({})", reply.text);
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
      {"engage", "Engage the device: the force ramps in", CommandKind::kEngage},
      {"release", "Release the device: zero force", CommandKind::kRelease},
      {"stop", "Stop the output until reset", CommandKind::kStop},
      {"reset", "Leave the fault state, world at rest", CommandKind::kReset},
      {"home", "Home the device, which must be in its reference pose", CommandKind::kHome},
      {"takeover", "Take over the operator role from another user", CommandKind::kTakeover},
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
  command
      ->add_option("KEY", setting->key,
                   "e.g. coupling.stiffness, limits.force, cow.stiffness, cow.mu.rim; `haptic "
                   "status` lists them")
      ->required();
  command->add_option("VALUE", setting->value, "new value, SI units")->required();
  command->add_option("--name", setting->name, "name of the daemon")->capture_default_str();
  command->callback([setting] {
    send(setting->name, fmt::format("set {} {:g}", setting->key, setting->value), CommandKind::kSet,
         setting->key, setting->value);
  });
}

}  // namespace haptic
