#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/host/bake/recipe_fixture.h"

namespace haptic {
namespace {

using testing::HasSubstr;

class RecipeSourceTest : public RecipeFixture {
 protected:
  RecipeSourceTest() : RecipeFixture("recipe_source") {}

  static std::string text(const std::string& source) {
    return "[source]\nmesh = \"beam.obj\"\n" + source + "\n[material]\ndensity = 1000.0\n";
  }
  Recipe source(const std::string& keys) { return load(text(keys)); }
};

TEST_F(RecipeSourceTest, a_length_a_unit_or_a_scale) {
  BoundingBox box;
  box.upper = Vector3(50.0, 20.0, 10.0);
  EXPECT_DOUBLE_EQ(source("length = 0.3").frame.scale(box), 0.3 / 50.0);
  EXPECT_EQ(source("unit = \"m\"").frame.scale(box), 1.0);
  EXPECT_EQ(source("unit = \"mm\"").frame.scale(box), 1e-3);
  EXPECT_EQ(source("unit = \"cm\"").frame.scale(box), 1e-2);
  EXPECT_EQ(source("unit = \"um\"").frame.scale(box), 1e-6);
  EXPECT_EQ(source("unit = \"in\"").frame.scale(box), 0.0254);
  EXPECT_EQ(source("unit = \"ft\"").frame.scale(box), 0.3048);
  EXPECT_EQ(source("scale = 0.002").frame.scale(box), 0.002);

  EXPECT_THAT(refusal(text("")), HasSubstr("source.length: missing"));
  EXPECT_THAT(
      refusal(text("length = 1\nunit = \"mm\"")),
      HasSubstr(
          "source.length: found together with \"unit\", expected one of length, unit and scale"));
  EXPECT_THAT(refusal(text("length = 1\nscale = 2")),
              HasSubstr("source.length: found together with \"scale\""));
  EXPECT_THAT(refusal(text("scale = 1\nunit = \"mm\"")),
              HasSubstr("source.scale: found together with \"unit\""));
  EXPECT_THAT(refusal(text("unit = \"parsec\"")), HasSubstr("source.unit: found \"parsec\""));
  EXPECT_THAT(refusal(text("scale = 0")), HasSubstr("source.scale: found 0"));
}

TEST_F(RecipeSourceTest, the_axis_that_is_up_becomes_y_without_mirroring) {
  const std::pair<const char*, Vector3> cases[] = {
      {"x", Vector3::UnitX()},   {"y", Vector3::UnitY()},   {"z", Vector3::UnitZ()},
      {"-x", -Vector3::UnitX()}, {"-y", -Vector3::UnitY()}, {"-z", -Vector3::UnitZ()}};
  for (const auto& [up, axis] : cases) {
    const Matrix3 rotation = source("length = 1\nup = \"" + std::string(up) + "\"").frame.rotation;
    EXPECT_EQ(rotation * axis, Vector3(Vector3::UnitY())) << up;
    EXPECT_EQ(rotation.determinant(), 1.0) << up;
    EXPECT_EQ(rotation * rotation.transpose(), Matrix3::Identity()) << up;
  }
  EXPECT_EQ(source("length = 1").frame.rotation, Matrix3::Identity());
}

TEST_F(RecipeSourceTest, rotation_about_an_axis_after_up) {
  Matrix3 rotation =
      source("length = 1\nrotate = { axis = [0, 0, 3], degrees = 90 }").frame.rotation;
  EXPECT_LT((rotation * Vector3::UnitX() - Vector3::UnitY()).norm(), 1e-15);
  rotation =
      source("length = 1\nup = \"z\"\nrotate = { axis = [0, 1, 0], degrees = 30 }").frame.rotation;
  EXPECT_LT((rotation * Vector3::UnitZ() - Vector3::UnitY()).norm(), 1e-15);
  EXPECT_NEAR((rotation * Vector3::UnitX()).x(), std::sqrt(0.75), 1e-15);
  EXPECT_NEAR((rotation * Vector3::UnitX()).z(), -0.5, 1e-15);
  EXPECT_THAT(refusal(text("length = 1\nrotate = { axis = [0, 0, 0], degrees = 90 }")),
              HasSubstr("source.rotate.axis: found no direction"));
  EXPECT_THAT(refusal(text("length = 1\nrotate = { axis = [0, 0, 1] }")),
              HasSubstr("source.rotate.degrees: missing"));
  EXPECT_THAT(refusal(text("length = 1\nrotate = { axis = [0, 0, 1], degrees = 9, angle = 1 }")),
              HasSubstr("source.rotate.angle: unknown key"));
}

TEST_F(RecipeSourceTest, an_origin_by_name_or_by_its_place) {
  EXPECT_EQ(source("length = 1\norigin = \"mass\"").frame.origin, SourceOrigin::kMass);
  const SourceFrame frame = source("unit = \"mm\"\norigin = [10, -20.5, 3]").frame;
  EXPECT_EQ(frame.origin, SourceOrigin::kPoint);
  EXPECT_EQ(frame.point, Vector3(10.0, -20.5, 3.0));
  EXPECT_THAT(refusal(text("length = 1\norigin = [1, 2]")), HasSubstr("source.origin"));
  EXPECT_THAT(refusal(text("length = 1\norigin = \"left\"")),
              HasSubstr("source.origin: found \"left\""));
}

TEST_F(RecipeSourceTest, repairs) {
  SourceRepair repair = source("length = 1").repair;
  EXPECT_EQ(repair.close_holes, 0.01);
  EXPECT_FALSE(repair.open || repair.keep_largest);
  EXPECT_TRUE(repair.keep.empty());
  repair = source("length = 1\nclose_holes = 0.4\nopen = true\nkeep = [3, 1]").repair;
  EXPECT_EQ(repair.close_holes, 0.4);
  EXPECT_TRUE(repair.open);
  EXPECT_EQ(repair.keep, (std::vector<std::uint32_t>{3, 1}));
  EXPECT_TRUE(source("length = 1\nkeep = \"largest\"").repair.keep_largest);
  EXPECT_THAT(refusal(text("length = 1\nkeep = []")),
              HasSubstr("source.keep: found an empty list"));
  EXPECT_THAT(refusal(text("length = 1\nkeep = [0]")), HasSubstr("source.keep"));
  EXPECT_THAT(refusal(text("length = 1\nclose_holes = 3")),
              HasSubstr("source.close_holes: found 3"));
}

TEST_F(RecipeSourceTest, keys_without_an_effect_are_refused) {
  for (const char* const key : {"keep = \"largest\"", "close_holes = 0.1", "open = true"}) {
    const std::string name = std::string(key).substr(0, std::string(key).find(' '));
    EXPECT_THAT(refusal("[source]\nmesh = \"beam.obj\"\nlength = 1\n" + std::string(key) +
                        "\n[cloth]\nareal_density = 0.2\n"),
                HasSubstr("source." + name + ": found together with [cloth]"));
    EXPECT_THAT(refusal("[source]\n" + std::string(key) +
                        "\n[mesh]\nfile = \"a.msh\"\n[material]\ndensity = 1000.0\n"),
                HasSubstr("source." + name + ": found without a surface mesh"));
  }
  for (const char* const key :
       {"unit = \"mm\"", "scale = 1", "up = \"z\"", "rotate = { axis = [0, 0, 1], degrees = 9 }"}) {
    EXPECT_THAT(refusal("[source]\ngrid = { particles = [3, 3], size = [0.1, 0.1] }\n" +
                        std::string(key) + "\n[cloth]\nareal_density = 0.2\n"),
                HasSubstr("found together with \"grid\""))
        << key;
  }
}

}  // namespace
}  // namespace haptic
