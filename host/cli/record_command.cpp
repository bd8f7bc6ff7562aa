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
  fmt::print("{}: {} cycles, {} lost{}{}{}\n", printable(file.path.string()), file.rows, file.lost,
             lost_events.empty() ? "" : "; ", lost_events,
             file.followed.empty() ? ""
                                   : ", the daemon loaded another scene, which goes on in " +
                                         printable(file.followed.string()));
  std::fflush(stdout);
}

}  // namespace

void add_record_command(CLI::App& app) {
  struct Options {
    std::filesystem::path log, box;
    std::string name = "hapticd";
    RecordSettings settings;
    double seconds = 0.0;
  };
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("record", "Log a running daemon's cycles to HDF5");
  command->add_option("-o,--output", options->log, "log file")->required();
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
  command->callback([options, seconds] {
    if (!options->box.empty()) {
      print_file(record_black_box(options->box, options->log));
      return;
    }
    if (seconds->count() > 0) options->settings.seconds = options->seconds;
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
      std::signal(signal, [](int) { stop_recording = true; });
    }
    options->settings.file_ended = print_file;
    const RecordOutcome outcome =
        record_telemetry(options->name, options->log, options->settings, stop_recording);
    if (!outcome.daemon_ended) return;
    fmt::print("the daemon ended\n");
    if (options->settings.seconds) {
      throw OperationError(
          fmt::format("the daemon ended before {} s were recorded", *options->settings.seconds));
    }
  });
}

}  // namespace haptic
