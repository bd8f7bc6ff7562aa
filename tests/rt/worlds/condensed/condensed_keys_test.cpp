#include "rt/worlds/condensed/condensed_keys.h"

#include <string>

#include "tests/rt/worlds/condensed/condensed_world_fixture.h"
#include "tests/rt/worlds/scene_refusal.h"

namespace haptic::condensed {
namespace {

class CondensedKeys : public PressedBlock {
 protected:
  static void refuses(const std::string& text, const std::string& part) {
    expect_scene_refusal([&] { scene(text); }, part);
  }
  static std::string world_refusal(const std::string& text) {
    return scene_refusal([&] { CondensedWorld(scene(text), nullptr); });
  }
  static std::string replaced(std::string text, const std::string& what, const std::string& by) {
    const std::size_t at = text.find(what);
    EXPECT_NE(at, std::string::npos);
    return text.replace(at, what.size(), by);
  }
};

TEST_F(CondensedKeys, keys_are_read) {
  const Scene of_keys = scene(stylus_text(
      "coupling = \"statics\"\nintegrator = \"symplectic\"\nmodes = 4\nrelease_s = 0.02",
      "friction = 0.7\nviscosity = 2.0\ncapacity = 9"));
  const CondensedSettings& s = condensed_settings(of_keys);
  EXPECT_EQ(s.coupling, CondensedSettings::Coupling::kStatics);
  EXPECT_EQ(s.integrator, ModalIntegrator::kSymplectic);
  EXPECT_EQ(s.modes, 4U);
  EXPECT_EQ(s.release_s, 0.02);
  EXPECT_EQ(s.friction, 0.7);
  EXPECT_EQ(s.viscosity, 2.0);
  EXPECT_EQ(s.capacity, 9U);
  ASSERT_EQ(s.points.size(), 1U);
  EXPECT_EQ(s.body, 0U);
}

TEST_F(CondensedKeys, keys_that_do_not_fit_are_refused) {
  refuses(stylus_text("coupling = \"both\""), "condensed.coupling");
  refuses(stylus_text("integrator = \"symplectic\""), "coupling = \"multipliers\"");
  refuses(stylus_text("coupling = \"statics\"\nintegrator = \"exact\""), "coupling = \"statics\"");
  refuses(stylus_text("modes = -1"), "condensed.modes");
  refuses(stylus_text("coupling = \"statics\"\ncorotated = true"), "condensed.corotated");
  refuses(stylus_text("", "stick = true\nfriction = 0.5"), "contact.friction");
  refuses(stylus_text("", "viscosity = 0.0"), "contact.viscosity");
  refuses(stylus_text("", "capacity = 0"), "contact.capacity");
  refuses(stylus_text("", "stiffness = 3.0"), "contact.stiffness");
  refuses(replaced(stylus_text(), "[0.0, 0.0, 0.0]\n", "[0.0, 0.0]\n"), "contact.points");
  refuses(replaced(stylus_text("", "capacity = 1"), "points = [0.0, 0.0, 0.0]",
                   "points = [0.0, 0.0, 0.0, 0.0, 0.0, 1.0]"),
          "at most the capacity of 1");
  refuses(replaced(stylus_text(), "model = \"block.h5\"", "shape = \"plane\"\nsize = 1.0"),
          "a model baked with [condensed]");
  refuses(replaced(stylus_text(), "role = \"anchored\"", "role = \"free\""), "role");
  refuses(replaced(stylus_text(), "role = \"anchored\"", "role = \"anchored\"\ndimension = 3"),
          "[condensed] modes");
  refuses(stylus_text() + "[[body]]\nname = \"other\"\nmodel = \"block.h5\"\nrole = \"anchored\"\n",
          "found 2 anchored bodies");
}

TEST_F(CondensedKeys, a_world_refuses_what_its_models_do_not_have) {
  EXPECT_NE(world_refusal(stylus_text("modes = 11")).find("at most the 10 modes"),
            std::string::npos);
  const std::string rigid = world_refusal(
      replaced(stylus_text(), "shape = \"sphere\"\nradius = 0.004", "model = \"block.h5\""));
  EXPECT_EQ(rigid, "") << "a stylus of points needs no field";
  EXPECT_NE(world_refusal(
                replaced(ball_text(), "shape = \"sphere\"\nradius = 0.02", "model = \"block.h5\""))
                .find("has no field"),
            std::string::npos);
}

// The rate limit that the message names is that of the worst contact: a fifth above it is accepted,
// a fifth below it refused.
TEST_F(CondensedKeys, a_step_above_the_stability_limit_of_statics_is_refused) {
  const std::string slow = world_refusal(stylus_text("coupling = \"statics\"", "", 1.0));
  const std::size_t at = slow.find("above ");
  ASSERT_NE(at, std::string::npos) << slow;
  const double limit = std::stod(slow.substr(at + 6));
  EXPECT_GT(limit, 1.0);
  EXPECT_NE(world_refusal(stylus_text("coupling = \"statics\"", "", limit / 1.2)), "");
  EXPECT_EQ(world_refusal(stylus_text("coupling = \"statics\"", "", limit * 1.2)), "");
  EXPECT_EQ(world_refusal(stylus_text("", "", 1.0)), "");
}

TEST_F(CondensedKeys, a_tool_smaller_than_the_surface_is_named) {
  const auto warnings = [](const std::string& text) {
    return CondensedWorld(scene(text), nullptr).warnings();
  };
  // As large as an element, 25 mm.
  EXPECT_TRUE(warnings(scene_text("radius = 0.026", 0.026, "", "", 1000.0)).empty());
  EXPECT_TRUE(warnings(stylus_text()).empty());
  const auto coarse = warnings(replaced(ball_text(), "radius = 0.02", "radius = 0.004"));
  ASSERT_EQ(coarse.size(), 1U);  // the points are near enough, the elements are too large
  EXPECT_NE(coarse[0].find("are larger than the tool in the hand, 4 mm"), std::string::npos);
  const auto small = warnings(replaced(ball_text(), "radius = 0.02", "radius = 0.0004"));
  ASSERT_EQ(small.size(), 1U);
  EXPECT_NE(small[0].find("the tool may pass between"), std::string::npos);
}

TEST_F(CondensedKeys, a_tool_that_begins_inside_the_body_is_named) {
  const auto warnings = [](const std::string& text) {
    auto lines = CondensedWorld(scene(text), nullptr).warnings();
    // The block's elements are larger than the ball.
    std::erase_if(lines, [](const std::string& line) {
      return line.find("are larger than the tool") != std::string::npos;
    });
    EXPECT_LE(lines.size(), 1U);
    return lines.empty() ? std::string() : lines[0];
  };
  // Without overlap the tool's lowest point is 5 mm above the top of the block.
  const auto lower = [](std::string text, double by) {
    const std::size_t at = text.find("position = [0.0, ") + 17, end = text.find(',', at);
    const double height = std::stod(text.substr(at, end - at));
    return text.replace(at, end - at, std::to_string(height - by));
  };
  EXPECT_EQ(warnings(lower(ball_text(), 0.0049)), "");
  EXPECT_NE(warnings(lower(ball_text(), 0.008)).find("block reaches 0.003 m into it"),
            std::string::npos);
  EXPECT_NE(warnings(lower(ball_text(), 0.075)).find("begins inside block"), std::string::npos);
  EXPECT_EQ(warnings(lower(stylus_text(), 0.004)), "");
  EXPECT_NE(warnings(lower(stylus_text(), 0.006)).find("touches nothing until"), std::string::npos);
  EXPECT_EQ(warnings(lower(stylus_text(), 0.2)), "");
}

TEST_F(CondensedKeys, parameters_have_their_ranges) {
  CondensedWorld world(scene(stylus_text()), nullptr);
  ASSERT_EQ(world.parameters().size(), std::size_t{kCondensedParameterCount});
  EXPECT_TRUE(world.set_parameter(kContactFriction, 0.2));
  EXPECT_FALSE(world.set_parameter(kContactFriction, -0.1));
  EXPECT_FALSE(world.set_parameter(kContactFriction, 1e9));
  EXPECT_FALSE(world.set_parameter(kCondensedParameterCount, 1.0));
  hold(world, Vector3::Zero(), 300);
  EXPECT_EQ(world.parameter(kContactFriction), 0.2);
  CondensedWorld sticking(scene(stylus_text("", "stick = true")), nullptr);
  EXPECT_EQ(sticking.parameters().size(), std::size_t{kContactFriction});
  EXPECT_NE(sticking.why_absent("contact.friction"), "");
}

}  // namespace
}  // namespace haptic::condensed
