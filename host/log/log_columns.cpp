#include "host/log/log_columns.h"

#include <vector>

namespace haptic {
namespace {

LogColumn column_of(const RecordField& field, std::string name) {
  return {std::move(name), field.unit,   field.frame, field.meaning, field.type,
          field.count,     field.offset, field.size,  field.later};
}

/// "device_" of "device_pose", "pull_" of "pull".
std::string prefix_of(std::string_view field) {
  return std::string(field.substr(0, field.rfind('_'))) + '_';
}

/// Of a field that is a record: a column for each of its fields.
void add_parts(std::vector<LogColumn>& columns, const std::string& group,
               const RecordField& field) {
  for (const RecordField& part : field.parts) {
    LogColumn column =
        column_of(part, group + prefix_of(field.name) +
                            std::string(part.column.empty() ? part.name : part.column));
    column.meaning = field.meaning_of(part);
    if (field.frame != "-") column.frame = field.frame;
    column.offset += field.offset;
    column.later = field.later;
    columns.push_back(std::move(column));
  }
}

std::vector<LogColumn> columns_of(std::span<const RecordField> fields, LogGroup group,
                                  const std::string& name) {
  std::vector<LogColumn> columns;
  for (const RecordField& field : fields) {
    if (field.log != group) continue;
    if (field.type == FieldType::kRecord) {
      add_parts(columns, name, field);
    } else {
      columns.push_back(column_of(field, name + std::string(field.name)));
    }
  }
  return columns;
}

/// Of a vector a column for each axis.
std::vector<LogColumn> split_vectors(const std::vector<LogColumn>& columns) {
  std::vector<LogColumn> split;
  for (const LogColumn& column : columns) {
    for (std::size_t axis = 0; axis < column.width; ++axis) {
      LogColumn& part = split.emplace_back(column);
      if (column.width == 1) continue;
      part.name += std::string("_") + "xyz"[axis];
      if (axis > 0) part.meaning = "likewise";
      part.width = 1;
      part.size = column.size / column.width;
      part.offset += axis * part.size;
    }
  }
  return split;
}

}  // namespace

std::span<const LogColumn> sample_columns() {
  static const auto columns = columns_of(kFieldsOf<SampleRecord>, LogGroup::kSamples, "/samples/");
  return columns;
}
std::span<const LogColumn> timing_columns() {
  static const auto columns = columns_of(kFieldsOf<SampleRecord>, LogGroup::kTiming, "/timing/");
  return columns;
}
std::span<const LogColumn> event_columns() {
  static const auto columns =
      split_vectors(columns_of(kFieldsOf<EventRecord>, LogGroup::kEvents, "/events/"));
  return columns;
}

}  // namespace haptic
