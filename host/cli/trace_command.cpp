#include "host/cli/trace_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <vector>

#include "host/files/replace_file.h"
#include "host/log/black_box.h"
#include "host/monitor/chrome_trace.h"
#include "shared/command_line/progress_line.h"
#include "shared/error.h"
#include "shared/printable.h"

namespace haptic {

void add_trace_command(CLI::App& app) {
  struct Options {
    std::filesystem::path output, box;
    std::string name = "hapticd";
    std::size_t cycles = 2000;
  };
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "trace", "Write a daemon's last cycles as a trace for ui.perfetto.dev or chrome://tracing");
  command->add_option("-o,--output", options->output, "trace file (JSON)")->required();
  command->add_option("--cycles", options->cycles, "largest number of cycles")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 20))
      ->capture_default_str();
  CLI::Option* name = command->add_option("--name", options->name, "name of the daemon");
  command->add_option("--from-box", options->box, "cycles of a black box, not of a running daemon")
      ->excludes(name);
  command->callback([options] {
    TelemetryReader telemetry = options->box.empty() ? TelemetryReader(options->name)
                                                     : read_black_box(options->box).telemetry;
    TelemetrySample now;
    const std::uint64_t newest = telemetry.newest(now) ? now.record.cycle + 1 : 0;
    telemetry.rewind_to_oldest();
    std::vector<TelemetrySample> samples;
    TelemetrySample sample;
    // Samples published during reading are left out: with a fast daemon reading would never end. A
    // daemon that has changed its scene has only the cycles since then.
    while (telemetry.next(sample) && sample.record.cycle < newest) {
      if (sample.record.cycle + options->cycles >= newest) samples.push_back(sample);
    }
    if (samples.empty()) {
      throw OperationError("the daemon \"" + options->name + "\" has not run a cycle yet");
    }
    {
      // Making the text takes about as long as collecting its events.
      ProgressLine line(stderr, "trace " + options->name);
      const std::string text = chrome_trace(telemetry.header(), telemetry.state(), samples,
                                            telemetry.events(), part_of(line.progress(), 0.0, 0.5));
      replace_file(options->output, {text});
    }
    fmt::print("{}: cycles {} to {}\n", printable(options->output.string()),
               samples.front().record.cycle, samples.back().record.cycle);
  });
}

}  // namespace haptic
