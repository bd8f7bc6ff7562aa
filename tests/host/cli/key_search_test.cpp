#include "host/cli/key_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "shared/config/document_keys.h"

namespace haptic {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;
using testing::UnorderedElementsAre;

/// "scene, world = \"cloth\": cloth.wind"
std::vector<std::string> found(std::string_view word) {
  std::vector<std::string> names;
  for (const FoundKey& key : find_keys(all_keys(), word)) {
    names.push_back(key.document + (key.condition.empty() ? "" : ", " + key.condition) + ": " +
                    key.path);
  }
  return names;
}

TEST(KeySearch, no_key_is_described_twice) {
  std::set<std::tuple<std::string, std::string, std::string>> places;
  const std::vector<FoundKey> all = all_keys();
  EXPECT_GT(all.size(), 500u);
  for (const FoundKey& key : all) {
    EXPECT_TRUE(places.emplace(key.document, key.condition, key.path).second) << key.path;
    // Neither has a key of one kind of scene or manifest that every kind has.
    if (!key.condition.empty()) {
      EXPECT_FALSE(places.contains({key.document, "", key.path})) << key.path;
    }
  }
  EXPECT_THAT(documents(all),
              ElementsAre("recipe", "scene", "manifest", "load-script", "calibration-file"));
}

TEST(KeySearch, every_key_is_found_by_its_own_path) {
  const std::vector<FoundKey> all = all_keys();
  for (const FoundKey& key : all) {
    const auto matches = [&](const FoundKey& other) {
      return other.document == key.document && other.condition == key.condition &&
             other.path == key.path;
    };
    EXPECT_TRUE(std::ranges::any_of(find_keys(all, key.path), matches)) << key.path;
    EXPECT_TRUE(std::ranges::any_of(find_keys(all, key.document + "." + key.path), matches));
    EXPECT_TRUE(std::ranges::any_of(find_keys(all, name_of_key(key.path)), matches)) << key.path;
  }
}

TEST(KeySearch, every_word_of_the_completion_is_found) {
  const std::vector<FoundKey> all = all_keys();
  const std::vector<std::string> words = key_words(all);
  EXPECT_THAT(words, IsSupersetOf({"scene", "contact", "stiffness", "contact.friction.static",
                                   "scene.contact.friction.static", "coupling.stiffness"}));
  EXPECT_EQ(std::ranges::adjacent_find(words, std::greater_equal<>()), words.end());
  for (const std::string& word : words) {
    EXPECT_FALSE(find_keys(all, word).empty()) << word;
    EXPECT_EQ(word.find_first_of("[]\"$` "), std::string::npos) << word;
    EXPECT_EQ(word.find("BODY"), std::string::npos) << word;
  }
}

TEST(KeySearch, a_bare_key_is_found_wherever_it_occurs) {
  EXPECT_THAT(found("poisson_ratio"), ElementsAre("recipe: material.poisson_ratio",
                                                  "recipe: material.group[].poisson_ratio"));
  EXPECT_THAT(found("contact.friction"),
              UnorderedElementsAre("scene, world = \"solids\": contact[].friction",
                                   "scene, world = \"solids\": contact[].friction.static",
                                   "scene, world = \"solids\": contact[].friction.dynamic",
                                   "scene, world = \"solids\": contact[].friction.stiffness",
                                   "scene, world = \"condensed\": contact.friction",
                                   "scene, world = \"cloth\": contact.friction"));
  EXPECT_EQ(found("[[contact]]"), found("contact"));
  EXPECT_EQ(found("body[3].shape"), found("body.shape"));
  EXPECT_THAT(found("recipe.cloth.mass"), ElementsAre("recipe: cloth.mass"));
  // The end of a word is no key.
  EXPECT_THAT(found("ratio"), IsEmpty());
  EXPECT_THAT(found("oefficient"), IsEmpty());
}

TEST(KeySearch, a_document_has_all_of_its_keys) {
  EXPECT_THAT(found("scene"), Contains("scene: rate_hz"));
  EXPECT_THAT(found("scene"), Contains("scene, world = \"cloth\": touch.hand"));
  EXPECT_THAT(found("scene"), Not(Contains("recipe: source.mesh")));
  EXPECT_THAT(found("scene.device.name"), ElementsAre("scene: device.name"));
}

TEST(KeySearch, a_parameter_of_the_daemon_is_found_by_its_name) {
  EXPECT_THAT(found("coupling.stiffness"), ElementsAre("scene: coupling.stiffness"));
  EXPECT_THAT(found("limits.force"), ElementsAre("scene: limits.force"));
  EXPECT_THAT(found("cloth.wind_y"), ElementsAre("scene, world = \"cloth\": cloth.wind"));
  EXPECT_THAT(found("lift.target"), ElementsAre("scene, world = \"solids\": joint[].target",
                                                "scene, world = \"solids\": joint[].servo.target"));
  EXPECT_THAT(found("beam.dimension"), ElementsAre("scene: body[].dimension"));
  EXPECT_THAT(found("beam.stiffness"),
              ElementsAre("recipe: material.youngs_modulus", "recipe: material.elasticity"));
  EXPECT_THAT(found("cow.density.rim"),
              ElementsAre("recipe: material.density", "recipe: material.group[].density"));
  EXPECT_EQ(find_keys(all_keys(), "lift.target").front().parameter, "lift.target");
  EXPECT_EQ(find_keys(all_keys(), "coupling.stiffness").front().parameter, "");
  EXPECT_THAT(found("beam."), IsEmpty());
  EXPECT_THAT(found(".stiffness"), IsEmpty());
  EXPECT_THAT(found(""), IsEmpty());
}

TEST(KeySearch, a_slip_finds_the_nearest_word) {
  const std::vector<FoundKey> all = all_keys();
  EXPECT_EQ(nearest_key(all, "stifness"), "stiffness");
  EXPECT_EQ(nearest_key(all, "contact.stifness"), "contact.stiffness");
  EXPECT_EQ(nearest_key(all, "recipi"), "recipe");
  EXPECT_EQ(nearest_key(all, "cloth.wind_w").substr(0, 10), "cloth.wind");
  EXPECT_EQ(nearest_key(all, "qqqqqqqqqqqqqqq"), "");
  EXPECT_EQ(nearest_key(all, "a b"), "");
  EXPECT_EQ(nearest_key(all, "\xff"), "");
  EXPECT_EQ(nearest_key(all, ""), "");
  // Half of the letters may differ, and no more.
  EXPECT_EQ(nearest_key(all, "mexx"), "mesh");
  EXPECT_EQ(nearest_key(all, "qqqq"), "");
}

}  // namespace
}  // namespace haptic
