#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "host/export/export_table.h"
#include "host/export/row_choice.h"
#include "host/log/log_quantity.h"
#include "shared/progress.h"

namespace haptic {

/// Chosen columns and rows of a log, read block by block, so that a log of hours needs no more
/// memory than one of seconds.
class LogTable final : public ExportTable {
 public:
  /// @param names  as find_quantity; empty: everything of every cycle but the gap. The time is
  ///               always the first column.
  /// @param progress  told the fraction of the rows after each block
  /// @throws InputError for an unknown column, or if no row is chosen
  LogTable(const LogReader& log, const std::vector<std::string>& names, const RowChoice& choice,
           Progress progress = {});

  const LogReader& log() const override { return log_; }
  const std::vector<LogQuantity>& quantities() const { return quantities_; }
  /// Those of the quantities, one after the other.
  const std::vector<TableColumn>& columns() const override { return columns_; }
  std::uint64_t rows() const override { return rows_.size(); }
  void for_each_block(const std::function<void(const Block&)>& use) const override;

 private:
  Block read(std::uint64_t first, std::uint64_t last) const;

  const LogReader& log_;
  std::vector<LogQuantity> quantities_;
  std::vector<TableColumn> columns_;
  std::vector<std::uint64_t> rows_;
  Progress progress_;
};

}  // namespace haptic
