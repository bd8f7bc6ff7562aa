// The tables [cloth] and [source] grid of a recipe.
#include "host/bake/recipe_cloth.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/host/bake/recipe_fixture.h"

namespace haptic {
namespace {

using testing::HasSubstr;

class RecipeCloth : public RecipeFixture {
 protected:
  RecipeCloth() : RecipeFixture("recipe_cloth") {}

  static std::string with(const std::string& cloth) {
    return "[source]\ngrid = { particles = [5, 4], size = [0.4, 0.3] }\n[cloth]\n" + cloth + "\n";
  }
  static std::string with_source(const std::string& source) {
    return "[source]\n" + source + "\n[cloth]\n";
  }
  const SpringMaterial& material(const Recipe& recipe, SpringKind kind) {
    return recipe.cloth->materials[static_cast<std::size_t>(kind)];
  }
};

TEST_F(RecipeCloth, every_key_has_a_default) {
  const Recipe recipe = load(with(""));
  ASSERT_TRUE(recipe.cloth && recipe.grid);
  EXPECT_EQ(recipe.grid->particles.nx, 5u);
  EXPECT_EQ(recipe.grid->particles.ny, 4u);
  EXPECT_EQ(recipe.grid->size[0], 0.4);
  EXPECT_EQ(recipe.grid->size[1], 0.3);
  EXPECT_EQ(recipe.cloth->topology, SpringTopology::kThreeKinds);
  EXPECT_EQ(recipe.cloth->areal_density, 0.2);
  EXPECT_FALSE(recipe.cloth->mass);
  EXPECT_EQ(material(recipe, SpringKind::kStructural).stiffness, 200.0);
  EXPECT_EQ(material(recipe, SpringKind::kShear).stiffness, 100.0);
  EXPECT_EQ(material(recipe, SpringKind::kBend).stiffness, 10.0);
  EXPECT_EQ(material(recipe, SpringKind::kStructural).damping, 0.0);
}

TEST_F(RecipeCloth, constants_are_those_of_their_kind) {
  const Recipe recipe =
      load(with("mass = 0.5\ndamping = 0.01\nstructural = { stiffness = 60.0 }\n"
                "shear = { damping = 0.02 }\nbend = { stiffness = 0.0, damping = 0.0 }"));
  EXPECT_EQ(*recipe.cloth->mass, 0.5);
  EXPECT_EQ(material(recipe, SpringKind::kStructural).stiffness, 60.0);
  EXPECT_EQ(material(recipe, SpringKind::kStructural).damping, 0.01);
  EXPECT_EQ(material(recipe, SpringKind::kShear).stiffness, 30.0);
  EXPECT_EQ(material(recipe, SpringKind::kShear).damping, 0.02);
  EXPECT_EQ(material(recipe, SpringKind::kBend).stiffness, 0.0);
  EXPECT_EQ(material(recipe, SpringKind::kBend).damping, 0.0);

  const Recipe buckling =
      load(with("springs = \"choi-ko\"\ndamping = 0.03\nsequential = { stiffness = 80.0 }\n"
                "interlaced = { flexural_rigidity = 2e-6, damping = 0.0 }"));
  EXPECT_EQ(buckling.cloth->topology, SpringTopology::kChoiKo);
  EXPECT_EQ(material(buckling, SpringKind::kSequential).stiffness, 80.0);
  EXPECT_EQ(material(buckling, SpringKind::kSequential).damping, 0.03);
  EXPECT_EQ(material(buckling, SpringKind::kInterlaced).stiffness, 80.0);
  EXPECT_EQ(material(buckling, SpringKind::kInterlaced).damping, 0.0);
  EXPECT_EQ(material(buckling, SpringKind::kInterlaced).bending, 2e-6);
  EXPECT_EQ(material(buckling, SpringKind::kStructural).stiffness, 0.0);
  EXPECT_EQ(load(with("springs = \"edges\"")).cloth->topology, SpringTopology::kEdges);
}

TEST_F(RecipeCloth, a_fabric_has_the_constants_of_a_material) {
  const FabricMaterial absent = load(with("springs = \"fabric\"")).cloth->fabric;
  EXPECT_EQ(absent.membrane, 1000.0);
  EXPECT_EQ(absent.shear, 100.0);
  EXPECT_EQ(absent.bending, 1e-5);
  EXPECT_EQ(absent.damping, 0.0);
  const Recipe recipe =
      load(with("springs = \"fabric\"\nmembrane = 3000.0\nmembrane_damping = 2.0\nbending = 0.0"));
  EXPECT_EQ(recipe.cloth->topology, SpringTopology::kFabric);
  EXPECT_EQ(recipe.cloth->fabric.membrane, 3000.0);
  EXPECT_EQ(recipe.cloth->fabric.shear, 300.0);
  EXPECT_EQ(recipe.cloth->fabric.bending, 0.0);
  EXPECT_EQ(recipe.cloth->fabric.damping, 2.0);
  const auto refused = [&](const std::string& keys) { return refusal(with(keys)); };
  EXPECT_THAT(refused("springs = \"fabric\"\nmembrane = 0.0"), HasSubstr("cloth.membrane"));
  EXPECT_THAT(refused("springs = \"fabric\"\nbending = -1e-6"), HasSubstr("cloth.bending"));
  EXPECT_THAT(refused("springs = \"fabric\"\ndamping = 0.1"), HasSubstr("cloth.damping"));
  EXPECT_THAT(refused("springs = \"fabric\"\nshear = { stiffness = 1.0 }"),
              HasSubstr("cloth.shear"));
  EXPECT_THAT(refused("membrane = 10.0"), HasSubstr("cloth.membrane"));
  EXPECT_THAT(refused("springs = \"choi-ko\"\nbending = 1e-6"), HasSubstr("cloth.bending"));
  EXPECT_THAT(refusal("[source]\nmesh = \"a.obj\"\nlength = 0.3\n[cloth]\nsprings = \"fabric\"\n"),
              HasSubstr("cloth.springs"));
  // Cells of 0.1 m x 0.2 m: at most 4/15 of the membrane.
  EXPECT_THAT(refusal("[source]\ngrid = { particles = [5, 3], size = [0.4, 0.4] }\n[cloth]\n"
                      "springs = \"fabric\"\nmembrane = 300.0\nmembrane_shear = 81.0\n"),
              HasSubstr("cloth.membrane_shear"));
  EXPECT_NO_THROW(
      (void)load("[source]\ngrid = { particles = [5, 3], size = [0.4, 0.4] }\n[cloth]\n"
                 "springs = \"fabric\"\nmembrane = 300.0\nmembrane_shear = 79.0\n"));
}

TEST_F(RecipeCloth, a_mesh_file_has_a_length_as_always) {
  const Recipe recipe = load(with_source("mesh = \"ball.obj\"\nlength = 0.3\norigin = \"mass\""));
  EXPECT_FALSE(recipe.grid);
  EXPECT_EQ(recipe.frame.length, 0.3);
  EXPECT_EQ(recipe.mesh, folder.file("ball.obj"));
  EXPECT_EQ(recipe.frame.origin, SourceOrigin::kMass);
  EXPECT_THAT(refusal(with_source("mesh = \"ball.obj\"")), HasSubstr("source.length: missing"));
  EXPECT_THAT(refusal(with_source("length = 0.3")),
              HasSubstr("source.mesh: missing, expected a mesh file, or \"grid\""));
}

TEST_F(RecipeCloth, constants_out_of_range_are_refused_by_key) {
  EXPECT_THAT(
      refusal(with("mass = 0.0")),
      HasSubstr("r.toml:4: cloth.mass: found 0.0, expected a number from 1e-09 to 1000000000"));
  EXPECT_THAT(refusal(with("areal_density = 0.0")),
              HasSubstr("cloth.areal_density: found 0.0, expected a number from 1e-06"));
  EXPECT_THAT(
      refusal(with("mass = 1.0\nareal_density = 0.2")),
      HasSubstr("r.toml:5: cloth.areal_density: found together with \"mass\", expected one"));
  EXPECT_THAT(refusal(with("damping = -0.1")),
              HasSubstr("cloth.damping: found -0.1, expected a number >= 0 [kg/s]"));
  EXPECT_THAT(refusal(with("structural = { stiffness = -2.0 }")),
              HasSubstr("cloth.structural.stiffness: found -2.0, expected a number >= 0 [N/m]"));
  EXPECT_THAT(refusal(with("springs = \"choi-ko\"\ninterlaced = { flexural_rigidity = -1.0 }")),
              HasSubstr("cloth.interlaced.flexural_rigidity: found -1.0, expected a number >= 0 "
                        "[N m^2]"));
  EXPECT_THAT(refusal(with("springs = \"choi-co\"")), HasSubstr("did you mean \"choi-ko\"?"));
  EXPECT_THAT(refusal(with("stiffness = 100.0")), HasSubstr("cloth.stiffness"));
  EXPECT_THAT(refusal(with("bend = { flexural_rigidity = 1.0 }")),
              HasSubstr("cloth.bend.flexural_rigidity"));
}

TEST_F(RecipeCloth, kinds_that_a_topology_lacks_are_refused) {
  EXPECT_THAT(refusal(with("sequential = { stiffness = 1.0 }")),
              HasSubstr("cloth.sequential: found for springs = \"three-kinds\", expected "
                        "structural, shear, bend"));
  EXPECT_THAT(refusal(with("springs = \"choi-ko\"\nbend = { stiffness = 1.0 }")),
              HasSubstr("cloth.bend: found for springs = \"choi-ko\", expected sequential, "
                        "interlaced"));
  EXPECT_THAT(refusal(with("springs = \"edges\"\nstructural = { stiffness = 1.0 }")),
              HasSubstr("cloth.structural: found for springs = \"edges\", expected none"));
  EXPECT_THAT(refusal(with("springs = \"edges\"\ndamping = 0.1")),
              HasSubstr("cloth.damping: found for springs = \"edges\", expected none"));
}

TEST_F(RecipeCloth, tables_of_solids_are_refused) {
  for (const std::string table :
       {"mesh", "material", "constraints", "reduction", "condensed", "shell", "field"}) {
    EXPECT_THAT(refusal(with("[" + table + "]")),
                HasSubstr("r.toml:4: " + table +
                          ": found together with [cloth], expected [source] "
                          "and [cloth] alone"));
  }
}

TEST_F(RecipeCloth, grids_without_a_cloth_or_a_shape_are_refused) {
  EXPECT_THAT(refusal("[source]\ngrid = { particles = [5, 4], size = [0.4, 0.3] }\n"
                      "[material]\ndensity = 1.0\n"),
              HasSubstr("source.grid: found without [cloth]"));
  EXPECT_THAT(
      refusal(with_source("grid = { particles = [5, 4], size = [0.4, 0.3] }\nlength = 1.0")),
      HasSubstr("source.length: found together with \"grid\""));
  EXPECT_THAT(
      refusal(with_source("grid = { particles = [5, 4], size = [1.0, 1.0] }\nmesh = \"a.obj\"")),
      HasSubstr("source.mesh: found together with \"grid\""));
  EXPECT_THAT(refusal(with_source("grid = { particles = [1, 4], size = [0.4, 0.3] }")),
              HasSubstr("source.grid.particles"));
  EXPECT_THAT(refusal(with_source("grid = { particles = [4], size = [0.4, 0.3] }")),
              HasSubstr("source.grid.particles: found 1 numbers, expected two"));
  EXPECT_THAT(refusal(with_source("grid = { particles = [4, 4], size = [0.4, 0.0] }")),
              HasSubstr("source.grid.size"));
  EXPECT_THAT(refusal(with_source("grid = { particles = [2001, 2000], size = [1.0, 1.0] }")),
              HasSubstr("source.grid.particles: found 2001 x 2000, expected at most 4000000 "
                        "particles in all"));
}

}  // namespace
}  // namespace haptic
