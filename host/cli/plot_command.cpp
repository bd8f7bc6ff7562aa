#include "host/cli/plot_command.h"

#include <CLI/CLI.hpp>
#include <array>
#include <filesystem>
#include <memory>

#include "host/files/output_path.h"
#include "host/plot/log_plot.h"

namespace haptic {

void add_plot_command(CLI::App& app) {
  struct Options {
    std::filesystem::path log, picture;
    PlotSettings settings;
  };
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("plot", "Plot a log's forces, poses and times to a PNG");
  command->add_option("LOG.h5", options->log, "log file")->required();
  command->add_option("-o,--output", options->picture, "PNG file to write")->required();
  command->add_option("--from", options->settings.from_s, "first time shown [s]");
  command->add_option("--until", options->settings.until_s, "last time shown [s]");
  command->add_option("--width", options->settings.width, "pixels")->check(CLI::Range(200, 8000));
  command->add_option("--height", options->settings.height, "pixels")->check(CLI::Range(200, 8000));
  command->callback([options] {
    check_picture(options->picture, std::array{options->log});
    plot_log(LogReader(options->log), options->settings, options->picture);
  });
}

}  // namespace haptic
