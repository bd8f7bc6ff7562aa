// The keys of materials, volume meshes and bases.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/host/bake/recipe_fixture.h"

namespace haptic {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kMaterial = "youngs_modulus = 5e4\npoisson_ratio = 0.45\n";
/// Isotropic with lambda = 1e4, mu = 2e4, over the pairs 11, 22, 33, 12, 13, 23.
constexpr const char* kTensor =
    "elasticity = [5e4, 1e4, 1e4, 0, 0, 0, 5e4, 1e4, 0, 0, 0, 5e4, 0, 0, 0, 2e4, 0, 0, 2e4, 0, "
    "2e4]\n";

class RecipeReductionTest : public RecipeFixture {
 protected:
  RecipeReductionTest() : RecipeFixture("recipe_reduction") {}
  static std::string with(const std::string& reduction) {
    return beam_recipe("linear_modes = 4\ndimension = 6\n", reduction);
  }
  static std::string group(const std::string& text) {
    return beam_recipe("[constraints]", "[[material.group]]\n" + text + "\n[constraints]");
  }
};

TEST_F(RecipeReductionTest, materials_and_groups_are_read) {
  const Recipe recipe = load(beam_recipe("[constraints]", R"(editable = false
viscosity = [3.0, 4.0]
[[material.group]]
name = "stiff"
youngs_modulus = 9e4
box = { min = [0, 0, 0], max = [0.1, 0.1, 0.1] }
[[material.group]]
name = "heavy"
density = 2000
viscosity = [0.5, 0.0]
sphere = { centre = [0.1, 0, 0], radius = 0.02 }
[[material.group]]
name = "grain"
)" + std::string(kTensor) + R"(plane = { axis = "x", above = 0.15 }
[[material.group]]
name = "picked"
elements = "ids.txt"
[constraints])"));
  ASSERT_EQ(recipe.groups.size(), 5u);
  EXPECT_EQ(recipe.groups[0].name, "base");
  EXPECT_FALSE(recipe.editable);
  EXPECT_THAT(recipe.viscosity.value(), ElementsAre(3.0, 4.0));
  const std::vector<LameParameters> viscosities = viscosities_of(recipe);
  ASSERT_EQ(viscosities.size(), 5u);
  EXPECT_EQ(viscosities[1].lambda, 3.0);  // left out: that of [material]
  EXPECT_EQ(viscosities[2].lambda, 0.5);
  EXPECT_EQ(viscosities[2].mu, 0.0);
  EXPECT_EQ(recipe.groups[1].isotropic->youngs_modulus, 9e4);
  EXPECT_EQ(recipe.groups[1].isotropic->poisson_ratio, 0.45);  // left out: that of [material]
  EXPECT_EQ(recipe.groups[1].material.density(), 1000.0);
  EXPECT_EQ(recipe.groups[2].material.density(), 2000.0);
  EXPECT_FALSE(recipe.groups[3].material.is_isotropic());
  EXPECT_EQ(recipe.groups[3].material.elasticity()(0, 1), 1e4);
  EXPECT_EQ(recipe.groups[3].material.elasticity()(5, 5), 2e4);
  EXPECT_EQ(std::get<std::filesystem::path>(recipe.groups[4].selection), folder.file("ids.txt"));
}

TEST_F(RecipeReductionTest, viscosities_are_one_for_all_where_they_do_not_differ) {
  EXPECT_TRUE(viscosities_of(load(beam_recipe())).empty());
  const std::string tip = "name = \"tip\"\nplane = { axis = \"x\", above = 0.1 }\n";
  EXPECT_TRUE(viscosities_of(load(group(tip + "viscosity = [0.0, 0.0]"))).empty());
  // Of one group alone; the base has none.
  const std::vector<LameParameters> one =
      viscosities_of(load(group(tip + "viscosity = [2.0, 1.0]")));
  ASSERT_EQ(one.size(), 2u);
  EXPECT_EQ(one[0].mu, 0.0);
  EXPECT_EQ(one[1].mu, 1.0);
  const Recipe same =
      load(beam_recipe("[constraints]", "viscosity = [2.0, 1.0]\n[[material.group]]\n" + tip +
                                            "viscosity = [2.0, 1.0]\n[constraints]"));
  EXPECT_EQ(viscosities_of(same).size(), 1u);
}

TEST_F(RecipeReductionTest, elements_go_to_the_last_group_that_selects_them) {
  folder.write("ids.txt", "0, 3\n3\n");
  const Recipe recipe = load(beam_recipe("[constraints]", R"([[material.group]]
name = "low"
plane = { axis = "x", below = 2.0 }
[[material.group]]
name = "ball"
sphere = { centre = [1, 0, 0], radius = 0.5 }
[[material.group]]
name = "picked"
elements = "ids.txt"
[constraints])"));
  // Places count from the lower bound, here (10, 0, 0).
  std::vector<Vector3> centroids;
  for (int i = 0; i < 5; ++i) centroids.emplace_back(10.0 + i, 0.0, 0.0);
  EXPECT_THAT(assign_groups(recipe.groups, centroids, Vector3(10, 0, 0), {}, "r.toml"),
              ElementsAre(3, 2, 1, 3, 0));
  EXPECT_THROW(assign_groups(recipe.groups, centroids, Vector3(20, 0, 0), {}, "r.toml"),
               InputError);
  for (const char* bad : {"0 5", "0 x", "-1", "1.5", "99999999999"}) {
    folder.write("ids.txt", std::string("# no comments\n").substr(14) + "1\n" + bad + "\n");
    EXPECT_THAT([&] { assign_groups(recipe.groups, centroids, Vector3(10, 0, 0), {}, "r.toml"); },
                testing::ThrowsMessage<InputError>(HasSubstr("ids.txt:2: found")))
        << bad;
  }
}

TEST_F(RecipeReductionTest, bases_are_read) {
  EXPECT_EQ(load(with("basis = \"modes\"\nlinear_modes = 7\n")).reduction->dimension, 7);
  EXPECT_EQ(load(with("basis = \"full_derivatives\"\nlinear_modes = 4\n")).reduction->dimension,
            14);
  const Recipe sketch = load(with("basis = \"sketch\"\nforces = \"f.csv\"\ndimension = 9\n"));
  EXPECT_EQ(sketch.reduction->basis, BasisSource::kSketch);
  EXPECT_THAT(sketch.reduction->forces, ElementsAre(folder.file("f.csv")));
  EXPECT_THAT(load(with("basis = \"sketch\"\nforces = [\"f.csv\", \"/g.csv\"]\ndimension = 9\n"))
                  .reduction->forces,
              ElementsAre(folder.file("f.csv"), "/g.csv"));
  EXPECT_EQ(sketch.reduction->dimension, 9);
  EXPECT_EQ(load(with("basis = \"file\"\nbasis_file = \"b.U\"\n")).reduction->dimension, 0);
  EXPECT_EQ(load(with("linear_modes = 4\ndimension = 6\nstorage = \"float\"\n"))
                .reduction->coefficient_bytes,
            4u);
  const std::string free = with("linear_modes = 4\ndimension = 6\nfree = true\n");
  const std::string held = "[constraints]\nplanes = [{ axis = \"x\", below = 0.01 }]\n";
  std::string loose = free;
  loose.erase(loose.find(held), held.size());
  EXPECT_TRUE(load(loose).reduction->free);
  EXPECT_THAT(refusal(free), HasSubstr("found constraints for a body with reduction.free"));
}

TEST_F(RecipeReductionTest, a_volume_mesh_takes_the_place_of_voxels_and_surface) {
  std::string text = beam_recipe("[mesh]\nresolution = 24", "[mesh]\nfile = \"v.msh\"");
  const std::string source = "[source]\nmesh = \"beam.obj\"\nlength = 0.2\n";
  text.erase(text.find(source), source.size());
  const Recipe recipe = load(text);
  EXPECT_EQ(recipe.volume, folder.file("v.msh"));
  EXPECT_TRUE(recipe.mesh.empty());
  EXPECT_EQ(recipe.frame.length, 0.0);
  EXPECT_EQ(load(beam_recipe("planes = [{ axis = \"x\", below = 0.01 }]", "file = \"x.bou\""))
                .constraint_file,
            folder.file("x.bou"));
}

TEST_F(RecipeReductionTest, bad_values_are_refused_with_key_and_reason) {
  const std::pair<std::string, const char*> cases[] = {
      {beam_recipe("resolution = 24", "resolution = 24\nfile = \"v.msh\""),
       "mesh.resolution: found together with \"file\""},
      {beam_recipe(kMaterial, std::string(kMaterial) + kTensor),
       "material.youngs_modulus: found together with \"elasticity\""},
      {beam_recipe(kMaterial, "elasticity = [1, 2, 3]\n"), "an array of 21 numbers"},
      {beam_recipe(kMaterial, std::string(kTensor).replace(14, 3, "-5e4")),
       "material.elasticity: found a tensor whose smallest eigenvalue is -"},
      {beam_recipe("density = 1000.0", "density = 1000.0\nviscosity = [1.0]"), "2 numbers"},
      {beam_recipe("density = 1000.0", "density = 1000.0\nviscosity = [1.0, -1.0]"),
       "number >= 0 [Pa s]"},
      {group("name = \"a\""), "found 0 selections of elements"},
      {group("name = \"a\"\nelements = \"i\"\nplane = { axis = \"x\", below = 1.0 }"),
       "found 2 selections of elements"},
      {group("name = \"base\"\nelements = \"i\""), "found \"base\" twice"},
      {group("name = \"a b\"\nelements = \"i\""), "letters, digits, _ or -"},
      {group("name = \"a\"\nelements = \"i\"\npoisson_ratio = 0.7"), "material.group[0].poisson"},
      {group("name = \"a\"\nsphere = { centre = [0, 0, 0], radius = 0 }"), "number > 0 [m]"},
      {group("name = \"a\"\nelements = \"i\"\ncolour = 3"), "unknown key"},
      {with("basis = \"waves\"\nlinear_modes = 4\ndimension = 6\n"), "one of \"derivatives\""},
      {with("linear_modes = 0\ndimension = 1\n"), "linear_modes: found 0"},
      {with("linear_modes = 4\ndimension = 0\n"), "dimension: found 0"},
      {with("basis = \"modes\"\nlinear_modes = 4\ndimension = 5\n"), "at most 4"},
      {with("basis = \"full_derivatives\"\nlinear_modes = 20\n"), "the basis has 230 columns"},
      {with("basis = \"sketch\"\ndimension = 5\n"), "reduction.forces: missing"},
      {with("basis = \"sketch\"\nforces = \"f\"\ndimension = 5\nforce_separation = 2\n"),
       "force_separation: found 2"},
      {with("basis = \"sketch\"\nforces = \"f\"\ndimension = 5\nforce_separation = 0\n"),
       "reduction.force_separation: found 0, expected a number > 0 and <= 1"},
      {with("basis = \"sketch\"\nforces = \"f\"\ndimension = 5\nshape_separation = 0\n"),
       "reduction.shape_separation: found 0, expected a number > 0 and <= 1"},
      {with("basis = \"sketch\"\nforces = []\ndimension = 5\n"),
       "reduction.forces: found [], expected text in quotes, or an array of texts in quotes"},
      {with("basis = \"sketch\"\nforces = [\"f\", 3]\ndimension = 5\n"),
       "reduction.forces: found [\"f\", 3], expected text in quotes, or an array of texts in "
       "quotes"},
      {with("basis = \"sketch\"\nforces = 3\ndimension = 5\n"),
       "reduction.forces: found 3, expected text in quotes, or an array of texts in quotes"},
      {with("linear_modes = 4\ndimension = 6\nsnapshots = \"s.h5\"\n"),
       "reduction.snapshots: found for a basis that does not use it"},
      {with("linear_modes = 4\ndimension = 6\nstorage = \"half\"\n"),
       "one of \"double\" \"float\""},
      {"[source]\nmesh = \"beam.obj\"\nlength = 0.1\n[material]\ndensity = 1\neditable = true\n",
       "material.editable: found for a rigid body"},
  };
  for (const auto& [text, expected] : cases) EXPECT_THAT(refusal(text), HasSubstr(expected));
}

}  // namespace
}  // namespace haptic
