#include "host/bake/implausible_recipe.h"

#include <gmock/gmock.h>

#include "host/bake/bake.h"
#include "host/mesh/catalogue.h"
#include "tests/host/bake/recipe_fixture.h"

namespace haptic {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class ImplausibleRecipeTest : public RecipeFixture {
 protected:
  ImplausibleRecipeTest() : RecipeFixture("implausible") {}
  std::vector<std::string> lines(const std::string& text) { return implausible_values(load(text)); }
  const std::string source_ = "[source]\nmesh = \"beam.obj\"\nlength = 0.3\n";
  const std::string deformable_ = "[reduction]\nlinear_modes = 2\ndimension = 2\n";
};

TEST_F(ImplausibleRecipeTest, an_ordinary_body_is_not_mentioned) {
  EXPECT_THAT(lines(source_ +
                    "[material]\nyoungs_modulus = 6e4\npoisson_ratio = 0.3\n"
                    "density = 900\n[constraints]\nvertices = [4, 7, 9]\n" +
                    deformable_),
              IsEmpty());
  EXPECT_THAT(lines(source_ + "[material]\ndensity = 7800\n"), IsEmpty());
}

TEST_F(ImplausibleRecipeTest, each_mistaken_unit_is_a_line) {
  EXPECT_THAT(lines(source_ +
                    "[material]\nyoungs_modulus = 60\npoisson_ratio = 0.3\n"
                    "density = 1\ndamping_ratios = [0.1, 30]\n"
                    "[constraints]\nvertices = [4, 7, 9]\n" +
                    deformable_),
              ElementsAre(HasSubstr("material.youngs_modulus: 60 Pa"),
                          HasSubstr("material.density: 1 kg/m^3"),
                          HasSubstr("material.damping_ratios: 30")));
  EXPECT_THAT(lines(source_ + "[material]\ndensity = 7.8\n"),
              ElementsAre(HasSubstr("material.density: 7.8 kg/m^3 is used")));
}

TEST_F(ImplausibleRecipeTest, a_group_is_named) {
  EXPECT_THAT(lines(source_ +
                    "[material]\nyoungs_modulus = 6e4\npoisson_ratio = 0.3\ndensity = 900\n"
                    "[[material.group]]\nname = \"tip\"\nyoungs_modulus = 1e13\n"
                    "plane = { axis = \"x\", above = 0.2 }\n"
                    "[constraints]\nvertices = [4, 7, 9]\n" +
                    deformable_),
              ElementsAre(HasSubstr("material.group[0].youngs_modulus: 1e+13 Pa")));
}

TEST_F(ImplausibleRecipeTest, a_file_in_millimetres_is_noticed_by_its_size) {
  Recipe recipe = load(source_ + "[material]\ndensity = 900\n");
  recipe.frame.length = 0.0;  // as with a volume mesh in its own metres
  const TriangleMesh surface = make_shape("box", {});
  const double side = bounding_box(surface).longest_side();
  EXPECT_THAT(implausible_size(recipe, scaled(surface, 0.2 / side)), IsEmpty());
  EXPECT_THAT(
      implausible_size(recipe, scaled(surface, 200.0 / side)),
      ElementsAre(
          "longest side of the surface: 200 m is used, but 0.001 to 20 m would be "
          "plausible; files in millimetres need source.unit = \"mm\", or source.length in metres"));
  const Recipe scaled_recipe = load(source_ + "[material]\ndensity = 900\n");
  EXPECT_THAT(implausible_size(scaled_recipe, scaled(surface, 200.0 / side)),
              ElementsAre("source.length: 200 m is used, but 0.001 to 20 m would be plausible"));
}

TEST_F(ImplausibleRecipeTest, a_bake_notes_it_and_goes_on) {
  folder.write("huge.toml",
               "[source]\nmesh = \"beam.obj\"\nlength = 200\n[material]\ndensity = 1\n");
  StageProgress progress(nullptr);
  bake(load_recipe(folder.file("huge.toml")), folder.file("huge.h5"), progress, {});
  EXPECT_TRUE(std::filesystem::exists(folder.file("huge.h5")));
  EXPECT_THAT(progress.notes(),
              testing::AllOf(testing::Contains(HasSubstr("huge.toml: material.density: 1 kg/m^3")),
                             testing::Contains(HasSubstr("source.length: 200 m"))));
}

}  // namespace
}  // namespace haptic
