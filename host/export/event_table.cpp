#include "host/export/event_table.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "host/log/log_columns.h"
#include "shared/error.h"
#include "shared/files/regular_file.h"
#include "shared/ipc/event_text.h"

namespace haptic {
namespace {

constexpr std::string_view kGroup = "/events/";

std::int64_t integer_of(const EventRecord& event, const LogColumn& column) {
  if (column.type == FieldType::kUint32) {
    return element_at<std::uint32_t>(event, column.offset);
  }
  return element_at<std::int64_t>(event, column.offset);
}

template <class Value, class Function>
ColumnValues column_of(const std::vector<EventRecord>& events, const Function& function) {
  std::vector<Value> values;
  values.reserve(events.size());
  for (const EventRecord& event : events) values.push_back(function(event));
  return values;
}

ColumnValues values_of(const std::vector<EventRecord>& events, const LogColumn& column) {
  if (column.type == FieldType::kText) {
    return column_of<std::string>(events, [&](const EventRecord& event) {
      const char* text = reinterpret_cast<const char*>(&event) + column.offset;
      return std::string(text, strnlen(text, column.size));
    });
  }
  if (column.type == FieldType::kFloat64) {
    return column_of<double>(
        events, [&](const EventRecord& event) { return element_at<double>(event, column.offset); });
  }
  return column_of<std::int64_t>(
      events, [&](const EventRecord& event) { return integer_of(event, column); });
}

ColumnKind kind_of(FieldType type) {
  if (type == FieldType::kText) return ColumnKind::kText;
  return type == FieldType::kFloat64 ? ColumnKind::kReal : ColumnKind::kInteger;
}

/// Refuses numbers that a table, of signed integers, does not hold.
void check_integers(const LogReader& log, const LogColumn& column, const ColumnValues& values) {
  const auto* const integers = std::get_if<std::vector<std::int64_t>>(&values);
  if (column.type != FieldType::kUint64 || integers == nullptr) return;
  if (std::ranges::none_of(*integers, [](std::int64_t value) { return value < 0; })) return;
  throw InputError(log.path().string(), column.name, "found 2^63 or more", "integers below 2^63");
}

}  // namespace

EventTable::EventTable(const LogReader& log, const RowChoice& choice) : log_(log) {
  const double rate_hz = log.description().rate_hz;
  const auto time_of = [&](const EventRecord& event) {
    return static_cast<double>(event.cycle) / rate_hz;
  };
  std::vector<EventRecord> events = log.events();
  std::erase_if(events, [&](const EventRecord& event) {
    return !(time_of(event) >= choice.from_s && time_of(event) <= choice.until_s);
  });
  rows_ = events.size();
  columns_ = {{"time", "s", "cycle / rate: the hand's own time", ColumnKind::kReal},
              {"event", "1", "what happened, in words", ColumnKind::kText}};
  values_ = {column_of<double>(events, time_of), column_of<std::string>(events, event_text)};
  for (const LogColumn& column : event_columns()) {
    columns_.push_back({column.name.substr(kGroup.size()),
                        column.type == FieldType::kText ? "1" : std::string(column.unit),
                        std::string(column.meaning), kind_of(column.type)});
    values_.push_back(values_of(events, column));
    check_integers(log, column, values_.back());
  }
}

void EventTable::for_each_block(const std::function<void(const Block&)>& use) const {
  if (rows_ > 0) use(values_);
}

bool is_event_file(const std::filesystem::path& path) {
  constexpr std::string_view kCsv = "time [s],event,number,";
  constexpr std::string_view kParquetColumn = "meaning.event", kParquetWriter = "hapticd";
  constexpr std::size_t kParquetFooter = std::size_t{1} << 16;
  if (first_bytes(path, kCsv.size()) == kCsv) return true;
  const std::string footer = last_bytes(path, kParquetFooter);
  return footer.ends_with("PAR1") && footer.find(kParquetColumn) != std::string::npos &&
         footer.find(kParquetWriter) != std::string::npos;
}

}  // namespace haptic
