#include "host/cli/record_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>

#include "host/log/black_box_log.h"
#include "host/log/telemetry_log.h"
#include "shared/command_line/number_checks.h"
#include "shared/error.h"
#include "shared/printable.h"

namespace haptic {
namespace {

std::atomic<bool> stop_recording{false};

void print_file(const RecordedFile& file) {
  const std::string lost_events = file.lost_events.text();
  const std::string followed = file.followed.empty()
                                   ? ""
                                   : ", the daemon loaded another scene, which goes on in " +
                                         printable(file.followed.string());
  fmt::print("{}: {} cycles, {} lost{}{}{}\n", printable(file.path.string()), file.rows, file.lost,
             lost_events.empty() ? "" : "; ", lost_events, followed);
  if (file.hand_is_still) {
    fmt::print(
        "the simulated hand did not move: a hand script runs once, from the start of the daemon\n");
  }
  std::fflush(stdout);
}

}  // namespace

void add_record_command(CLI::App& app) {
  struct Options {
    std::filesystem::path log, box;
    std::string name = "hapticd";
    RecordSettings settings;
    double seconds = 0.0;
    bool force = false, number = false;
  };
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("record", "Log a running daemon's cycles to HDF5");
  command->add_option("-o,--output", options->log, "log file; must not exist")->required();
  CLI::Option* seconds =
      command->add_option("--seconds", options->seconds, "duration [s]; default: until Ctrl-C")
          ->check(seconds_above_0());
  CLI::Option* from_oldest = command->add_flag("--from-oldest", options->settings.from_oldest,
                                               "begin with the cycles still in the daemon's ring");
  CLI::Option* name = command->add_option("--name", options->name, "name of the daemon");
  command
      ->add_option("--from-box", options->box,
                   "write the log of a black box of hapticd, not of a running daemon")
      ->excludes(seconds, from_oldest, name);
  CLI::Option* force = command->add_flag("--force", options->force,
                                         "replace an existing file, unless it is being recorded");
  command
      ->add_flag("--number", options->number,
                 "take the first free name of LOG.h5, LOG-2.h5, LOG-3.h5, ...")
      ->excludes(force);
  command->callback([options, seconds] {
    const ExistingLog existing = options->force    ? ExistingLog::kReplaced
                                 : options->number ? ExistingLog::kNumbered
                                                   : ExistingLog::kRefused;
    if (!options->box.empty()) {
      print_file(record_black_box(options->box, options->log, existing));
      return;
    }
    options->settings.existing = existing;
    if (seconds->count() > 0) options->settings.seconds = options->seconds;
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
      std::signal(signal, [](int) { stop_recording = true; });
    }
    options->settings.file_ended = print_file;
    options->settings.stands_still = [name = options->name] {
      fmt::print(stderr, "haptic: hapticd \"{}\" stands still: waiting for its next cycle\n", name);
    };
    const RecordOutcome outcome =
        record_telemetry(options->name, options->log, options->settings, stop_recording);
    if (outcome.life == DaemonLife::kAlive) return;
    const char* const end = outcome.life == DaemonLife::kDead ? "died" : "ended";
    fmt::print("the daemon {}\n", end);
    if (options->settings.seconds) {
      throw OperationError(
          fmt::format("the daemon {} before {} s were recorded", end, *options->settings.seconds));
    }
  });
}

}  // namespace haptic
