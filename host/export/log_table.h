#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "host/export/row_choice.h"
#include "host/log/log_quantity.h"
#include "shared/progress.h"

namespace haptic {

/// Values of one column in successive rows: integers where the log has integers, else reals.
using ColumnValues = std::variant<std::vector<double>, std::vector<std::int64_t>>;

/// One column of numbers.
struct TableColumn {
  std::string name;     ///< "device_force.x"
  std::string unit;     ///< "1" for a plain number
  std::string meaning;  ///< one line
  bool is_integer;
};

/// Chosen columns and rows of a log, read block by block, so that a log of hours needs no more
/// memory than one of seconds.
class LogTable {
 public:
  using Block = std::vector<ColumnValues>;  ///< one for each column, all with the same rows

  /// @param names  as find_quantity; empty: everything of every cycle but the gap. The time is
  ///               always the first column.
  /// @param progress  told the fraction of the rows after each block
  /// @throws InputError for an unknown column, or if no row is chosen
  LogTable(const LogReader& log, const std::vector<std::string>& names, const RowChoice& choice,
           Progress progress = {});

  const LogReader& log() const { return log_; }
  const std::vector<LogQuantity>& quantities() const { return quantities_; }
  /// Those of the quantities, one after the other.
  const std::vector<TableColumn>& columns() const { return columns_; }
  std::uint64_t rows() const { return rows_.size(); }

  /// Calls `use` with the blocks in order. @throws InputError if the log is damaged
  void for_each_block(const std::function<void(const Block&)>& use) const;

 private:
  Block read(std::uint64_t first, std::uint64_t last) const;

  const LogReader& log_;
  std::vector<LogQuantity> quantities_;
  std::vector<TableColumn> columns_;
  std::vector<std::uint64_t> rows_;
  Progress progress_;
};

/// Number of values of a column.
std::size_t size_of(const ColumnValues& values);

}  // namespace haptic
