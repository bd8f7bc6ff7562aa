#include "host/bake/recipe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/host/bake/recipe_fixture.h"

namespace haptic {
namespace {

using testing::HasSubstr;

class RecipeTest : public RecipeFixture {
 protected:
  RecipeTest() : RecipeFixture("recipe") {}
};

TEST_F(RecipeTest, all_keys_are_read) {
  const Recipe recipe = load(R"([source]
mesh = "beam.obj"
length = 0.3
origin = "centre"
[mesh]
resolution = 20
fill = false
[material]
youngs_modulus = 6e4
poisson_ratio = 0.3
density = 900
damping_ratios = [0.01, 0.02]
[constraints]
planes = [{ axis = "y", below = 0.05 }, { axis = "z", above = 0.1 }]
boxes = [{ min = [0, 0, 0], max = [0.1, 0.2, 0.3] }]
spheres = [{ centre = [0.1, 0.2, 0.3], radius = 0.05 }]
cylinders = [{ from = [0, 0, 0], to = [0.1, 0, 0], radius = 0.02 }]
patches = [{ near = [0.3, 0, 0], radius = 0.01 }]
vertices = [4, 7]
[reduction]
linear_modes = 7
dimension = 12
[shell]
points = 1000
levels = 3
seed = 9
[field]
resolution = 64
expansion = 1.25
)");
  EXPECT_EQ(recipe.mesh, folder.file("beam.obj"));
  EXPECT_EQ(recipe.frame.length, 0.3);
  EXPECT_EQ(recipe.frame.origin, SourceOrigin::kCentre);
  EXPECT_EQ(recipe.voxels.resolution, 20u);
  EXPECT_FALSE(recipe.voxels.fill);
  EXPECT_EQ(recipe.material.youngs_modulus, 6e4);
  EXPECT_EQ(recipe.material.poisson_ratio, 0.3);
  EXPECT_EQ(recipe.material.density, 900.0);
  EXPECT_EQ(recipe.damping_ratios[1], 0.02);
  ASSERT_EQ(recipe.constraints.planes.size(), 2u);
  EXPECT_EQ(recipe.constraints.planes[1].axis, 2);
  EXPECT_EQ(recipe.constraints.planes[1].side, PlaneConstraint::Side::kAbove);
  EXPECT_EQ(recipe.constraints.boxes[0].max.z(), 0.3);
  EXPECT_EQ(recipe.constraints.spheres[0].centre.y(), 0.2);
  EXPECT_EQ(recipe.constraints.cylinders[0].to.x(), 0.1);
  EXPECT_EQ(recipe.constraints.patches[0].centre.x(), 0.3);
  EXPECT_EQ(recipe.constraints.vertices, (std::vector<std::uint32_t>{4, 7}));
  EXPECT_EQ(recipe.reduction->linear_modes, 7);
  EXPECT_EQ(recipe.reduction->dimension, 12);
  EXPECT_EQ(recipe.shell->sampling.points, 1000u);
  EXPECT_EQ(recipe.shell->sampling.seed, 9u);
  EXPECT_EQ(recipe.field->resolution, 64u);
  EXPECT_EQ(recipe.field->expansion, 1.25);
}

TEST_F(RecipeTest, absent_tables_mean_a_rigid_body_without_contact_geometry) {
  const Recipe recipe =
      load("[source]\nmesh = \"beam.obj\"\nlength = 0.1\n[material]\ndensity = 1\n");
  EXPECT_FALSE(recipe.reduction || recipe.shell || recipe.field);
  EXPECT_EQ(recipe.frame.origin, SourceOrigin::kFile);
}

TEST_F(RecipeTest, bad_values_are_refused_with_key_unit_and_line) {
  const std::pair<std::pair<const char*, const char*>, const char*> cases[] = {
      {{"youngs_modulus = 5e4", "youngs_modulus = -5e4"},
       ":7: material.youngs_modulus: found -5e4, expected a number > 0 [Pa]"},
      {{"poisson_ratio = 0.45", "poisson_ratio = 0.5"},
       "material.poisson_ratio: found 0.5, expected a number > -1 and < 0.5"},
      {{"density = 1000.0", "density = 0"}, "expected a number > 0 [kg/m^3]"},
      {{"youngs_modulus = 5e4", "youngs_modulus = 1e300"},
       ":7: material.youngs_modulus: found 1e+300, expected a number from 0.001 to 1e+15 [Pa]"},
      {{"youngs_modulus = 5e4", "youngs_modulus = 1e-200"},
       ":7: material.youngs_modulus: found 1e-200, expected a number from 0.001 to 1e+15 [Pa]"},
      {{"density = 1000.0", "density = 1e-320"}, ":9: material.density: found"},
      {{"density = 1000.0", "density = 1e40"}, "expected a number from 1e-06 to 1000000000"},
      {{"density = 1000.0", "density = 1000.0\nviscosity = [1e200, 0]"},
       "material.viscosity: found 1e+200, expected a number from 0 to 1e+15 [Pa s]"},
      {{"length = 0.2", "length = -0.2"}, "source.length: found -0.2, expected a number > 0 [m]"},
      {{"length = 0.2", "length = \"0.2 m\""}, "expected a number > 0 [m]"},
      {{"length = 0.2", "lenght = 0.2"}, "source.length: missing"},
      {{"[mesh]\n", "[mesh]\nresolutoin = 4\n"}, "did you mean \"resolution\"?"},
      {{"[mesh]\n", "[mesh]\nmass = \"heavy\"\n"}, "mesh.mass: found \"heavy\""},
      {{"[shell]", "[shel]"}, "shel: unknown key (did you mean \"shell\"?)"},
      {{"resolution = 32", "resolution = 48"}, "found 48, expected a power of two"},
      {{"below = 0.01", "below = 0.01, above = 0.1"}, "either \"below\" or \"above\""},
      {{"below = 0.01", "below = -0.01"}, "constraints.planes[0].below: found -0.01"},
      {{"axis = \"x\", ", ""}, "constraints.planes[0].axis: missing"},
      {{"axis = \"x\"", "axis = \"u\""}, "one of \"x\" \"y\" \"z\""},
      {{"dimension = 6", "dimension = 15"}, "found 15, expected at most 14"},
      {{"dimension = 6", "dimension = 6.5"}, "an integer from 1 to 64"},
      {{"damping_ratios = [0.02, 0.05]", "damping_ratios = [0.02]"}, "an array of 2 numbers"},
      {{"damping_ratios = [0.02, 0.05]", "damping_ratios = [-0.02, 0.05]"}, "number >= 0"},
      {{"points = 400\nlevels = 3", "points = 4\nlevels = 9"}, "shell.levels: found 9 for 4"},
      {{"[constraints]\nplanes = [{ axis = \"x\", below = 0.01 }]\n", ""},
       "found no constraint for a body with [reduction]"},
      {{"[reduction]\nlinear_modes = 4\ndimension = 6\n", ""},
       "found constraints for a rigid body"},
      {{"[material]", "[material"}, "not TOML"},
      {{"", "[extra]\na = 1\n"}, "extra: unknown key"},
  };
  for (const auto& [change, expected] : cases) {
    EXPECT_THAT(refusal(beam_recipe(change.first, change.second)), HasSubstr(expected));
  }
}

TEST_F(RecipeTest, lumped_mass_is_a_deformable_bodys) {
  EXPECT_EQ(load(beam_recipe("[mesh]\n", "[mesh]\nmass = \"lumped\"\n")).mass, MassKind::kLumped);
  EXPECT_EQ(load(beam_recipe()).mass, MassKind::kConsistent);
  EXPECT_THAT(refusal("[source]\nmesh = \"beam.obj\"\nlength = 0.1\n[mesh]\nmass = \"consistent\"\n"
                      "[material]\ndensity = 1\n"),
              HasSubstr(":5: mesh.mass: found for a rigid body, expected a deformable one"));
}

TEST_F(RecipeTest, a_missing_recipe_is_refused) {
  EXPECT_THROW(load_recipe(folder.file("none.toml")), InputError);
  EXPECT_THROW(load_recipe(folder.file("")), InputError);
}

}  // namespace
}  // namespace haptic
