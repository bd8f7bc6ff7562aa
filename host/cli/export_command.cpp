#include "host/cli/export_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "host/cli/column_list.h"
#include "host/cli/log_warnings.h"
#include "host/export/csv_file.h"
#include "host/export/event_table.h"
#include "host/export/mat_file.h"
#include "host/export/parquet_file.h"
#include "host/export/scene_series.h"
#include "host/export/xdmf_file.h"
#include "host/files/output_path.h"
#include "shared/command_line/number_checks.h"
#include "shared/command_line/progress_line.h"
#include "shared/error.h"
#include "shared/printable.h"

namespace haptic {
namespace {

struct ExportOptions {
  std::filesystem::path log, output;
  std::string format;
  std::vector<std::string> columns;
  bool list = false;
  bool any_model = false;
  bool has_every = false;
  RowChoice rows;
};

/// A format, and the function that writes it. @returns what was written, for the user
struct ExportFormat {
  std::string_view name;  ///< also the file's ending
  std::string (*write)(const ExportOptions& options, const Progress& progress);
};

std::string size_of(const LogTable& table, const EventTable& events) {
  return fmt::format("{} rows of {} columns, {} events", table.rows(), table.columns().size(),
                     events.rows());
}

/// NAME.events.csv beside NAME.csv.
std::filesystem::path events_file(const std::filesystem::path& output) {
  std::filesystem::path path = output;
  return path.replace_extension(".events" + output.extension().string());
}

/// Cycles, and beside them the events of a daemon's log.
template <void (*write)(const ExportTable&, const std::filesystem::path&)>
std::string write_tables(const ExportOptions& options, const Progress& progress) {
  const LogReader log(options.log);
  warn_of_missing_data(log);
  const LogTable table(log, options.columns, options.rows, progress);
  const EventTable events(log, options.rows);
  const std::filesystem::path beside = events_file(options.output);
  const bool is_old = is_event_file(beside);
  if (events.rows() > 0) {
    check_output(beside, std::array{options.log});
    if (!is_old && std::filesystem::exists(beside)) {
      throw InputError(beside.string(), "", "found a file that haptic export did not write",
                       "another name for the output, or its removal: the events have this name");
    }
  }
  write(table, options.output);
  if (events.rows() == 0) {
    if (is_old) std::filesystem::remove(beside);  // of the table that was replaced
    return size_of(table, events);
  }
  write(events, beside);
  return fmt::format("{} ({})", size_of(table, events), beside.string());
}

std::string write_matlab(const ExportOptions& options, const Progress& progress) {
  const LogReader log(options.log);
  warn_of_missing_data(log);
  const LogTable table(log, options.columns, options.rows, progress);
  const EventTable events(log, options.rows);
  write_mat(table, events, options.output);
  return size_of(table, events);
}

std::string write_scene(const ExportOptions& options, const Progress& progress) {
  if (!options.columns.empty()) {
    throw InputError("", "--columns", "found columns for a series of scenes",
                     "csv, parquet or mat, or no columns");
  }
  const LogReader log(options.log);
  warn_of_missing_data(log);
  check_drawn_models(log.description().bodies, log.path(), options.any_model);
  RowChoice rows = options.rows;
  constexpr double kFramesASecond = 25.0;
  if (rows.fps == 0.0 && !options.has_every) rows.fps = kFramesASecond;
  const SceneSeries series = write_scene_series(log, rows, options.output, progress);
  std::string text = fmt::format("{} frames", series.frames);
  if (!series.without_contact_points.empty()) {
    text += fmt::format("; without contact points: {}", series.without_contact_points);
  }
  return text;
}

std::string write_snapshots(const ExportOptions& options, const Progress&) {
  if (!options.columns.empty() || options.rows.fps > 0.0) {
    throw InputError("", options.columns.empty() ? "--fps" : "--columns",
                     "found an option that snapshots do not have", "--from, --until, --every");
  }
  const std::array model = {model_of_run(options.log)};
  check_drawn_models(model, options.log, options.any_model);
  const XdmfOutcome written =
      write_xdmf(options.log, options.rows, options.output, options.any_model);
  std::string text = fmt::format("{} snapshots", written.steps);
  if (!written.without_elements.empty()) {
    text += fmt::format("; points without elements: {}", written.without_elements);
  }
  return text;
}

constexpr std::array kFormats = {
    ExportFormat{"csv", write_tables<write_csv>},
    ExportFormat{"parquet", write_tables<write_parquet>},
    ExportFormat{"mat", write_matlab},
    ExportFormat{"pvd", write_scene},
    ExportFormat{"xmf", write_snapshots},
};

std::string format_names() {
  std::string names;
  for (const ExportFormat& format : kFormats) {
    names += (names.empty() ? "" : ", ") + std::string(format.name);
  }
  return names;
}

const ExportFormat& format_of(const ExportOptions& options) {
  const std::string ending = options.output.extension().string();
  const std::string_view wanted =
      !options.format.empty() ? options.format : std::string_view(ending).substr(!ending.empty());
  for (const ExportFormat& format : kFormats) {
    if (format.name == wanted) return format;
  }
  if (!options.format.empty()) {
    throw InputError("", "--format", fmt::format("found {}", wanted), "one of " + format_names());
  }
  throw InputError(options.output.string(), "", fmt::format("found the ending '{}'", ending),
                   fmt::format("one of {}, or --format", format_names()));
}

void export_log(const ExportOptions& options) {
  if (options.list) {
    const LogReader log(options.log);
    warn_of_missing_data(log);
    print_columns(log);
    return;
  }
  if (options.output.empty()) throw InputError("", "-o", "not given", "a file's name, or --list");
  const ExportFormat& format = format_of(options);
  check_output(options.output, std::array{options.log});
  const std::string written = [&] {
    ProgressLine line(stderr, "export " + options.log.string());
    return format.write(options, line.progress());
  }();
  fmt::print("{}: {}\n", printable(options.output.string()), written);
}

}  // namespace

void add_export_command(CLI::App& app) {
  const auto options = std::make_shared<ExportOptions>();
  CLI::App* command =
      app.add_subcommand("export", "Write a log as a file of other programs (docs/plots.md)");
  command->add_option("LOG.h5", options->log, "log file")->required();
  command->add_option("-o,--output", options->output,
                      "file to write; its ending selects the format: " + format_names());
  command->add_option("--format", options->format, "format, whatever the file's ending");
  command->add_flag("--list", options->list, "print the columns of the log with their units");
  command
      ->add_option("--columns", options->columns,
                   "columns, as force,bodies/pose[cow].x; default: every one")
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_option("--from", options->rows.from_s, "first time [s]")
      ->check(number_in(0.0, kMaxTime_s));
  command->add_option("--until", options->rows.until_s, "last time [s]")
      ->check(number_in(0.0, kMaxTime_s));
  CLI::Option* every = command->add_option("--every", options->rows.every, "every K-th row")
                           ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 40));
  command->add_option("--fps", options->rows.fps, "rows of a second of the log; default of pvd: 25")
      ->check(number_in(1e-3, 1e5))
      ->excludes(every);
  command->add_flag(
      "--any-model", options->any_model,
      "pvd, xmf: with the models as they are now, also if they were changed since they ran");
  command->callback([options, every] {
    options->has_every = every->count() > 0;
    export_log(*options);
  });
}

}  // namespace haptic
