#include "host/cli/diff_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "host/cli/log_warnings.h"
#include "host/files/json_text.h"
#include "host/log/log_difference.h"
#include "shared/command_line/progress_line.h"
#include "shared/error.h"
#include "shared/printable.h"

namespace haptic {
namespace {

nlohmann::json difference_json(const LogDifference& difference,
                               const std::vector<std::string>& warnings) {
  nlohmann::json columns = nlohmann::json::object();
  for (const ColumnDifference& column : difference.columns) {
    columns[column.column] = {{"cycles", column.cycles}, {"largest", column.largest}};
  }
  nlohmann::json first;
  for (const LogDeviation& d : difference.first) {
    first = {{"column", d.column}, {"cycle", d.cycle}, {"index", d.index}, {"a", d.a}, {"b", d.b}};
  }
  return {{"equal", difference.is_empty()},
          {"cycles", difference.cycles},
          {"only_a", difference.only_a},
          {"only_b", difference.only_b},
          {"differing", difference.differing},
          {"first", first},
          {"columns", columns},
          {"events",
           {{"common", difference.events.common},
            {"only_a", difference.events.only_a},
            {"only_b", difference.events.only_b},
            {"differing", difference.events.differing},
            {"columns", difference.events.columns}}},
          {"descriptions", difference.descriptions},
          {"warnings", warnings}};
}

void print_difference(const LogDifference& difference) {
  for (const std::string& line : difference.descriptions) fmt::print("{}\n", printable(line));
  for (const LogDeviation& d : difference.first) {
    fmt::print("first difference: cycle {}, {}[{}]: {} and {}\n", d.cycle, printable(d.column),
               d.index, d.a, d.b);
  }
  for (const ColumnDifference& column : difference.columns) {
    fmt::print("{:<36} {:>9} cycles, largest {:.3e}\n", printable(column.column), column.cycles,
               column.largest);
  }
  fmt::print("{} of {} common cycles differ; {} only in the first, {} only in the second\n",
             difference.differing, difference.cycles, difference.only_a, difference.only_b);
  const EventDifference& events = difference.events;
  for (const auto& [column, count] : events.columns) {
    fmt::print("{:<36} {:>9} events\n", column, count);
  }
  if (events.common + events.only_a + events.only_b == 0) return;
  fmt::print("{} of {} common events differ; {} only in the first, {} only in the second\n",
             events.differing, events.common, events.only_a, events.only_b);
}

}  // namespace

void add_diff_command(CLI::App& app) {
  struct Options {
    std::filesystem::path a, b;
    bool json = false, times = false;
  };
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("diff", "Compare two logs, number by number");
  command->add_option("A.h5", options->a, "log")->required();
  command->add_option("B.h5", options->b, "log")->required();
  command->add_flag("--times", options->times, "compare measured times too");
  command->add_flag("--json", options->json, "one JSON object on standard output");
  command->callback([options] {
    const LogReader a(options->a), b(options->b);
    std::vector<std::string> warnings;
    for (const LogReader* log : {&a, &b}) {
      for (const std::string& sentence : warn_of_missing_data(*log)) {
        warnings.push_back(log->path().string() + ": " + sentence);
      }
    }
    const LogDifference difference = [&] {
      ProgressLine line(options->json ? nullptr : stderr, "diff " + options->b.string());
      return compare_logs(a, b, options->times, line.progress());
    }();
    if (options->json) {
      std::cout << json_text(difference_json(difference, warnings)) << "\n";
    } else {
      print_difference(difference);
    }
    if (!difference.is_empty()) {
      throw OperationError(
          fmt::format("{} and {} differ", options->a.string(), options->b.string()));
    }
  });
}

}  // namespace haptic
