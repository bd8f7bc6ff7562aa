#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "host/log/log_reader.h"

namespace haptic {

/// Values of one column in successive rows: reals, integers where the log has integers, or texts.
using ColumnValues =
    std::variant<std::vector<double>, std::vector<std::int64_t>, std::vector<std::string>>;

enum class ColumnKind : unsigned char { kReal, kInteger, kText };

struct TableColumn {
  std::string name;     ///< "device_force.x"
  std::string unit;     ///< "1" for a plain number and for texts
  std::string meaning;  ///< one line
  ColumnKind kind;
};

/// What is written to the files of other programs: columns of one log.
class ExportTable {
 public:
  using Block = std::vector<ColumnValues>;  ///< one for each column, all with the same rows

  virtual ~ExportTable() = default;
  virtual const LogReader& log() const = 0;
  virtual const std::vector<TableColumn>& columns() const = 0;
  virtual std::uint64_t rows() const = 0;
  /// Calls `use` with the blocks in order. @throws InputError if the log is damaged
  virtual void for_each_block(const std::function<void(const Block&)>& use) const = 0;
};

/// Number of values of a column.
std::size_t size_of(const ColumnValues& values);

}  // namespace haptic
