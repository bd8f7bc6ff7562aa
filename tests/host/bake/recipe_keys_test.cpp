#include "host/bake/recipe_keys.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "host/bake/recipe.h"
#include "shared/error.h"
#include "tests/support/described_keys.h"

namespace haptic {
namespace {

namespace fs = std::filesystem;

/// The recipes of the repository: of scenes, benches and templates.
std::vector<fs::path> shipped_recipes() {
  std::vector<fs::path> found;
  for (const char* folder : {"scenes", "bench", "host/cli/templates"}) {
    for (const fs::path& file :
         fs::recursive_directory_iterator(fs::path(HAPTIC_SOURCE_DIR) / folder)) {
      if (file.extension() != ".toml") continue;
      std::ifstream stream(file);
      std::ostringstream text;
      text << stream.rdbuf();
      // A line that begins with it; the comments of a recipe may name [source], too.
      if (("\n" + text.str()).find("\n[source]") != std::string::npos) found.push_back(file);
    }
  }
  return found;
}

const std::string kSource = "[source]\nmesh = \"a.obj\"\nlength = 1\n";
const std::string kMaterial =
    "[material]\nyoungs_modulus = 1e5\npoisson_ratio = 0.3\ndensity = 1000\n";
const std::string kFixed = "[constraints]\nvertices = [1, 2, 3]\n";
const std::string kDeformable = kSource + kMaterial + kFixed;

/// What the shipped recipes do not have.
const std::string kRecipes[] = {
    "[mesh]\nfile = \"a.veg\"\n[constraints]\nfile = \"a.bou\"\nboxes = [{ min = [0, 0, 0], max = "
    "[1, "
    "1, 1] }]\n[reduction]\nlinear_modes = 3\ndimension = 3\n",
    kDeformable + "[reduction]\nbasis = \"sketch\"\nforces = \"f.csv\"\ndimension = 4\n",
    kDeformable + "[reduction]\nbasis = \"snapshots\"\nsnapshots = \"f.h5\"\ndimension = 4\n",
    kDeformable + "[reduction]\nbasis = \"file\"\nbasis_file = \"f.U\"\n",
    kSource +
        "[material]\nelasticity = [9, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 9, 0, 0, 0, 9, 0, 0, 9, 0, 9]\n"
        "density = 1\nviscosity = [1, 1]\n[[material.group]]\nname = \"a\"\nelasticity = [9, 0, 0, "
        "0, 0, 0, "
        "9, 0, 0, 0, 0, 9, 0, 0, 0, 9, 0, 0, 9, 0, 9]\nbox = { min = [0, 0, 0], max = [1, 1, 1] "
        "}\n" +
        kFixed + "[reduction]\nlinear_modes = 3\ndimension = 3\n",
    kSource + kMaterial +
        "[[material.group]]\nname = \"b\"\nviscosity = [1, 1]\nsphere = { centre = [0, 0, 0], "
        "radius = 1 }\n"
        "[[material.group]]\nname = \"c\"\nplane = { axis = \"x\", below = 1 }\n"
        "[[material.group]]\nname = \"d\"\nelements = \"ids.txt\"\n" +
        kFixed + "[reduction]\nlinear_modes = 3\ndimension = 3\n",
    kSource + kMaterial +
        "[[material.group]]\nname = \"e\"\ncylinder = { from = [0, 0, 0], to = [1, 0, 0], "
        "radius = 1 }\n"
        "[constraints]\nspheres = [{ centre = [0, 0, 0], radius = 1 }]\n"
        "cylinders = [{ from = [0, 0, 0], to = [1, 0, 0], radius = 1 }]\n"
        "patches = [{ near = [0, 0, 0], radius = 1 }]\n"
        "[reduction]\nlinear_modes = 3\ndimension = 3\n",
    "[mesh]\nfile = \"a.msh\"\n" + kMaterial +
        "[[material.group]]\nname = \"f\"\nphysical = \"core\"\n"
        "[constraints]\ngroups = [{ name = \"clamp\" }]\n"
        "[reduction]\nlinear_modes = 3\ndimension = 3\n",
    "[source]\nmesh = \"a.obj\"\nscale = 1e-3\nrotate = { axis = [0, 0, 1], degrees = 30 }\n"
    "[material]\ndensity = 1\n",
    kSource + "[material]\ndensity = 1\n[shell]\nmethod = \"depth\"\nspacing = 0.1\n",
    kSource + "[material]\ndensity = 1\n[shell]\npoints_file = \"p.txt\"\n",
    kSource + "[material]\ndensity = 1\n[field]\nlayout = \"sparse\"\n",
    kDeformable + "[reduction]\nlinear_modes = 3\ndimension = 3\n[field]\nproxies = 9\n",
    "[source]\ngrid = { particles = [4, 4], size = [1, 1] }\n[cloth]\nshear = {}\nbend = {}\n",
    "[source]\ngrid = { particles = [4, 4], size = [1, 1] }\n[cloth]\nsprings = \"choi-ko\"\n"
    "sequential = {}\ninterlaced = {}\n",
    "[source]\ngrid = { particles = [4, 4], size = [1, 1] }\n[cloth]\nsprings = \"fabric\"\n",
};

TEST(RecipeKeys, read_what_they_describe) {
  const std::vector<fs::path> files = shipped_recipes();
  EXPECT_GT(files.size(), 40u);
  for (const fs::path& file : files) EXPECT_NO_THROW(load_recipe(file)) << file;
  for (const std::string& text : kRecipes) EXPECT_NO_THROW(parse_recipe(text, "r.toml")) << text;
}

TEST(RecipeKeys, are_described_in_sentences) {
  expect_described(recipe_keys());
}

std::string refusal(const std::string& text) {
  try {
    parse_recipe(text, "r.toml");
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

TEST(RecipeKeys, an_unknown_key_names_the_nearest_described_one) {
  const std::string reduction = kDeformable + "[reduction]\nlinear_modes = 3\ndimension = 3\n";
  // Only a sketch has thresholds: the reader has not asked for them.
  EXPECT_EQ(refusal(reduction + "force_seperation = 0.1\n"),
            "r.toml:13: reduction.force_seperation: unknown key "
            "(did you mean \"force_separation\"?)");
  EXPECT_EQ(
      refusal(reduction + "force_separation = 0.1\n"),
      "r.toml:13: reduction.force_separation: this key has no effect with the other keys of its "
      "table");
  EXPECT_EQ(refusal("[source]\nmesh = \"a.obj\"\nlength = 1\nyoungs_modulus = 1e5\n"
                    "[material]\ndensity = 1\n"),
            "r.toml:4: source.youngs_modulus: unknown key (it is a key of [material], "
            "[[material.group]])");
}

}  // namespace
}  // namespace haptic
