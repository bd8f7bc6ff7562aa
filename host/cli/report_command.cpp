#include "host/cli/report_command.h"

#include <CLI/CLI.hpp>
#include <array>
#include <filesystem>
#include <memory>

#include "host/cli/log_warnings.h"
#include "host/files/output_path.h"
#include "host/report/log_report.h"
#include "shared/command_line/progress_line.h"
#include "shared/error.h"

namespace haptic {

void add_report_command(CLI::App& app) {
  struct Options {
    std::filesystem::path log, page;
  };
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "report",
      "Write one HTML page about a log: figures, plots, events, pictures (docs/plots.md)");
  command->add_option("LOG.h5", options->log, "log file")->required();
  command->add_option("-o,--output", options->page, "page to write (.html)")->required();
  command->callback([options] {
    if (options->page.extension() != ".html") {
      throw InputError(options->page.string(), "", "output must end in .html");
    }
    check_output(options->page, std::array{options->log});
    const LogReader log(options->log);
    warn_of_missing_data(log);
    ProgressLine line(stderr, "report " + options->log.string());
    write_report(log, options->page, line.progress());
  });
}

}  // namespace haptic
