// Bodies by formula, from the scene's key to the forces of the world.

#include <fstream>

#include "rt/geometry/analytic_field.h"
#include "rt/worlds/scene.h"
#include "shared/error.h"
#include "tests/rt/worlds/solids/solids_world_fixture.h"

namespace haptic::solids {
namespace {

class ShapeBody : public SolidsWorldTest {
 protected:
  static AnalyticShape shape(ShapeKind kind, double a, double b = 0.0, double c = 0.0) {
    return {kind, {a, b, c}};
  }
  static Scene load(const std::string& text) {
    std::ofstream(folder_ / "shapes.toml") << text;
    return load_scene(folder_ / "shapes.toml");
  }
  static std::string refusal(const std::string& text) {
    try {
      (void)load(text);
    } catch (const InputError& error) {
      return error.what();
    }
    return {};
  }
};

TEST_F(ShapeBody, a_sphere_by_formula_pushes_like_its_samples) {
  Scene sampled = ball_over("soft.h5");
  Scene exact = sampled;
  exact.bodies[1].model = shape(ShapeKind::kSphere, kRadius);
  // Otherwise each has the default for its voxel.
  sampled.coupling.permitted_depth = exact.coupling.permitted_depth = 1e-3;
  SolidsWorld a(sampled, nullptr), b(exact, nullptr);
  const double voxel = a.model(1).field->edge();
  for (const double depth : {1e-3, 2e-3, 4e-3}) {
    const WorldOutput of_samples = hold(a, hand_at(0.0, 0.0, -depth), 1500);
    const WorldOutput of_formula = hold(b, hand_at(0.0, 0.0, -depth), 1500);
    ASSERT_GT(state_value(b, "contact/points"), 0.0);
    // Depth is off by a part of a voxel; the force with it, as a part of the depth.
    EXPECT_NEAR(of_samples.contact_wrench.force.z(), of_formula.contact_wrench.force.z(),
                0.2 * of_formula.contact_wrench.force.z())
        << depth << " m, voxel " << voxel;
  }
}

TEST_F(SolidsWorldTest, a_body_thinner_than_the_voxel_of_its_field_is_reported) {
  // Fields of 64 voxels across 60 mm.
  for (const double thickness : {4e-3, 1e-4}) {
    write_solid_box(folder_ / "plate.h5", {0.02, 0.02, 0.5 * thickness}, 1000.0);
    Scene scene = ball_over("plate.h5");
    edit_solids(scene).contacts.clear();
    edit_solids(scene).contacts.push_back({1, 0, {200.0}});
    const std::vector<std::string> warnings = SolidsWorld(scene, nullptr).warnings();
    ASSERT_EQ(warnings.size(), thickness < 1e-3 ? 1u : 0u) << thickness;
    if (warnings.empty()) continue;
    EXPECT_NE(warnings[0].find("body \"ground\": 100 %"), std::string::npos) << warnings[0];
    EXPECT_NE(warnings[0].find("0.94 mm"), std::string::npos) << warnings[0];
    // Only the body that carries the field is meant.
    edit_solids(scene).contacts[0] = {0, 1, {200.0}};
    EXPECT_TRUE(SolidsWorld(scene, nullptr).warnings().empty());
  }
}

TEST_F(ShapeBody, a_held_ball_lies_on_a_plane) {
  Scene scene = ball_over("plane.h5");
  scene.bodies[0].model = shape(ShapeKind::kPlane, 0.2);
  edit_solids(scene).contacts.clear();
  edit_solids(scene).contacts.push_back({1, 0, {200.0}});
  SolidsWorld world(scene, nullptr);
  const WorldOutput output = hold(world, hand_at(0.0, 0.0, -2e-3), 500);
  EXPECT_GT(state_value(world, "contact/points"), 0.0);
  EXPECT_GT(output.contact_wrench.force.z(), 0.0);
  EXPECT_EQ(world.bodies()[0].model_path, "shape:plane size=0.2");
  EXPECT_EQ(world.bodies()[0].model_hash, parse_shape("shape:plane size=0.2").hash());
}

TEST_F(ShapeBody, scenes_name_shapes_and_their_sizes) {
  const Scene scene = load(R"(
[[body]]
name = "ring"
shape = "torus"
radius = 0.05
tube = 0.01
role = "anchored"
[[body]]
name = "ball"
model = "ball.h5"
role = "held"
[[contact]]
points = "ball"
field = "ring"
stiffness = 100.0
)");
  EXPECT_EQ(scene.bodies[0].model, BodySource(AnalyticShape{ShapeKind::kTorus, {0.05, 0.01}}));
  EXPECT_NO_THROW(SolidsWorld(scene, nullptr));
  const auto one = [](const std::string& body) {
    return "[[body]]\nname = \"a\"\nrole = \"held\"\n" + body;
  };
  EXPECT_NE(refusal(one("shape = \"cone\"\n")).find("shape"), std::string::npos);
  EXPECT_NE(refusal(one("shape = \"sphere\"\n")).find("radius"), std::string::npos);
  EXPECT_NE(refusal(one("shape = \"sphere\"\nradius = -1.0\n")).find("radius"), std::string::npos);
  EXPECT_NE(refusal(one("shape = \"sphere\"\nradius = 1.0\ntube = 1.0\n")).find("tube"),
            std::string::npos);
  EXPECT_NE(refusal(one("shape = \"plane\"\nsize = 1.0\n")).find("role"), std::string::npos);
  EXPECT_NE(refusal(one("shape = \"torus\"\nradius = 1.0\ntube = 2.0\n")).find("tube"),
            std::string::npos);
  EXPECT_NE(refusal(one("shape = \"sphere\"\nradius = 1.0\nmodel = \"ball.h5\"\n")).find("shape"),
            std::string::npos);
}

TEST_F(ShapeBody, a_shape_has_no_points) {
  Scene scene = ball_over("plane.h5");
  scene.bodies[0].model = shape(ShapeKind::kSphere, 0.1);
  EXPECT_THROW(SolidsWorld(scene, nullptr), InputError);
}

}  // namespace
}  // namespace haptic::solids
