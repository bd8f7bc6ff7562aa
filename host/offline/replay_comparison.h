#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "host/log/log_reader.h"

namespace haptic {

/// Columns of a log beside the same numbers computed again.
class ReplayComparison {
 public:
  /// The first number that is not equal.
  struct Difference {
    std::uint64_t cycle = 0;
    std::string column;
    bool operator==(const Difference&) const = default;
  };

  explicit ReplayComparison(const LogReader& log) : log_(log) {}
  void add_column(const std::string& name) {
    columns_[name] = {log_.column(name), log_.width(name), 0.0};
  }

  /// @param values  of row `row`, which is cycle `cycle`; at least as many as the column is wide
  template <typename Values>
  void add(const std::string& name, std::uint64_t row, std::uint64_t cycle, const Values& values) {
    Column& column = columns_.at(name);
    for (std::size_t i = 0; i < column.width; ++i) {
      note(name, column, cycle, std::abs(values[i] - column.values[row * column.width + i]));
    }
  }

  std::map<std::string, double> largest() const;
  const std::optional<Difference>& first() const { return first_; }

 private:
  struct Column {
    std::vector<double> values;
    std::size_t width = 1;
    double largest = 0.0;
  };
  void note(const std::string& name, Column& column, std::uint64_t cycle, double difference);

  const LogReader& log_;
  std::map<std::string, Column> columns_;
  std::optional<Difference> first_;
};

}  // namespace haptic
