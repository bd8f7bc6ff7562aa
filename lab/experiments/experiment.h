#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace haptic {

/// Rows of text under named columns; printed aligned, and written as CSV.
class ResultTable {
 public:
  explicit ResultTable(std::vector<std::string> columns) : columns_(std::move(columns)) {}

  /// @param cells one per column
  void add(std::vector<std::string> cells);
  std::string text() const;  ///< aligned with spaces, a line per row
  std::string csv() const;

 private:
  std::vector<std::string> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// One run of an experiment program: the output folder, the size, and the check of the numbers
/// against their limits.
class Experiment {
 public:
  struct Seeds {
    std::uint64_t first = 1, count = 0;  ///< count 0: as many as suit the size
  };
  Experiment(std::string name, std::filesystem::path folder, bool quick, std::string mesh,
             Seeds seeds)
      : name_(std::move(name)),
        folder_(std::move(folder)),
        quick_(quick),
        mesh_(std::move(mesh)),
        seeds_(seeds) {}

  /// A reduced size that takes seconds, for the test suite.
  bool quick() const { return quick_; }
  /// A mesh file of the user; empty: the default shape.
  const std::string& mesh() const { return mesh_; }
  /// Seeds of the cases of Shape::kDrawn: --count of them or, without it, `count`, `few` with
  /// --quick.
  std::vector<std::uint64_t> seeds(std::uint64_t count, std::uint64_t few) const;
  /// `folder/name[-suffix]extension`.
  std::filesystem::path path(std::string_view suffix, std::string_view extension) const;

  /// Prints the table under a heading and writes it as CSV.
  void report(std::string_view heading, const ResultTable& table,
              std::string_view suffix = {}) const;

  /// Prints the value with its limit; the program fails unless value <= limit (or >= limit).
  void at_most(std::string_view what, double value, double limit);
  void at_least(std::string_view what, double value, double limit);
  bool holds() const { return holds_; }

 private:
  void check(std::string_view what, double value, std::string_view relation, double limit,
             bool holds);

  std::string name_;
  std::filesystem::path folder_;
  bool quick_;
  std::string mesh_;
  Seeds seeds_;
  bool holds_ = true;
};

/// The body of an experiment.
enum class Shape {
  kOwn,        ///< always the default shape
  kOwnOrMesh,  ///< the default shape, or a surface mesh named by MESH
  kDrawn,      ///< cases that chance draws, with --seed FIRST and --count N
};

/// The main function of an experiment program: `NAME [--quick] [-o DIR] [MESH | --seed N --count
/// N]`.
/// @returns 0; 1 if a limit is violated or the experiment failed; 2 for bad usage or input
int run_experiment(int argc, char** argv, const std::string& name, const std::string& question,
                   const std::function<void(Experiment&)>& body, Shape shape = Shape::kOwn);

}  // namespace haptic
