// `haptic probe contact` in every role: wrench, gradient and the reduced forces of both bodies.

#include "host/cli/probe_command.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "rt/worlds/world_kinds.h"
#include "shared/error.h"
#include "tests/rt/worlds/analytic_models.h"

namespace haptic {
namespace {

class ProbeCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    write_sprung_plane(folder_ / "plane.h5", SprungPlane{});
    write_sprung_ball(folder_ / "ball.h5", 0.02, SprungPlane{});
    // The ball a millimetre in the plane, both bodies a little deformed, so that it is 1.2 mm.
    std::ofstream(folder_ / "state.json") << R"({"bodies": {
      "ball": {"position_m": [0, 0, 0.019], "q": [0, 0, -0.00005]},
      "plane": {"q": [0, 0, 0.00005]}}})";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  nlohmann::json probe(const std::string& role_of_plane, const std::string& role_of_ball,
                       bool brute_force = false) {
    std::ofstream(folder_ / "scene.toml")
        << "[[body]]\nname = \"plane\"\nmodel = \"plane.h5\"\nrole = \"" << role_of_plane << "\"\n"
        << "[[body]]\nname = \"ball\"\nmodel = \"ball.h5\"\nrole = \"" << role_of_ball << "\"\n"
        << "[[body]]\nname = \"other\"\nmodel = \"ball.h5\"\nposition = [1, 0, 0]\nrole = \""
        << (role_of_plane == role_of_ball ? "held" : "anchored") << "\"\n"
        << "[[contact]]\npoints = \"plane\"\nfield = \"ball\"\n";
    return probe_contact(folder_ / "scene.toml", folder_ / "state.json", brute_force);
  }

  std::filesystem::path folder_ = model_folder("probe_contact");
};

// A ball pressed into a wall of 1000 N/m, felt through a coupling of 400 N/m that moves a tenth of
// the hand: (1 / 1000 + 1 / 400)^-1 / 10. One of the plane's points is below the ball's middle, a
// few share the force.
TEST_F(ProbeCommand, shows_the_stiffness_of_the_contact_and_that_in_series_with_the_coupling) {
  write_plane(folder_ / "ground.h5", 21, 1e-3);
  write_ball(folder_ / "tool.h5", 0.02);
  std::ofstream(folder_ / "scene.toml")
      << "length_scale = 0.1\n[[body]]\nname = \"ground\"\nmodel = \"ground.h5\"\nrole = "
         "\"anchored\"\n[[body]]\nname = \"tool\"\nmodel = \"tool.h5\"\nrole = \"held\"\n"
         "[[contact]]\npoints = \"ground\"\nfield = \"tool\"\nwall = 1000.0\n"
         "[coupling]\nstiffness = 400.0\n";
  const auto probed = [&](double height) {
    std::ofstream(folder_ / "state.json")
        << R"({"bodies": {"tool": {"position_m": [0, 0, )" << height << "]}}}";
    return probe_contact(folder_ / "scene.toml", folder_ / "state.json", false)["stiffness"];
  };
  const nlohmann::json pressed = probed(0.019);
  EXPECT_NEAR(pressed["contact_N_per_m"].get<double>(), 1000.0, 20.0);
  EXPECT_NEAR(pressed["contact_slope_N_per_m"].get<double>(), 1000.0, 20.0);
  EXPECT_EQ(pressed["coupling_N_per_m"], 400.0);
  EXPECT_NEAR(pressed["hand_N_per_m"].get<double>(), 0.1 / (1.0 / 1000.0 + 1.0 / 400.0), 0.6);
  const nlohmann::json apart = probed(0.03);
  EXPECT_TRUE(apart["contact_N_per_m"].is_null());
  EXPECT_TRUE(apart["hand_N_per_m"].is_null());
}

TEST_F(ProbeCommand, shows_both_bodies_reduced_forces_in_every_role) {
  double up_on_ball = 0.0;
  for (const bool plane_held : {true, false}) {
    const auto json = plane_held ? probe("held", "anchored") : probe("anchored", "held");
    ASSERT_FALSE(json["contacts"].empty());
    const double on_held = json["wrench_on_held"]["force_N"][2];
    if (plane_held) up_on_ball = -on_held;
    EXPECT_GT(up_on_ball, 0.1);
    EXPECT_EQ(on_held, plane_held ? -up_on_ball : up_on_ball);
    // U = 2 I on both.
    EXPECT_NEAR(json["reduced_force"]["ball"][2], 2.0 * up_on_ball, 1e-12);
    EXPECT_NEAR(json["reduced_force"]["plane"][2], -2.0 * up_on_ball, 1e-12);
    EXPECT_EQ(json["reduced_force"]["other"][2], 0.0);
    EXPECT_LT(json["gradient"][2][2], 0.0);
    double deepest = 0.0;
    for (const auto& contact : json["contacts"]) {
      deepest = std::max(deepest, contact["depth_m"].get<double>());
    }
    EXPECT_NEAR(deepest, 1.2e-3, 1e-8);
  }
  const auto neither = probe("anchored", "anchored");
  EXPECT_EQ(neither["wrench_on_held"]["force_N"][2], 0.0);
  EXPECT_EQ(neither["gradient"][2][2], 0.0);
  EXPECT_NEAR(neither["reduced_force"]["ball"][2], 2.0 * up_on_ball, 1e-12);
  EXPECT_NEAR(neither["reduced_force"]["plane"][2], -2.0 * up_on_ball, 1e-12);
}

TEST_F(ProbeCommand, brute_force_gives_the_same) {
  for (const bool plane_held : {true, false}) {
    const char* plane = plane_held ? "held" : "anchored";
    const char* ball = plane_held ? "anchored" : "held";
    auto tree = probe(plane, ball), all = probe(plane, ball, true);
    tree.erase("visited_nodes");
    all.erase("visited_nodes");
    EXPECT_EQ(tree, all);
  }
}

TEST_F(ProbeCommand, needs_a_kind_of_world_with_contacts) {
  static constexpr WorldKind kEmpty{
      .name = "empty",
      .read = [](const TomlTable&, const Scene&) -> std::shared_ptr<const WorldSettings> {
        return nullptr;
      },
      .make = [](const Scene&, const Clock*) -> std::unique_ptr<World> { return nullptr; }};
  static const RegisteredWorldKind registered(kEmpty);
  const std::string scene = (folder_ / "scene.toml").string();
  std::ofstream(scene) << "world = \"empty\"\n[[body]]\nname = \"ball\"\nmodel = \"ball.h5\"\n"
                          "role = \"held\"\n";
  try {
    probe_contact(scene, folder_ / "state.json", false);
    FAIL() << "a world without contacts was probed";
  } catch (const InputError& error) {
    EXPECT_EQ(error.what(), scene +
                                ": world: found \"empty\", which has no contacts to probe, "
                                "expected a kind of world with contact pairs");
  }
}

}  // namespace
}  // namespace haptic
