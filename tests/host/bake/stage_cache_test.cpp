#include "host/bake/stage_cache.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <fstream>

#include "shared/error.h"
#include "tests/host/bake/baking_folder.h"

namespace haptic {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class StageCacheTest : public testing::Test {
 protected:
  StageCacheTest() : folder("cache"), cache(folder.file("a.bake")), recipe(folder.file("a.toml")) {
    entry.key = {1, 2};
    entry.bytes.assign(1000, std::byte{7});
    entry.result = digest_of(entry.bytes);
    entry.seconds = 3.0;
    entry.notes = {"a note"};
  }
  std::string refusal() {
    try {
      StageCache opened(cache, recipe);
    } catch (const InputError& error) {
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
      EXPECT_THAT(error.what(), HasSubstr(cache.string()));
      return error.what();
    }
    return "opened";
  }

  BakingFolder folder;
  fs::path cache, recipe;
  StageEntry entry;
  std::string damage;
};

TEST_F(StageCacheTest, what_is_stored_is_loaded_under_its_key_only) {
  {
    const StageCache opened(cache, recipe);
    opened.store("modes", entry);
  }
  const StageCache opened(cache, recipe);
  const auto loaded = opened.load("modes", entry.key, damage);
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->bytes, entry.bytes);
  EXPECT_EQ(loaded->result, entry.result);
  EXPECT_EQ(loaded->seconds, 3.0);
  EXPECT_EQ(loaded->notes, entry.notes);
  EXPECT_FALSE(opened.load("modes", {1, 3}, damage));
  EXPECT_FALSE(opened.load("basis", entry.key, damage));
  EXPECT_EQ(damage, "");
}

TEST_F(StageCacheTest, a_damaged_or_truncated_file_is_not_used) {
  const StageCache opened(cache, recipe);
  opened.store("modes", entry);
  const std::string good = folder.read("a.bake/modes.stage");
  ASSERT_GT(good.size(), 1000u);
  for (std::size_t at = 0; at < good.size(); at += 7) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 4);
    folder.write("a.bake/modes.stage", bad);
    EXPECT_FALSE(opened.load("modes", entry.key, damage)) << at;
    folder.write("a.bake/modes.stage", good.substr(0, at));
    EXPECT_FALSE(opened.load("modes", entry.key, damage)) << at;
  }
  EXPECT_NE(damage, "");
  folder.write("a.bake/modes.stage", good);
  EXPECT_TRUE(opened.load("modes", entry.key, damage));
}

TEST_F(StageCacheTest, a_folder_with_other_files_is_refused_and_unchanged) {
  fs::create_directory(cache);
  folder.write("a.bake/thesis.tex", "all my work");
  EXPECT_THAT(refusal(), HasSubstr("found thesis.tex, expected a folder with nothing but"));
  EXPECT_EQ(folder.read("a.bake/thesis.tex"), "all my work");
  EXPECT_EQ(std::distance(fs::directory_iterator(cache), fs::directory_iterator()), 1);
  fs::remove_all(cache);
  fs::create_directories(cache / "modes.stage");  // a folder under a result's name
  EXPECT_THAT(refusal(), HasSubstr("found modes.stage"));
  fs::remove_all(cache);
  folder.write("a.bake", "a file");
  EXPECT_THAT(refusal(), HasSubstr("found a file, expected a folder"));
  EXPECT_EQ(folder.read("a.bake"), "a file");
}

TEST_F(StageCacheTest, the_folder_of_another_recipe_is_refused_and_unchanged) {
  { StageCache(cache, recipe).store("modes", entry); }
  recipe = folder.file("b.toml");
  EXPECT_THAT(refusal(), HasSubstr("found the results of another recipe (../a.toml)"));
  recipe = folder.file("a.toml");
  EXPECT_TRUE(StageCache(cache, recipe).load("modes", entry.key, damage));
  fs::remove(cache / "manifest");
  EXPECT_THAT(refusal(), HasSubstr("results without a manifest"));
  folder.write("a.bake/manifest", "something else\n");
  EXPECT_THAT(refusal(), HasSubstr("found \"something else\""));
}

TEST_F(StageCacheTest, a_folder_that_moves_with_its_recipe_keeps_its_results) {
  { StageCache(cache, recipe).store("modes", entry); }
  fs::create_directory(folder.file("moved"));
  fs::rename(cache, folder.file("moved/a.bake"));
  EXPECT_TRUE(StageCache(folder.file("moved/a.bake"), folder.file("moved/a.toml"))
                  .load("modes", entry.key, damage));
}

TEST_F(StageCacheTest, a_second_bake_in_the_same_folder_is_refused) {
  const StageCache opened(cache, recipe);
  try {
    StageCache second(cache, recipe);
    FAIL() << "both have the lock";
  } catch (const OperationError& error) {
    EXPECT_THAT(error.what(), HasSubstr("another bake is using it"));
  }
}

TEST_F(StageCacheTest, partial_files_of_an_interrupted_bake_are_removed) {
  { StageCache(cache, recipe).store("modes", entry); }
  folder.write("a.bake/basis.stage.tmp0123456789abcdef", "half");
  folder.write("a.bake/manifest.tmp0123456789abcdef", "half");
  const StageCache opened(cache, recipe);
  EXPECT_FALSE(fs::exists(cache / "basis.stage.tmp0123456789abcdef"));
  EXPECT_FALSE(fs::exists(cache / "manifest.tmp0123456789abcdef"));
  EXPECT_TRUE(opened.load("modes", entry.key, damage));
}

TEST_F(StageCacheTest, a_missing_parent_is_refused) {
  cache = folder.file("none/a.bake");
  EXPECT_THAT(refusal(), HasSubstr("cannot be made"));
}

}  // namespace
}  // namespace haptic
