#pragma once

#include <filesystem>
#include <vector>

#include "host/export/export_table.h"
#include "host/export/row_choice.h"

namespace haptic {

/// The events of a log as a table: their time, the line that `haptic report` has, and every column
/// of the group /events.
class EventTable final : public ExportTable {
 public:
  /// @param choice  the events of its time
  /// @throws InputError if the events are damaged
  EventTable(const LogReader& log, const RowChoice& choice);

  const LogReader& log() const override { return log_; }
  const std::vector<TableColumn>& columns() const override { return columns_; }
  std::uint64_t rows() const override { return rows_; }
  void for_each_block(const std::function<void(const Block&)>& use) const override;
  /// All rows.
  const Block& values() const { return values_; }

 private:
  const LogReader& log_;
  std::vector<TableColumn> columns_;
  Block values_;
  std::uint64_t rows_ = 0;
};

/// Whether a file is a table of events that write_csv or write_parquet wrote: it may be replaced
/// though nobody has typed its name.
bool is_event_file(const std::filesystem::path& path);

}  // namespace haptic
