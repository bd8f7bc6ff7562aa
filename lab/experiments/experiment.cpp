#include "lab/experiments/experiment.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>
#include <numeric>

#include "shared/error.h"

namespace haptic {

void ResultTable::add(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  rows_.push_back(std::move(cells));
}

std::string ResultTable::text() const {
  std::vector<std::size_t> width;
  for (const std::string& column : columns_) width.push_back(column.size());
  for (const auto& row : rows_) {
    for (std::size_t c = 0; c < row.size(); ++c) width[c] = std::max(width[c], row[c].size());
  }
  std::string text;
  const auto line = [&](const std::vector<std::string>& cells) {
    for (std::size_t c = 0; c < cells.size(); ++c) {
      // Names to the left, numbers to the right.
      text += c == 0 ? fmt::format("{:<{}}", cells[c], width[c])
                     : fmt::format("  {:>{}}", cells[c], width[c]);
    }
    text += '\n';
  };
  line(columns_);
  for (const auto& row : rows_) line(row);
  return text;
}

std::string ResultTable::csv() const {
  std::string text;
  const auto line = [&](const std::vector<std::string>& cells) {
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const bool quoted = cells[c].find(',') != std::string::npos;
      text += fmt::format("{}{}{}{}", c == 0 ? "" : ",", quoted ? "\"" : "", cells[c],
                          quoted ? "\"" : "");
    }
    text += '\n';
  };
  line(columns_);
  for (const auto& row : rows_) line(row);
  return text;
}

std::filesystem::path Experiment::path(std::string_view suffix, std::string_view extension) const {
  return folder_ / fmt::format("{}{}{}{}", name_, suffix.empty() ? "" : "-", suffix, extension);
}

void Experiment::report(std::string_view heading, const ResultTable& table,
                        std::string_view suffix) const {
  const std::filesystem::path file = path(suffix, ".csv");
  std::ofstream out(file, std::ios::trunc);
  out << table.csv();
  out.close();
  if (!out) throw OperationError(fmt::format("{}: cannot be written", file.string()));
  fmt::print("{}\n\n{}\n", heading, table.text());
  std::fflush(stdout);
}

void Experiment::check(std::string_view what, double value, std::string_view relation, double limit,
                       bool holds) {
  fmt::print("{} {}: {:.4g} {} {:.4g}\n", holds ? "holds" : "FAILS", what, value, relation, limit);
  std::fflush(stdout);
  holds_ = holds_ && holds;
}

void Experiment::at_most(std::string_view what, double value, double limit) {
  check(what, value, "<=", limit, value <= limit);
}

void Experiment::at_least(std::string_view what, double value, double limit) {
  check(what, value, ">=", limit, value >= limit);
}

std::vector<std::uint64_t> Experiment::seeds(std::uint64_t count, std::uint64_t few) const {
  std::vector<std::uint64_t> seeds(seeds_.count > 0 ? seeds_.count : quick_ ? few : count);
  std::iota(seeds.begin(), seeds.end(), seeds_.first);
  return seeds;
}

int run_experiment(int argc, char** argv, const std::string& name, const std::string& question,
                   const std::function<void(Experiment&)>& body, Shape shape) {
  CLI::App app(question, "experiment_" + name);
  std::string folder = "out/experiments", mesh;
  bool quick = false;
  app.add_option("-o,--output", folder, "folder for tables and images")->capture_default_str();
  app.add_flag("--quick", quick, "small size that takes seconds, with the same limits");
  if (shape == Shape::kOwnOrMesh) {
    app.add_option("mesh", mesh, "surface mesh to use instead of the default shape");
  }
  Experiment::Seeds seeds;
  if (shape == Shape::kDrawn) {
    app.add_option("--seed", seeds.first, "of the first case; the next ones follow it")
        ->capture_default_str();
    app.add_option("--count", seeds.count, "cases; without it as many as suit the size")
        ->check(CLI::Range(1, 1000000));
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kExitDone : kExitBadInput;
  }
  try {
    std::filesystem::create_directories(folder);
    Experiment experiment(name, folder, quick, mesh, seeds);
    body(experiment);
    return experiment.holds() ? kExitDone : kExitFailed;
  } catch (const InputError& error) {
    fmt::print(stderr, "experiment_{}: {}\n", name, error.what());
    return kExitBadInput;
  } catch (const std::exception& error) {
    fmt::print(stderr, "experiment_{}: {}\n", name, error.what());
    return kExitFailed;
  }
}

}  // namespace haptic
