#include "shared/ipc/record_fields.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace haptic {
namespace {

/// The hash with other fields of one record.
std::uint64_t hash_with(std::size_t record, std::span<const RecordField> fields) {
  auto records = kTelemetryRecords;
  records[record].fields = fields;
  return hash_records(records);
}

TEST(RecordFields, two_fields_of_one_size_that_swap_places_change_the_hash) {
  std::size_t pairs = 0;
  for (std::size_t r = 0; r < kTelemetryRecords.size(); ++r) {
    const RecordDescription& record = kTelemetryRecords[r];
    for (std::size_t i = 0; i < record.fields.size(); ++i) {
      for (std::size_t j = i + 1; j < record.fields.size(); ++j) {
        std::vector<RecordField> fields(record.fields.begin(), record.fields.end());
        if (fields[i].size != fields[j].size) continue;
        std::swap(fields[i], fields[j]);
        std::swap(fields[i].offset, fields[j].offset);
        EXPECT_NE(hash_with(r, fields), kTelemetryLayoutHash)
            << record.name << ": " << fields[i].name << ", " << fields[j].name;
        ++pairs;
      }
    }
  }
  EXPECT_GT(pairs, 500u);
}

TEST(RecordFields, a_name_a_type_a_unit_and_a_frame_change_the_hash_but_a_meaning_does_not) {
  const auto place = std::ranges::find(kTelemetryRecords, "SampleRecord", &RecordDescription::name);
  const auto record = static_cast<std::size_t>(place - kTelemetryRecords.begin());
  const auto changed = [&](auto change) {
    auto fields = kFieldsOf<SampleRecord>;
    change(fields.back());
    return hash_with(record, fields) != kTelemetryLayoutHash;
  };
  EXPECT_TRUE(changed([](RecordField& field) { field.name = "sum_ns"; }));
  EXPECT_TRUE(changed([](RecordField& field) { field.declared = "double"; }));
  EXPECT_TRUE(changed([](RecordField& field) { field.unit = "us"; }));
  EXPECT_TRUE(changed([](RecordField& field) { field.frame = "world"; }));
  EXPECT_FALSE(changed([](RecordField& field) { field.meaning = "in other words"; }));
}

TEST(RecordFields, a_gap_before_or_after_a_field_is_found) {
  const auto& fields = kFieldsOf<ParameterRecord>;
  const RecordDescription whole{"", sizeof(ParameterRecord), fields};
  EXPECT_TRUE(is_without_gaps(whole));
  EXPECT_FALSE(is_without_gaps({"", whole.size, whole.fields.first(fields.size() - 1)}));
  EXPECT_FALSE(is_without_gaps({"", whole.size, whole.fields.subspan(1)}));
}

TEST(RecordFields, every_field_has_a_unit_a_frame_and_a_meaning) {
  for (const RecordDescription& record : kTelemetryRecords) {
    for (const RecordField& field : record.fields) {
      const std::string name = std::string(record.name) + "." + std::string(field.name);
      EXPECT_FALSE(field.unit.empty()) << name;
      EXPECT_TRUE(field.frame == "-" || field.frame == "device" || field.frame == "world" ||
                  field.frame == "model")
          << name;
      // A record in this place may leave it to its own fields.
      EXPECT_TRUE(!field.meaning.empty() || field.name == "reserved" ||
                  field.type == FieldType::kRecord)
          << name;
    }
  }
}

}  // namespace
}  // namespace haptic
