// hapticd-guard: a process that outlives the daemon and makes the device's outputs safe
// (docs/methods/devices.md, "Guard").
#include <fmt/format.h>
#include <malloc.h>
#include <sched.h>
#include <sys/mman.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <string>

#include "rt/device/device_identity.h"
#include "rt/guard/guard_loop.h"
#include "rt/guard/guard_signals.h"
#include "rt/guard/watchdog_feeder.h"
#include "shared/command_line/help_format.h"
#include "shared/command_line/number_checks.h"
#include "shared/error.h"
#include "shared/ipc/run_folder.h"
#include "shared/ipc/shared_memory.h"
#include "shared/journal/message.h"
#include "shared/printable.h"
#include "shared/process_start.h"

namespace haptic {
namespace {

struct GuardOptions {
  std::string manifest;
  std::string name = "hapticd";
  GuardSettings settings;
  int priority = 90;
  bool now = false;
};

// A refusal by the kernel is reported and not fatal: a guard without real time is better than none.
void prepare_guard(int priority) {
  mallopt(M_TRIM_THRESHOLD, -1);
  if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0) {
    message::say(Priority::kWarning, "memory is not locked: {}", std::strerror(errno));
  }
  if (priority == 0) return;
  sched_param parameters{};
  parameters.sched_priority = priority;
  if (sched_setscheduler(0, SCHED_FIFO, &parameters) != 0) {
    message::say(Priority::kWarning, "does not run under SCHED_FIFO {}: {}", priority,
                 std::strerror(errno));
  }
}

/// Prints one line; neither throws nor ends the process if standard error has no reader.
int report_error(const std::exception& error, int code) {
  const std::string line = fmt::format("hapticd-guard: {}\n", printable(error.what()));
  std::fputs(line.c_str(), stderr);
  return code;
}

int run(const GuardOptions& options) {
  std::optional<GuardSignals> signals;
  if (!options.now) signals.emplace();  // before any thread
  const DeviceManifest manifest = load_manifest(find_manifest(options.manifest));
  const std::unique_ptr<SafeOutputs> outputs = safe_outputs_of(manifest);
  if (options.now) {
    const bool safe = make_safe_within(*outputs, options.settings.give_up_s);
    const std::string line = fmt::format(
        "hapticd-guard: {}{}\n", safe ? "" : "THE OUTPUTS MAY NOT BE SAFE: ", outputs->describe());
    std::fputs(line.c_str(), stderr);
    return safe ? kExitDone : kExitFailed;
  }
  check_daemon_name(options.name);
  const MessageWriter messages("hapticd-guard");
  const InstanceLock lock(own_run_file(options.name, "guard"), "--name " + options.name);
  GuardPulseWriter pulse(options.name, device_identity(manifest));
  GuardLoop guard(options.name, options.settings, *outputs, pulse, *signals);
  prepare_guard(options.priority);
  const WatchdogFeeder watchdog(pulse);
  message::notify("READY=1");
  message::say(Priority::kInfo, "guards \"{}\" on {} ({}), timeout {:g} ms", options.name,
               manifest.name, manifest.kind, options.settings.patience_s * 1e3);
  guard.run();
  return kExitDone;
}

}  // namespace
}  // namespace haptic

int main(int argc, char** argv) {
  haptic::prepare_process();
  CLI::App app(
      "hapticd-guard: watches a hapticd and makes the device's outputs safe when it dies, stops or "
      "hangs",
      "hapticd-guard");
  haptic::set_help_format(app);
  app.set_version_flag("--version", "hapticd-guard " HAPTIC_VERSION, "print the version and exit");
  haptic::GuardOptions options;
  double hang_ms = options.settings.patience_s * 1e3;
  app.add_option("--manifest", options.manifest, "the device: a manifest's name or path")
      ->required();
  app.add_option("--name", options.name, "name of the daemon")->capture_default_str();
  app.add_option(
         "--hang-ms", hang_ms,
         "longest time without a new cycle [ms], then the daemon is hung; at least four periods")
      ->check(haptic::number_in(1.0, 1e5))
      ->capture_default_str();
  app.add_option("--give-up-s", options.settings.give_up_s,
                 "time limit for making the outputs safe [s]")
      ->check(haptic::number_in(0.01, 1e3))
      ->capture_default_str();
  app.add_option("--priority", options.priority, "SCHED_FIFO priority; 0: ordinary")
      ->check(CLI::Range(0, 99))
      ->capture_default_str();
  app.add_flag("--safe-outputs-now", options.now, "make the outputs safe at once and exit");
  haptic::refuse_empty_numbers(app);
  try {
    app.parse(argc, argv);
    options.settings.patience_s = hang_ms * 1e-3;
    return haptic::run(options);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    return haptic::report_error(error, haptic::kExitBadInput);
  } catch (const haptic::InputError& error) {
    return haptic::report_error(error, haptic::kExitBadInput);
  } catch (const std::exception& error) {
    return haptic::report_error(error, haptic::kExitFailed);
  }
}
