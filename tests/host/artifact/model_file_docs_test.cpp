// Compares docs/artifact.md with the section table, the packed structs and a written file.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "shared/artifact/attributes.h"
#include "shared/artifact/model_file.h"
#include "shared/artifact/user_block.h"
#include "tests/host/artifact/sample_model.h"

namespace haptic {
namespace {

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream row(line.substr(1));
  for (std::string cell; std::getline(row, cell, '|');) {
    const auto begin = cell.find_first_not_of(" `");
    const auto end = cell.find_last_not_of(" `");
    cells.push_back(begin == std::string::npos ? "" : cell.substr(begin, end - begin + 1));
  }
  return cells;
}

/// Rows of the table under a "## heading".
std::vector<std::vector<std::string>> table_under(const std::string& heading) {
  std::ifstream page(HAPTIC_SOURCE_DIR "/docs/artifact.md");
  std::vector<std::vector<std::string>> rows;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("## ")) inside = line == "## " + heading;
    if (inside && line.starts_with("| ")) rows.push_back(cells_of(line));
  }
  if (!rows.empty()) rows.erase(rows.begin());
  return rows;
}

/// The words of a cell, which has lost its first and last backtick.
std::vector<std::string> words_in_backticks(const std::string& cell) {
  std::vector<std::string> words;
  std::istringstream text(cell);
  for (std::string word; std::getline(text, word, '`');) {
    if (word != ", ") words.push_back(word);
  }
  return words;
}

std::string type_name(ElementType type) {
  switch (type) {
    case ElementType::kFloat32:
      return "float32";
    case ElementType::kFloat64:
      return "float64";
    case ElementType::kUint32:
      return "uint32";
    case ElementType::kUint8:
      return "uint8";
  }
  return {};
}

TEST(ArtifactDocs, the_section_table_is_kSections) {
  const auto rows = table_under("Sections");
  ASSERT_EQ(rows.size(), kSections.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const SectionInfo& info = kSections[i];
    const std::vector<std::string> expected = {std::string(info.name), type_name(info.type),
                                               std::string(info.shape), std::string(info.unit),
                                               std::string(info.meaning)};
    EXPECT_EQ(rows[i], expected);
  }
}

TEST(ArtifactDocs, the_attribute_table_is_kModelAttributes) {
  std::vector<std::string> documented, known;
  for (const auto& row : table_under("Attributes")) {
    for (const std::string& group : words_in_backticks(row[0])) {
      for (const std::string& name : words_in_backticks(row[1])) documented.push_back(group + name);
    }
  }
  for (const ModelAttributeName& attribute : kModelAttributes) {
    known.push_back(std::string(attribute.group) + std::string(attribute.name));
  }
  for (const std::string_view what : {kStageSeconds, kStagePeak}) {
    known.push_back(fmt::format("{}{}<stage>", kStagesGroup, what));
  }
  std::ranges::sort(documented);
  std::ranges::sort(known);
  EXPECT_EQ(documented, known);
}

TEST(ArtifactDocs, a_written_file_holds_the_documented_sections) {
  const auto folder = fresh_folder("docs");
  write_sample_model(folder / "sample.h5");
  write_sample_model(folder / "tetrahedra.h5", SampleElements::kTetrahedra);
  {
    const ModelFile hexahedra(folder / "sample.h5"), tetrahedra(folder / "tetrahedra.h5");
    EXPECT_FALSE(hexahedra.has("/mesh/tetrahedra"));
    for (const auto& row : table_under("Sections")) {
      const ModelFile& model = hexahedra.has(row[0]) ? hexahedra : tetrahedra;
      EXPECT_EQ(type_name(model.section(row[0]).type), row[1]);
    }
  }
  std::filesystem::remove_all(folder);
}

TEST(ArtifactDocs, the_layout_tables_are_the_packed_structs) {
  const std::map<std::string, std::pair<std::size_t, std::size_t>> header = {
#define HAPTIC_FIELD(type, field)                \
  {                                              \
#field, {                                    \
      offsetof(type, field), sizeof(type::field) \
    }                                            \
  }
      HAPTIC_FIELD(UserBlockHeader, magic),         HAPTIC_FIELD(UserBlockHeader, byte_order),
      HAPTIC_FIELD(UserBlockHeader, version),       HAPTIC_FIELD(UserBlockHeader, file_length),
      HAPTIC_FIELD(UserBlockHeader, section_count), HAPTIC_FIELD(UserBlockHeader, entry_size),
      HAPTIC_FIELD(UserBlockHeader, index_offset),  HAPTIC_FIELD(UserBlockHeader, index_length),
      HAPTIC_FIELD(UserBlockHeader, index_hash),    HAPTIC_FIELD(UserBlockHeader, header_hash)};
  const std::map<std::string, std::pair<std::size_t, std::size_t>> entry = {
      HAPTIC_FIELD(UserBlockEntry, name),   HAPTIC_FIELD(UserBlockEntry, type),
      HAPTIC_FIELD(UserBlockEntry, rank),   HAPTIC_FIELD(UserBlockEntry, shape),
      HAPTIC_FIELD(UserBlockEntry, offset), HAPTIC_FIELD(UserBlockEntry, length),
      HAPTIC_FIELD(UserBlockEntry, hash)};
#undef HAPTIC_FIELD
  for (const auto& [heading, fields] :
       {std::pair("Header", header), std::pair("Index entry", entry)}) {
    const auto rows = table_under(heading);
    ASSERT_EQ(rows.size(), fields.size());
    for (const auto& row : rows) {
      ASSERT_TRUE(fields.contains(row[2])) << row[2];
      const auto [offset, size] = fields.at(row[2]);
      EXPECT_EQ(row[0], fmt::format("{}", offset)) << row[2];
      EXPECT_EQ(row[1], fmt::format("{}", size)) << row[2];
    }
  }
  EXPECT_EQ(kUserBlockSize, 16384u);
  EXPECT_EQ(kMaxSections, 136u);
  EXPECT_EQ(kModelFormatVersion, 1u);
}

}  // namespace
}  // namespace haptic
