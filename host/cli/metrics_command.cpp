#include "host/cli/metrics_command.h"

#include <fmt/format.h>
#include <poll.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "host/files/replace_file.h"
#include "host/monitor/metrics_server.h"
#include "host/monitor/metrics_text.h"
#include "shared/command_line/number_checks.h"
#include "shared/error.h"
#include "shared/printable.h"

namespace haptic {
namespace {

struct Options {
  std::string name = "hapticd";
  std::filesystem::path output;
  double every_s = 0.0;
  std::optional<std::string> listen;
};

volatile std::sig_atomic_t stop_writing = 0;

/// Sleeps until `when`, or until a signal asks to stop.
void sleep_until(std::chrono::steady_clock::time_point when) {
  while (stop_writing == 0) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        when - std::chrono::steady_clock::now());
    if (left.count() <= 0) return;
    // A signal between the check and the call is noticed after a fifth of a second.
    poll(nullptr, 0, static_cast<int>(std::min<std::int64_t>(left.count(), 200)));
  }
}

/// A file that could not be written once, as on a full disk, is written again in the next turn; in
/// the meantime the old one stays.
void write_repeatedly(const Options& options) {
  std::signal(SIGINT, [](int) { stop_writing = 1; });
  std::signal(SIGTERM, [](int) { stop_writing = 1; });
  const std::chrono::duration<double> period(options.every_s);
  std::string last_failure;
  auto next = std::chrono::steady_clock::now();
  while (stop_writing == 0) {
    std::string failure;
    try {
      replace_file(options.output, {read_metrics(options.name)});
    } catch (const OperationError& error) {
      failure = error.what();
    }
    if (!failure.empty() && failure != last_failure)
      fmt::print(stderr, "haptic: {}\n", printable(failure));
    last_failure = failure;
    next += std::chrono::duration_cast<std::chrono::steady_clock::duration>(period);
    next = std::max(next, std::chrono::steady_clock::now());
    sleep_until(next);
  }
}

void run(const Options& options) {
  if (options.listen) {
    MetricsServer server(*options.listen, [&options] { return read_metrics(options.name); });
    fmt::print(stderr, "haptic: metrics of hapticd \"{}\" at http://{}:{}/metrics\n", options.name,
               options.listen->substr(0, options.listen->rfind(':')), server.port());
    server.run();
  } else if (options.output.empty()) {
    fmt::print("{}", read_metrics(options.name));
  } else if (options.every_s > 0.0) {
    write_repeatedly(options);
  } else {
    replace_file(options.output, {read_metrics(options.name)});
  }
}

}  // namespace

void add_metrics_command(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("metrics", "Print a daemon's state as metrics of Prometheus");
  CLI::Option* output = command->add_option("-o,--output", options->output,
                                            "write a file, as for node_exporter's textfile folder");
  command
      ->add_option("--every", options->every_s,
                   "write the file again after this time [s], until Ctrl-C")
      ->needs(output)
      ->check(number_in(0.1, kMaxTime_s));
  command
      ->add_option("--listen", options->listen,
                   "serve http://ADDRESS:PORT/metrics, on the loopback interface only")
      ->excludes(output);
  command->add_option("--name", options->name, "name of the daemon")->capture_default_str();
  command->callback([options] { run(*options); });
}

}  // namespace haptic
