#include "host/bake/verify_physics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "shared/error.h"
#include "tests/host/bake/baking_folder.h"

namespace haptic {
namespace {

using testing::HasSubstr;

const VerifiedFigure& named(const std::vector<VerifiedFigure>& figures, const std::string& name) {
  const auto found = std::ranges::find(figures, name, &VerifiedFigure::name);
  EXPECT_NE(found, figures.end()) << name;
  return *found;
}

TEST(VerifyPhysics, a_body_is_what_its_surface_encloses_and_converges) {
  const BakingFolder folder("physics");
  folder.bake("beam.toml", "beam.h5");
  const auto figures = verify_physics(folder.file("beam.h5"));
  for (const VerifiedFigure& figure : figures) EXPECT_TRUE(figure.passes()) << figure.name;
  EXPECT_LE(named(figures, "physics_mass").value, 1e-9);
  EXPECT_LE(named(figures, "physics_inertia").value, 1e-9);
  EXPECT_LE(named(figures, "physics_frequency").value, 0.02);
  EXPECT_LE(named(figures, "physics_compliance").value, 0.05);
  EXPECT_GE(named(figures, "physics_basis").value, 0.0);
}

TEST(VerifyPhysics, the_published_voxels_fail) {
  const BakingFolder folder("physics_full");
  folder.write("full.toml", beam_recipe("resolution = 24",
                                        "resolution = 12\ncells = \"full\"\nelements = \"full\""));
  folder.bake("full.toml", "full.h5");
  const auto figures = verify_physics(folder.file("full.h5"));
  EXPECT_GT(named(figures, "physics_mass").value, 0.5);
  EXPECT_FALSE(named(figures, "physics_mass").passes());
  EXPECT_FALSE(named(figures, "physics_frequency").passes());
  EXPECT_FALSE(named(figures, "physics_compliance").passes());
}

TEST(VerifyPhysics, a_free_body_has_no_compliance) {
  const BakingFolder folder("physics_free");
  std::string recipe =
      beam_recipe("[constraints]\nplanes = [{ axis = \"x\", below = 0.01 }]\n", "");
  const std::string dimension = "dimension = 6";
  recipe.insert(recipe.find(dimension) + dimension.size(), "\nfree = true");
  folder.write("free.toml", recipe);
  folder.bake("free.toml", "free.h5");
  const auto figures = verify_physics(folder.file("free.h5"));
  EXPECT_LE(named(figures, "physics_frequency").value, 0.02);
  EXPECT_EQ(std::ranges::find(figures, "physics_compliance", &VerifiedFigure::name), figures.end());
}

TEST(VerifyPhysics, what_cannot_be_halved_is_named) {
  const BakingFolder folder("physics_refused");
  folder.bake("ball.toml", "ball.h5");
  try {
    (void)verify_physics(folder.file("ball.h5"));
    FAIL() << "a rigid body";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("no body that deforms"));
  }
}

}  // namespace
}  // namespace haptic
