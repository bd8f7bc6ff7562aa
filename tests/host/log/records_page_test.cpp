// The tables of the pages that list the fields of shared/records.h. With HAPTIC_WRITE_PAGES in the
// environment the pages are written.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "host/log/log_columns.h"

namespace haptic {
namespace {

std::string type_name(FieldType type, std::size_t count) {
  constexpr const char* kNames[] = {"float64", "uint32", "uint64", "int64", "text", "record"};
  const std::string name = kNames[static_cast<std::size_t>(type)];
  return count == 1 ? name : fmt::format("{}[{}]", name, count);
}

std::string columns_table() {
  std::string table = "| dataset | type | unit | frame | meaning |\n|---|---|---|---|---|\n";
  for (const auto columns : {sample_columns(), timing_columns(), event_columns()}) {
    for (const LogColumn& column : columns) {
      table += fmt::format("| `{}` | {} | {} | {} | {} |\n", column.name, type_name(column.type, 1),
                           column.unit, column.frame, column.meaning);
    }
  }
  return table;
}

std::string samples_table() {
  std::string table = "| field | type | unit | frame | meaning |\n|---|---|---|---|---|\n";
  const auto add = [&](const std::string& name, const RecordField& field, std::string_view frame,
                       std::string_view meaning) {
    table += fmt::format("| `{}` | {} | {} | {} | {} |\n", name, type_name(field.type, field.count),
                         field.unit, frame, meaning);
  };
  for (const RecordField& field : kFieldsOf<SampleRecord>) {
    if (field.name == "reserved") continue;
    if (field.parts.empty()) add(std::string(field.name), field, field.frame, field.meaning);
    for (const RecordField& part : field.parts) {
      add(fmt::format("{}.{}", field.name, part.name), part, field.frame, field.meaning_of(part));
    }
  }
  return table;
}

std::string metrics_table() {
  std::string table = "| metric | type | meaning |\n|---|---|---|\n";
  const auto add = [&](std::span<const RecordField> fields) {
    for (const RecordField& field : fields) {
      if (field.metric.empty()) continue;
      std::string label(field.label);
      if (const std::size_t equals = label.find('='); equals != std::string::npos) {
        label = label.insert(equals + 1, "\"") + '"';
      }
      if (!label.empty()) label = fmt::format("{{{}}}", label);
      table += fmt::format("| `{}{}` | {} | {} |\n", field.metric, label, metric_type(field),
                           field.meaning);
    }
  };
  add(kFieldsOf<Counters>);
  add(kFieldsOf<Statistics>);
  add(kFieldsOf<SampleRecord>);
  return table;
}

/// Compares what follows "<!-- NAME -->" up to the next empty line.
void expect_table(const std::string& page, const std::string& name, const std::string& table) {
  const std::string path = HAPTIC_SOURCE_DIR "/docs/" + page;
  std::ifstream file(path);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::string marker = "<!-- " + name + " -->\n\n";
  const std::size_t place = text.find(marker);
  ASSERT_NE(place, std::string::npos) << page << " has no " << marker;
  const std::size_t begin = place + marker.size();
  const std::size_t length = std::min(text.find("\n\n", begin), text.size() - 1) + 1 - begin;
  if (std::getenv("HAPTIC_WRITE_PAGES") != nullptr) {
    std::ofstream(path) << text.replace(begin, length, table);
  } else {
    EXPECT_EQ(text.substr(begin, length), table) << page << ": see shared/records.h";
  }
}

TEST(RecordsPage, the_record_pages_have_the_declared_fields) {
  expect_table("logs.md", "columns from shared/records.h", columns_table());
  expect_table("python.md", "samples from shared/records.h", samples_table());
  expect_table("metrics.md", "metrics from shared/records.h", metrics_table());
}

}  // namespace
}  // namespace haptic
