#include "rt/worlds/cloth/scene_integrator.h"

#include <cmath>
#include <string>

#include "tests/rt/worlds/cloth/cloth_world_fixture.h"
#include "tests/rt/worlds/scene_refusal.h"

namespace haptic::cloth {
namespace {

class SceneIntegrator : public SheetWorld {
 protected:
  static std::string of(const std::string& method, double rate_hz, const std::string& more = "") {
    return text("[cloth]\nintegrator = \"" + method + "\"\n" + more + point() + pinned(), rate_hz);
  }
  static std::string refusal(const std::string& of) {
    return scene_refusal([&] { ClothWorld(scene(of + soft()), nullptr); });
  }
  static std::string soft() { return "[coupling]\nstiffness = 1.0\n"; }  // k h^2 = m at 9 ms
  static double named_limit(const std::string& message) {
    const std::size_t begin = message.find("steps of less than ");
    return begin == std::string::npos ? 0.0 : std::stod(message.substr(begin + 19));
  }
};

// The limit has four digits in the message. Euler's, 10 us here, needs substeps in the range of
// rates, and they are the steps that count.
TEST_F(SceneIntegrator, the_message_names_the_limit_of_an_explicit_step) {
  write_sheet(folder_ / "small.h5", 5, kSide);
  const auto small = [](const std::string& method, double rate_hz, const std::string& more) {
    std::string all = of(method, rate_hz, more);
    return all.replace(all.find("sheet.h5"), 8, "small.h5");
  };
  for (const char* const method :
       {"euler", "midpoint", "rk4", "verlet", "velocity-verlet", "leapfrog"}) {
    SCOPED_TRACE(method);
    expect_scene_refusal(
        [&] { ClothWorld(scene(small(method, 20.0, "") + soft()), nullptr); },
        std::string("cloth.integrator: found \"") + method + "\" with steps of 0.05 s");
    const double limit = named_limit(refusal(small(method, 20.0, "")));
    ASSERT_GT(limit, 1e-6);
    EXPECT_EQ(refusal(small(method, 1.001 / 16.0 / limit, "substeps = 16\n")), "");
    EXPECT_NE(refusal(small(method, 0.999 / 16.0 / limit, "substeps = 16\n")), "");
  }
}

// Just below the limit a hanging cloth stays calm.
TEST_F(SceneIntegrator, a_step_below_its_limit_is_stable) {
  for (const char* const method : {"rk4", "velocity-verlet"}) {
    SCOPED_TRACE(method);
    const double limit = named_limit(refusal(of(method, 20.0)));
    ClothWorld world(scene(of(method, 1.05 / limit) + soft()), nullptr);
    WorldOutput output;
    for (int i = 0; i < 3000; ++i) {
      ASSERT_EQ(world.step(hand_at({0.0, 0.2, 0.0}), output), WorldStatus::kOk);
    }
    // It swings about its sag: the free fall of a quarter of its period bounds the speed, 1 m/s.
    double fastest = 0.0;
    for (const double v : world.sheet().state().v) fastest = std::max(fastest, std::abs(v));
    EXPECT_LT(fastest, 1.5);
  }
}

TEST_F(SceneIntegrator, without_dampers_euler_is_never_stable) {
  write_sheet(folder_ / "undamped.h5", 6, kSide, 200.0, 0.0);
  for (const char* const method : {"euler", "midpoint"}) {
    std::string undamped = of(method, 1e4);
    undamped.replace(undamped.find("sheet.h5"), 8, "undamped.h5");
    EXPECT_NE(refusal(undamped).find("dampers at the springs"), std::string::npos)
        << refusal(undamped);
  }
}

// Ten times the limit of the explicit methods, 0.5 ms.
TEST_F(SceneIntegrator, methods_without_a_limit_bear_any_step) {
  for (const char* const method :
       {"implicit-euler", "adaptive-imex", "imex-euler", "bdf2", "filtered-forces", "neighbours"}) {
    EXPECT_EQ(refusal(of(method, 200.0)), "") << method;
  }
  // A step that controls itself finds its own size.
  EXPECT_EQ(refusal(of("rk4", 200.0, "step_tolerance = 1e-5\n")), "");
}

// k h^2 = m: 0.2 kg/m^2 x (0.2 m)^2 over 100 particles, 80 mg, at 4 kHz 1280 N/m.
TEST_F(SceneIntegrator, an_explicit_method_has_a_largest_stiffness_of_the_coupling) {
  const auto with = [](double value) {
    return text("[cloth]\nintegrator = \"velocity-verlet\"\n" + point() +
                    "[coupling]\nstiffness = " + std::to_string(value) + "\n",
                4000.0);
  };
  expect_scene_refusal([&] { ClothWorld(scene(with(1281.0)), nullptr); },
                       "coupling.stiffness: found 1281 N/m, expected at most 1280 N/m, k h^2 = m");
  ClothWorld world(scene(with(1279.0)), nullptr);
  EXPECT_FALSE(world.set_parameter(kCouplingStiffness, 1281.0));
  EXPECT_TRUE(world.set_parameter(kCouplingStiffness, 1000.0));
}

TEST_F(SceneIntegrator, the_force_filter_needs_equal_masses_in_one_line_of_the_scene) {
  const ClothMesh mesh = make_grid({6, 6}, kSide, kSide);
  std::vector<double> masses = uniform_masses(0.008, mesh.vertices.size());
  masses[7] *= 2.0;
  write_cloth(folder_ / "uneven.h5", mesh, masses, 200.0, 0.002);
  std::string uneven = of("filtered-forces", 1000.0);
  uneven.replace(uneven.find("sheet.h5"), 8, "uneven.h5");
  expect_scene_refusal([&] { ClothWorld(scene(uneven + soft()), nullptr); },
                       "cloth.integrator: masses: ");
}

TEST_F(SceneIntegrator, the_force_filter_refuses_a_large_cloth_in_one_line_of_the_scene) {
  write_sheet(folder_ / "wide.h5", 65, kSide);
  std::string wide = of("filtered-forces", 1000.0);
  wide.replace(wide.find("sheet.h5"), 8, "wide.h5");
  expect_scene_refusal([&] { ClothWorld(scene(wide + soft()), nullptr); },
                       "cloth.integrator: particles: 4225");
}

}  // namespace
}  // namespace haptic::cloth
