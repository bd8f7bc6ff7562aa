#include "host/cli/operator_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "host/cli/daemon_owner.h"
#include "host/monitor/refusal.h"
#include "shared/error.h"
#include "shared/ipc/command_client.h"
#include "shared/ipc/run_folder.h"
#include "shared/printable.h"

namespace haptic {
namespace {

/// @param owner  owner_note of the daemon @throws OperationError if the daemon has refused
void report(const std::string& daemon_name, const std::string& what, const std::string& key,
            const CommandReply& reply, const std::string& owner) {
  if (reply.answer == CommandAnswer::kApplied) {
    fmt::print("{}: applied{}\n", printable(what), owner);
    return;
  }
  throw OperationError(
      fmt::format("{}: refused: {}{}", what, refusal(daemon_name, key, reply), owner));
}

/// Names each daemon where root has stopped several.
void stop(const std::string& daemon_name) {
  const std::vector<DaemonStop> stops = stop_daemons(daemon_name);
  std::string failures;
  for (const DaemonStop& stop : stops) {
    const std::string owner = stops.size() > 1 ? fmt::format(" ({})", owner_of(stop.folder))
                                               : owner_note(daemon_name, stop.folder);
    if (stop.failure.empty() && stop.reply.answer == CommandAnswer::kApplied) {
      fmt::print("stop: applied{}\n", owner);
      continue;
    }
    const std::string why =
        stop.failure.empty() ? "refused: " + refusal(daemon_name, {}, stop.reply) : stop.failure;
    failures += fmt::format("{}{}{}", failures.empty() ? "" : "; ", why, owner);
  }
  if (!failures.empty()) throw OperationError("stop: " + failures);
}

void send(const std::string& daemon_name, const std::string& what, CommandKind kind,
          const std::string& key = {}, double value = 0.0) {
  if (kind == CommandKind::kStop) {
    stop(daemon_name);
    return;
  }
  CommandClient client(daemon_name);
  const CommandReply reply = client.send(kind, key, value);
  report(daemon_name, what, key, reply, owner_note(daemon_name, client.folder()));
}

/// `haptic pull`.
struct PullOptions {
  std::string name = "hapticd", body;
  std::vector<double> point, to, by;
  double stiffness = 200.0, limit = 5.0;
};

PullRequest request_of(const PullOptions& options) {
  PullRequest request{};
  if (options.body.empty()) return request;
  const std::vector<double>& target = options.to.empty() ? options.by : options.to;
  if (options.point.size() != 3 || target.size() != 3) {
    throw InputError("pull", options.body, "found no point or no place",
                     "BODY X Y Z with --to X Y Z or --by X Y Z, or nothing to let go");
  }
  std::ranges::copy(options.point, request.point);
  std::ranges::copy(target, request.target);
  request.is_relative = options.to.empty() ? 1.0 : 0.0;
  request.stiffness = options.stiffness;
  request.limit = options.limit;
  return request;
}

void add_pull_command(CLI::App& app) {
  const auto options = std::make_shared<PullOptions>();
  CLI::App* command =
      app.add_subcommand("pull", "Pull a point of a body with a spring; without a body, let it go");
  CLI::Option* body = command->add_option("BODY", options->body, "name of a body of the scene");
  command->add_option("POINT", options->point, "the point at rest, coordinates of the model [m]")
      ->expected(3)
      ->needs(body);
  CLI::Option* to = command->add_option("--to", options->to, "where to, world [m]")->expected(3);
  command->add_option("--by", options->by, "where to, from where the point is now [m]")
      ->expected(3)
      ->excludes(to);
  command->add_option("--stiffness", options->stiffness, "of the spring [N/m]")
      ->capture_default_str();
  command->add_option("--force", options->limit, "largest force [N]")->capture_default_str();
  command->add_option("--name", options->name, "name of the daemon")->capture_default_str();
  command->callback([options] {
    const PullRequest request = request_of(*options);
    const std::string what =
        options->body.empty() ? std::string("pull") : fmt::format("pull {}", options->body);
    CommandClient client(options->name);
    const CommandReply reply = client.pull(options->body, request);
    report(options->name, what, options->body, reply, owner_note(options->name, client.folder()));
  });
}

void add_mark_command(CLI::App& app) {
  struct Options {
    std::string name = "hapticd", text;
  };
  const auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("mark", "Note a text in the daemon's events, with its cycle and time");
  command->add_option("TEXT", options->text, "e.g. \"trial 3\", at most 200 bytes of UTF-8")
      ->required();
  command->add_option("--name", options->name, "name of the daemon")->capture_default_str();
  command->callback([options] {
    const std::string what = fmt::format("mark \"{}\"", options->text);
    CommandClient client(options->name);
    const CommandReply reply = client.mark(options->text);
    report(options->name, what, {}, reply, owner_note(options->name, client.folder()));
  });
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
  add_pull_command(app);
  add_mark_command(app);
}

}  // namespace haptic
