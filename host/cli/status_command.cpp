#include "host/cli/status_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "host/cli/daemon_owner.h"
#include "host/files/json_text.h"
#include "host/monitor/live_view.h"
#include "host/monitor/status_report.h"
#include "shared/error.h"
#include "shared/ipc/guard_pulse.h"
#include "shared/ipc/run_folder.h"
#include "shared/printable.h"

namespace haptic {
namespace {

/// What the guard of the daemon says about its reach; empty if there is none.
std::string guard_words(const std::string& daemon_name, std::int64_t daemon) {
  try {
    const GuardPulseReader guard(daemon_name,
                                 find_run_file(daemon_name, "guard-pulse", has_live_creator));
    return guard.alive() && guard.watches_pid() == daemon ? guard.proof() : std::string();
  } catch (const std::exception&) {  // of another build, or not to be read by this user
    return {};
  }
}

void print_status(const std::string& daemon_name, bool json) {
  TelemetryReader telemetry(daemon_name);
  // The telemetry was opened during a change of the scene.
  if (telemetry.life() == DaemonLife::kReplaced) telemetry = TelemetryReader(daemon_name);
  SubspaceMonitor subspace(telemetry);
  StatusReport report = read_status(telemetry, &subspace);
  report.guard = guard_words(daemon_name, report.header.daemon_pid);
  if (report.life == DaemonLife::kDead) {
    throw OperationError(fmt::format("hapticd \"{}\" (process {}) died after {} cycles",
                                     daemon_name, report.header.daemon_pid,
                                     report.statistics.counters.cycles));
  }
  std::vector<std::string> others;
  for (const auto& folder : folders_of_namesakes(daemon_name, telemetry.folder())) {
    others.push_back(owner_of(folder));
  }
  const std::string owner = owner_of(telemetry.folder());
  if (json) {
    nlohmann::json status = status_json(report);
    status["owner"] = owner;
    status["namesakes"] = others;
    std::cout << json_text(status) << "\n";
    return;
  }
  std::cout << status_text(report) << fmt::format("{:<16}{}\n", "owner", printable(owner));
  for (const std::string& other : others) {
    std::cout << fmt::format("{:<16}{}\n", "another daemon", printable(other));
  }
}

}  // namespace

void add_status_command(CLI::App& app) {
  struct Options {
    std::string name = "hapticd";
    bool json = false;
  };
  const auto status = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("status", "Show the state of a running daemon");
  command->add_option("--name", status->name, "name of the daemon")->capture_default_str();
  command->add_flag("--json", status->json, "one JSON object on standard output");
  command->callback([status] { print_status(status->name, status->json); });

  const auto top = std::make_shared<Options>();
  command = app.add_subcommand("top", "Watch a running daemon live; q quits");
  command->add_option("--name", top->name, "name of the daemon")->capture_default_str();
  command->callback([top] { watch_daemon(top->name); });
}

}  // namespace haptic
