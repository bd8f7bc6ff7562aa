#include "shared/config/document_keys.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace haptic {
namespace {

const DocumentKey kKeys[] = {
    {"wall[]", KeyKind::kTables, "-", "", "none", "Walls."},
    {"wall[].stiffness", KeyKind::kNumber, "N/m", "> 0", "required", "Stiffness of a wall."},
    {"wall[].paint.colour", KeyKind::kText, "-", "", "grey", "Colour of a wall."},
};
const KeyGroup kGroups[] = {{"house", "", "", "", kKeys}, {"house", "", "", "roof.", kKeys}};

TEST(DocumentKeys, a_pattern_has_no_numbers_in_brackets) {
  EXPECT_EQ(key_pattern("body[3].model"), "body[].model");
  EXPECT_EQ(key_pattern("material.group[12]"), "material.group[]");
  EXPECT_EQ(key_pattern("body[].model"), "body[].model");
  EXPECT_EQ(key_pattern(""), "");
}

TEST(DocumentKeys, a_path_is_a_table_and_a_name) {
  EXPECT_EQ(table_of("contact[].friction.static"), "contact[].friction");
  EXPECT_EQ(table_of("rate_hz"), "");
  EXPECT_EQ(name_of_key("contact[].friction.static"), "static");
  EXPECT_EQ(name_of_key("material.group[]"), "group");
  EXPECT_EQ(name_of_key("rate_hz"), "rate_hz");
}

TEST(DocumentKeys, a_table_is_written_as_its_header) {
  EXPECT_EQ(written_table(""), "the top-level table");
  EXPECT_EQ(written_table("coupling"), "[coupling]");
  EXPECT_EQ(written_table("material.group[]"), "[[material.group]]");
  EXPECT_EQ(written_table("contact[].friction"), "[contact.friction]");
}

TEST(DocumentKeys, the_keys_of_a_table_are_those_of_all_groups_under_their_prefix) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(keys_in_table(kGroups, ""), Names{"wall"});
  EXPECT_EQ(keys_in_table(kGroups, "wall[]"), Names{"stiffness"});
  EXPECT_EQ(keys_in_table(kGroups, "roof"), Names{"wall"});
  EXPECT_EQ(keys_in_table(kGroups, "roof.wall[].paint"), Names{"colour"});
  EXPECT_EQ(keys_in_table(kGroups, "cellar"), Names{});
}

TEST(DocumentKeys, numbers_and_ranges_are_written_as_in_descriptions) {
  EXPECT_EQ(number_text(0.0), "0");
  EXPECT_EQ(number_text(0.05), "0.05");
  EXPECT_EQ(number_text(-1e6), "-1e6");
  EXPECT_EQ(number_text(1e-9), "1e-9");
  EXPECT_EQ(number_text(16384), "16384");
  EXPECT_EQ(number_text(4e6), "4e6");
  EXPECT_EQ(number_text(1.5e5), "150000");
  EXPECT_EQ(number_text(4294967295.0), "4294967295");
  EXPECT_EQ(range_text(NumberRange::any()), "");
  EXPECT_EQ(range_text(NumberRange::positive()), "> 0");
  EXPECT_EQ(range_text(NumberRange::non_negative()), ">= 0");
  EXPECT_EQ(range_text(NumberRange::between(0, 1)), "0 to 1");
  EXPECT_EQ(range_text({.minimum = 0, .maximum = 1, .minimum_excluded = true}),
            "above 0, at most 1");
  EXPECT_EQ(array_text("numbers", 3, NumberRange::any()), "3 numbers");
  EXPECT_EQ(array_text("integers", 0, NumberRange::between(0, 31)), "integers, each 0 to 31");
}

}  // namespace
}  // namespace haptic
