#include "host/export/event_table.h"

#include <cstring>
#include <string_view>

#include "host/log/event_columns.h"
#include "shared/ipc/event_text.h"

namespace haptic {
namespace {

constexpr std::string_view kGroup = "/events/";

template <class T>
T number_at(const EventRecord& event, std::size_t offset) {
  T value;
  std::memcpy(&value, reinterpret_cast<const std::byte*>(&event) + offset, sizeof value);
  return value;
}

std::int64_t integer_of(const EventRecord& event, const EventColumn& column) {
  if (column.type == EventColumn::Type::kUint32) {
    return number_at<std::uint32_t>(event, column.offset);
  }
  return number_at<std::int64_t>(event, column.offset);
}

template <class Value, class Function>
ColumnValues column_of(const std::vector<EventRecord>& events, const Function& function) {
  std::vector<Value> values;
  values.reserve(events.size());
  for (const EventRecord& event : events) values.push_back(function(event));
  return values;
}

ColumnValues values_of(const std::vector<EventRecord>& events, const EventColumn& column) {
  switch (column.type) {
    case EventColumn::Type::kText:
      return column_of<std::string>(events, [&](const EventRecord& event) {
        const char* text = reinterpret_cast<const char*>(&event) + column.offset;
        return std::string(text, strnlen(text, column.size));
      });
    case EventColumn::Type::kFloat64:
      return column_of<double>(events, [&](const EventRecord& event) {
        return number_at<double>(event, column.offset);
      });
    case EventColumn::Type::kUint32:
    case EventColumn::Type::kUint64:
    case EventColumn::Type::kInt64:
      break;
  }
  return column_of<std::int64_t>(
      events, [&](const EventRecord& event) { return integer_of(event, column); });
}

ColumnKind kind_of(EventColumn::Type type) {
  if (type == EventColumn::Type::kText) return ColumnKind::kText;
  return type == EventColumn::Type::kFloat64 ? ColumnKind::kReal : ColumnKind::kInteger;
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
  for (const EventColumn& column : event_columns()) {
    columns_.push_back({std::string(column.name.substr(kGroup.size())),
                        column.type == EventColumn::Type::kText ? "1" : std::string(column.unit),
                        std::string(column.meaning), kind_of(column.type)});
    values_.push_back(values_of(events, column));
  }
}

void EventTable::for_each_block(const std::function<void(const Block&)>& use) const {
  if (rows_ > 0) use(values_);
}

}  // namespace haptic
