#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

#include "shared/ipc/shared_words.h"
#include "shared/ipc/telemetry_layout.h"
#include "shared/records.h"

namespace haptic {

enum class FieldType : std::uint8_t { kFloat64, kUint32, kUint64, kInt64, kText, kRecord };

/// The group of a log that has a column of a field.
enum class LogGroup : std::uint8_t { kNone, kSamples, kTiming, kEvents };

/// A field of a record as shared/records.h declares it.
struct RecordField {
  std::string_view name;
  std::string_view declared;           ///< type as declared: "PoseRecord"
  FieldType type;                      ///< of an element
  std::uint32_t count;                 ///< elements; 1 for a text
  std::size_t offset, size;            ///< bytes
  std::span<const RecordField> parts;  ///< of kRecord
  std::string_view unit, frame, meaning;
  LogGroup log = LogGroup::kNone;
  bool later = false;
  std::string_view angular{}, column{}, metric{}, label{};

  /// Of one of the parts.
  constexpr std::string_view meaning_of(const RecordField& part) const {
    if (!angular.empty() && part.offset > 0) return angular;
    return meaning.empty() ? part.meaning : meaning;
  }
};

/// Of a field with a metric: durations, a number that grows, a number.
constexpr std::string_view metric_type(const RecordField& field) {
  return field.type == FieldType::kRecord    ? "histogram"
         : field.type == FieldType::kFloat64 ? "gauge"
                                             : "counter";
}

/// An element of a field.
template <class Element, class Record>
Element element_at(const Record& record, std::size_t offset) {
  Element value;
  std::memcpy(&value, reinterpret_cast<const std::byte*>(&record) + offset, sizeof value);
  return value;
}

/// The fields of a record: std::array<RecordField, N>.
template <class Record>
inline constexpr std::nullptr_t kFieldsOf = nullptr;

template <class Element>
constexpr FieldType field_type() {
  if (std::is_class_v<Element>) return FieldType::kRecord;
  if (std::is_same_v<Element, char>) return FieldType::kText;
  if (std::is_same_v<Element, double>) return FieldType::kFloat64;
  if (std::is_same_v<Element, std::int64_t>) return FieldType::kInt64;
  static_assert(sizeof(Element) != 4 || std::is_enum_v<Element> || std::is_unsigned_v<Element>);
  return sizeof(Element) == 4 ? FieldType::kUint32 : FieldType::kUint64;
}

template <class Field>
constexpr std::uint32_t field_count() {
  using Element = std::remove_all_extents_t<Field>;
  return std::is_same_v<Element, char> ? 1 : sizeof(Field) / sizeof(Element);
}

template <class Field>
constexpr std::span<const RecordField> field_parts() {
  using Element = std::remove_all_extents_t<Field>;
  if constexpr (field_type<Element>() == FieldType::kRecord) {
    return kFieldsOf<Element>;
  } else {
    return {};
  }
}

/// Defines kFieldsOf<Record>.
#define HAPTIC_DESCRIBE_RECORD(Record)                                   \
  static_assert(SharedPlain<Record>);                                    \
  template <>                                                            \
  inline constexpr auto kFieldsOf<Record> = [] {                         \
    using enum LogGroup;                                                 \
    using Self = Record;                                                 \
    return std::array{HAPTIC_FIELDS_OF_##Record(HAPTIC_DESCRIBE_FIELD)}; \
  }();
#define HAPTIC_DESCRIBE_FIELD(declared_type, field, field_unit, field_frame, field_meaning, ...) \
  RecordField{.name = #field,                                                                    \
              .declared = #declared_type,                                                        \
              .type = field_type<std::remove_all_extents_t<decltype(Self::field)>>(),            \
              .count = field_count<decltype(Self::field)>(),                                     \
              .offset = offsetof(Self, field),                                                   \
              .size = sizeof(Self::field),                                                       \
              .parts = field_parts<decltype(Self::field)>(),                                     \
              .unit = field_unit,                                                                \
              .frame = field_frame,                                                              \
              .meaning = field_meaning __VA_OPT__(, ) __VA_ARGS__},

HAPTIC_RECORDS(HAPTIC_DESCRIBE_RECORD)

struct RecordDescription {
  std::string_view name;
  std::size_t size;
  std::span<const RecordField> fields;
};

#define HAPTIC_LIST_RECORD(Record) RecordDescription{#Record, sizeof(Record), kFieldsOf<Record>},
inline constexpr std::array kTelemetryRecords = {HAPTIC_RECORDS(HAPTIC_LIST_RECORD)};
#undef HAPTIC_LIST_RECORD

/// Whether the fields follow each other to the record's end.
constexpr bool is_without_gaps(const RecordDescription& record) {
  std::size_t end = 0;
  for (const RecordField& field : record.fields) {
    if (field.offset != end) return false;
    end += field.size;
  }
  return end == record.size;
}
static_assert(std::ranges::all_of(kTelemetryRecords, is_without_gaps));

/// Two builds differ in this number if a name, a type, a unit, a frame or a place differs.
constexpr std::uint64_t hash_records(std::span<const RecordDescription> records) {
  LayoutHash hash;
  for (const RecordDescription& record : records) {
    hash.add(record.name).add(record.size);
    for (const RecordField& field : record.fields) {
      hash.add(field.name).add(field.declared).add(field.unit).add(field.frame);
      hash.add({field.offset, field.size});
    }
  }
  return hash.add({kEventCapacity, kFaultKinds}).value();
}
inline constexpr std::uint64_t kTelemetryLayoutHash = hash_records(kTelemetryRecords);

}  // namespace haptic
