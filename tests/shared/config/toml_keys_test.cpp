// Unknown keys of a document whose keys are described.
#include <gtest/gtest.h>

#include <string>

#include "shared/config/document_keys.h"
#include "shared/config/toml_reader.h"
#include "shared/error.h"

namespace haptic {
namespace {

const DocumentKey kHouseKeys[] = {
    {"wall[]", KeyKind::kTables, "-", "", "none", "Walls."},
    {"wall[].stiffness", KeyKind::kNumber, "N/m", "> 0", "required", "Stiffness of a wall."},
    {"wall[].temperature", KeyKind::kNumber, "K", "> 0", "none", "Temperature of a wall."},
    {"garden.height", KeyKind::kNumber, "m", "> 0", "none", "Height of the trees."},
};
const KeyGroup kHouse[] = {{"house", "", "", "", kHouseKeys}};

/// The refusal of a wall with `line`, of which a reader asks for the stiffness only.
std::string refusal(const std::string& line) {
  const TomlTable root =
      TomlDocument::parse("[[wall]]\nstiffness = 1\n" + line + "\n", "house.toml").root();
  root.use_keys(kHouse);
  const TomlTable wall = root.tables("wall").front();
  wall.number("stiffness", NumberRange::positive("N/m"));
  try {
    wall.finish();
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

TEST(TomlKeys, an_unknown_key_names_the_nearest_described_one) {
  EXPECT_EQ(refusal("temprature = 3"),
            "house.toml:3: wall[0].temprature: unknown key (did you mean \"temperature\"?)");
}

TEST(TomlKeys, a_described_key_that_the_reader_did_not_ask_for_has_no_effect) {
  EXPECT_EQ(refusal("temperature = 3"),
            "house.toml:3: wall[0].temperature: this key has no effect with the other keys of its "
            "table");
}

TEST(TomlKeys, a_key_of_another_table_is_told_where_it_belongs) {
  EXPECT_EQ(refusal("height = 3"),
            "house.toml:3: wall[0].height: unknown key (it is a key of [garden])");
  EXPECT_EQ(refusal("wall = 3"),
            "house.toml:3: wall[0].wall: unknown key (it is a key of the top-level table)");
  EXPECT_EQ(refusal("zzzzzz = 3"),
            "house.toml:3: wall[0].zzzzzz: unknown key (known keys: stiffness temperature)");
}

}  // namespace
}  // namespace haptic
