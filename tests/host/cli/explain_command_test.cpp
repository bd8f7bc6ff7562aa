// `haptic explain`, through the built executable.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "tests/host/bake/baking_folder.h"

namespace haptic {
namespace {

using testing::HasSubstr;

class ExplainCommand : public testing::Test {
 protected:
  Finished run(const std::string& arguments) {
    return folder_.shell(HAPTIC_EXECUTABLE " explain " + arguments);
  }
  std::string text(const std::string& arguments) {
    const Finished result = run(arguments);
    EXPECT_EQ(result.code, 0) << result.error;
    EXPECT_EQ(result.error, "");
    return result.out;
  }
  BakingFolder folder_{"explain"};
};

TEST_F(ExplainCommand, a_key_has_value_range_default_meaning_and_parameter) {
  EXPECT_EQ(text("coupling.stiffness"),
            "scene: [coupling] stiffness\n"
            "  number [N/m], 1 to 1e5; default 400\n"
            "  Stiffness of the coupling, simulated; the hand feels it times length_scale.\n"
            "  While a daemon runs: haptic set coupling.stiffness VALUE\n");
  EXPECT_EQ(text("servo_rate_hz"),
            "scene: servo_rate_hz\n"
            "  number [Hz], 1 to 1e5; without it: rate_hz\n"
            "  Exchanges with the device per second, a whole multiple of rate_hz.\n");
  EXPECT_THAT(text("coupling.mode"),
              HasSubstr("\n  \"static\" or \"dynamic\"; default \"static\"\n"));
  EXPECT_THAT(text("friction.static"), HasSubstr("\n  number, 0 to 100; required\n"));
  EXPECT_THAT(text("material.elasticity"), HasSubstr("\n  array of 21 numbers [Pa]; without it: "));
  EXPECT_THAT(text("touch.hand"), HasSubstr("scene with world = \"cloth\": [touch] hand\n"));
  EXPECT_THAT(text("io.priority"), HasSubstr("manifest with kind = \"falcon\": [io] priority\n"));
}

TEST_F(ExplainCommand, a_key_of_several_tables_is_explained_in_each) {
  const std::string all = text("stiffness");
  for (const char* place :
       {"scene: [coupling] stiffness\n", "scene with world = \"solids\": [[contact]] stiffness\n",
        "scene with world = \"cloth\": [contact] stiffness\n",
        "recipe: [cloth.structural] stiffness\n",
        "manifest with kind = \"comedi-arm\": [rating] stiffness\n"}) {
    EXPECT_THAT(all, HasSubstr(place));
  }
}

TEST_F(ExplainCommand, a_document_has_one_line_for_each_key) {
  const std::string recipe = text("recipe");
  const auto json = nlohmann::json::parse(text("--json recipe"));
  // And the heading.
  EXPECT_EQ(std::ranges::count(recipe, '\n'), std::ptrdiff_t(json["keys"].size()) + 1);
  EXPECT_THAT(recipe, HasSubstr("  material.density "));
  const std::string manifest = text("manifest");
  EXPECT_THAT(manifest, HasSubstr("\nmanifest with kind = \"external\"\n"));
  EXPECT_THAT(text("scene"), HasSubstr("\nscene with world = \"condensed\"\n"));
}

TEST_F(ExplainCommand, json_has_every_field) {
  const auto json = nlohmann::json::parse(text("--json contact.stiffness"));
  EXPECT_EQ(json["word"], "contact.stiffness");
  ASSERT_EQ(json["keys"].size(), 2u);
  const nlohmann::json& key = json["keys"][0];
  EXPECT_EQ(key["document"], "scene");
  EXPECT_EQ(key["condition"], "world = \"solids\"");
  EXPECT_EQ(key["key"], "contact[].stiffness");
  EXPECT_EQ(key["value"], "number");
  EXPECT_EQ(key["unit"], "N/m");
  EXPECT_EQ(key["range"], "0.01 to 1e6");
  EXPECT_EQ(key["absent"], "200");
  EXPECT_EQ(key["parameters"], nlohmann::json({"contact.stiffness"}));
  EXPECT_TRUE(key["choices"].is_null());
  EXPECT_FALSE(key["meaning"].get<std::string>().empty());
  const auto mode = nlohmann::json::parse(text("--json coupling.mode"))["keys"][0];
  EXPECT_EQ(mode["choices"], nlohmann::json({"static", "dynamic"}));
  EXPECT_TRUE(mode["unit"].is_null());
  EXPECT_TRUE(mode["condition"].is_null());
}

TEST_F(ExplainCommand, an_unknown_word_names_the_nearest_in_one_line) {
  const auto refused = [&](const std::string& word) {
    const Finished result = run(word);
    EXPECT_EQ(result.code, 2) << word;
    EXPECT_EQ(result.out, "") << word;
    EXPECT_EQ(std::ranges::count(result.error, '\n'), 1) << result.error;
    return result.error;
  };
  EXPECT_EQ(refused("stifness"),
            "haptic: explain: stifness: unknown key (did you mean \"stiffness\"?)\n");
  EXPECT_EQ(refused("qqqqqqqqqqqq"),
            "haptic: explain: qqqqqqqqqqqq: unknown key (all keys of a document: recipe, scene, "
            "manifest, load-script, calibration-file)\n");
  EXPECT_THAT(refused("''"), HasSubstr("unknown key"));
  EXPECT_THAT(refused("$'a\\nb'"), HasSubstr("unknown key"));
  EXPECT_THAT(refused("$(head -c 100000 /dev/zero | tr '\\0' x)"), HasSubstr("unknown key"));
  EXPECT_THAT(refused(""), HasSubstr("KEY is required"));
}

}  // namespace
}  // namespace haptic
