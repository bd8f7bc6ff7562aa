#include "host/cli/plot_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "host/cli/column_list.h"
#include "host/cli/log_warnings.h"
#include "host/files/output_path.h"
#include "host/plot/log_plot.h"
#include "shared/command_line/number_checks.h"
#include "shared/command_line/progress_line.h"
#include "shared/error.h"

namespace haptic {
namespace {

struct PlotOptions {
  std::vector<std::filesystem::path> logs;
  std::filesystem::path picture;
  std::vector<std::string> labels;
  bool list = false;
  PlotSettings settings;
};

void plot(const PlotOptions& options) {
  std::vector<LogReader> logs;
  for (const std::filesystem::path& path : options.logs) logs.emplace_back(path);
  if (options.list) {
    for (const LogReader& log : logs) warn_of_missing_data(log);
    for (const LogReader& log : logs) print_columns(log);
    return;
  }
  if (options.picture.empty())
    throw InputError("", "-o", "not given", "a picture's name, or --list");
  if (gnuplot_terminal(options.picture).empty()) {
    throw InputError(options.picture.string(), "", "output must end in .png, .svg or .pdf");
  }
  check_output(options.picture, options.logs);
  for (const LogReader& log : logs) warn_of_missing_data(log);
  if (!options.labels.empty() && options.labels.size() != logs.size()) {
    throw InputError("", "--label", fmt::format("found {} labels", options.labels.size()),
                     fmt::format("one for each of {} logs", logs.size()));
  }
  std::vector<PlottedLog> plotted;
  for (std::size_t i = 0; i < logs.size(); ++i) {
    plotted.push_back(
        {&logs[i], options.labels.empty() ? options.logs[i].stem().string() : options.labels[i]});
  }
  ProgressLine line(stderr, "plot " + options.picture.string());
  PlotSettings settings = options.settings;
  settings.progress = line.progress();
  plot_logs(plotted, settings, options.picture);
}

}  // namespace

void add_plot_command(CLI::App& app) {
  const auto options = std::make_shared<PlotOptions>();
  PlotSettings& settings = options->settings;
  CLI::App* command =
      app.add_subcommand("plot", "Plot columns of logs to a PNG, SVG or PDF (docs/plots.md)");
  command->add_option("LOG.h5", options->logs, "log files; several are drawn over each other")
      ->required();
  command->add_option("-o,--output", options->picture, "picture to write: .png, .svg or .pdf");
  command->add_flag("--list", options->list, "print the columns of the log with their units");
  command
      ->add_option("--columns", settings.choice.panels,
                   "a panel for each column, as force,bodies/pose[cow].x; '+' joins columns in one "
                   "panel; default: hand, tool, world and times")
      ->delimiter(',')
      ->allow_extra_args(false);
  CLI::Option* against = command->add_option("--against", settings.choice.against,
                                             "column on the axis x instead of the time");
  CLI::Option* spectrum =
      command
          ->add_flag("--spectrum", settings.choice.spectrum,
                     "amplitude spectral density (Welch, Hann window), in UNIT/sqrt(Hz)")
          ->excludes(against);
  command
      ->add_option("--segment", settings.choice.segment_s,
                   "length of the spectrum's segments [s]; resolution is its inverse")
      ->check(seconds_above_0())
      ->needs(spectrum);
  command
      ->add_option("--label", options->labels,
                   "name of a log in the legend, once for each; default: the file's")
      ->allow_extra_args(false);
  command->add_option("--title", settings.title, "text above the panels");
  command->add_option("--from", settings.from_s, "first time shown [s]")
      ->check(number_in(0.0, kMaxTime_s));
  command->add_option("--until", settings.until_s, "last time shown [s]")
      ->check(number_in(0.0, kMaxTime_s));
  command->add_flag("--from-start", settings.from_start,
                    "count times from the log's first row; always so for several logs");
  command->add_flag_callback(
      "--no-marks", [options] { options->settings.marks = false; },
      "draw no lines for marks and faults");
  command->add_option("--width", settings.size.width, "pixels")->check(CLI::Range(200, 8000));
  command->add_option("--height", settings.size.height, "pixels; default: of the number of panels")
      ->check(CLI::Range(200, 8000));
  command->callback([options] { plot(*options); });
}

}  // namespace haptic
