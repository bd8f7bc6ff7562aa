#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "host/bake/recipe.h"
#include "shared/error.h"
#include "tests/host/bake/baking_folder.h"

namespace haptic {

/// Reads recipes from text, in a folder with meshes.
class RecipeFixture : public testing::Test {
 protected:
  explicit RecipeFixture(const char* name) : folder(name) {}
  Recipe load(const std::string& text) {
    folder.write("r.toml", text);
    return load_recipe(folder.file("r.toml"));
  }
  /// The error message, which names the file; "accepted" if there is none.
  std::string refusal(const std::string& text) {
    try {
      load(text);
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("r.toml"));
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
      return error.what();
    }
    return "accepted";
  }
  BakingFolder folder;
};

}  // namespace haptic
