#include <cmath>
#include <string>
#include <vector>

#include "rt/worlds/cloth/cloth_keys.h"
#include "rt/worlds/make_world.h"
#include "tests/rt/worlds/cloth/cloth_world_fixture.h"
#include "tests/rt/worlds/scene_refusal.h"

namespace haptic::cloth {
namespace {

class ReadCloth : public SheetWorld {
 protected:
  static void SetUpTestSuite() {
    SheetWorld::SetUpTestSuite();
    write_ball(folder_ / "ball.h5", 0.02);
    write_plane(folder_ / "plane.h5", 3, 0.01);
  }
  /// The scene is refused when it is read.
  static void refuses(const std::string& text, const std::string& part) {
    expect_scene_refusal([&] { scene(text); }, part);
  }
  /// It is read, and refused when its world is made.
  static void world_refuses(const std::string& text, const std::string& part) {
    const Scene read = scene(text);
    expect_scene_refusal([&] { ClothWorld(read, nullptr); }, part);
  }
  static std::string replaced(std::string text, const std::string& what, const std::string& by) {
    const std::size_t at = text.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    return text.replace(at, what.size(), by);
  }
  static std::string cloth(const std::string& keys) { return text("[cloth]\n" + keys); }
};

TEST_F(ReadCloth, keys_are_read) {
  const Scene read = scene(text(
      "[cloth]\nbody = \"sheet\"\nintegrator = \"implicit-euler\"\nsubsteps = 3\niterations = 7\n"
      "tolerance = 1e-6\ndrag = 0.01\nwind = [1.0, -2.0, 3.0]\nwind_pressure = 0.5\n"
      "gust = [0.0, 4.0, 0.0]\ngust_coefficient = 0.002\ngust_period = 5.0\nstrain_limit = 0.1\n"
      "strain_sweeps = 9\nstrain_order = \"most-stretched-first\"\nthickness = 0.003\n"
      "self_contact = false\n"
      "[contact]\nstiffness = 321.0\nfriction = 0.4\ncapacity = 77\n"
      "[touch]\nhand = \"point\"\nradius = 0.0002\nfriction = 0.6\nshading = \"sub-proxy\"\n"
      "grab_button = 2\ngrab_reach = 0.05\ngrab_force = 1.5\ngrab_s = 0.4\nslip_force = 5.0\n"));
  const ClothSettings& s = cloth_settings(read);
  EXPECT_EQ(s.body, 0U);
  EXPECT_EQ(s.method, ClothMethod::kImplicitEuler);
  EXPECT_EQ(s.substeps, 3U);
  EXPECT_EQ(s.iterations, 7U);
  EXPECT_EQ(s.tolerance, 1e-6);
  EXPECT_EQ(s.drag, 0.01);
  EXPECT_EQ(s.wind, Vector3(1.0, -2.0, 3.0));
  EXPECT_EQ(s.wind_pressure, 0.5);
  EXPECT_EQ(s.gust, Vector3(0.0, 4.0, 0.0));
  EXPECT_EQ(s.gust_coefficient, 0.002);
  EXPECT_EQ(s.gust_period, 5.0);
  EXPECT_EQ(s.strain_limit, 0.1);
  EXPECT_EQ(s.strain_sweeps, 9U);
  EXPECT_TRUE(s.strain_ordered);
  EXPECT_EQ(s.thickness, 0.003);
  EXPECT_FALSE(s.self_contact);
  EXPECT_EQ(s.contact_stiffness, 321.0);
  EXPECT_EQ(s.contact_friction, 0.4);
  EXPECT_EQ(s.contact_capacity, 77U);
  EXPECT_EQ(s.hand, ClothSettings::Hand::kPoint);
  EXPECT_EQ(s.touch_radius, 0.0002);
  EXPECT_EQ(s.touch_friction, 0.6);
  EXPECT_EQ(s.shading, ClothSettings::Shading::kSubProxy);
  EXPECT_EQ(s.grab_button, 2);
  EXPECT_EQ(s.grab_reach, 0.05);
  EXPECT_EQ(s.grab_force, 1.5);
  EXPECT_EQ(s.grab_s, 0.4);
  EXPECT_EQ(s.slip_force, 5.0);
}

TEST_F(ReadCloth, gravity_acts_on_the_cloth) {
  const Vector3 moon(0.0, -1.62, 0.0);
  const Scene read = scene(
      text("[cloth]\nwind_pressure = 0.0\n" + point(), 1000.0, "gravity = [0.0, -1.62, 0.0]\n"));
  EXPECT_EQ(read.gravity, moon);
  ClothWorld world(read, nullptr);
  const Vector3 away(0.0, 0.3, 0.0);
  move(world, away, away, 100);
  // Of a step h of backward Euler, g h^2 n (n + 1) / 2; the sheet falls as a whole. Still air would
  // hold it back by p g^2 t^4 / 12 rho = 0.8 % of that.
  const double fall = 0.5 * 1.62e-6 * 100.0 * 101.0;
  EXPECT_NEAR(world.sheet().x()[1], -fall, 1e-9 * fall);
}

TEST_F(ReadCloth, every_name_of_an_integrator_is_its_method) {
  for (std::size_t i = 0; i < kClothMethods.size(); ++i) {
    const Scene read =
        scene(text("[cloth]\nintegrator = \"" + std::string(kClothMethods[i]) + "\"\n" + point()));
    EXPECT_EQ(static_cast<std::size_t>(cloth_settings(read).method), i);
  }
  const Scene adaptive =
      scene(text("[cloth]\nintegrator = \"rk4\"\nstep_tolerance = 1e-5\n" + point()));
  EXPECT_EQ(cloth_settings(adaptive).step_tolerance, 1e-5);
}

TEST_F(ReadCloth, unknown_keys_name_the_nearest) {
  refuses(cloth("integrater = \"rk4\""), "cloth.integrater");
  refuses(cloth("integrater = \"rk4\""), "integrator");
  refuses(cloth("integrator = \"rk5\""), "rk4");
  refuses(text("[contact]\nstifness = 1.0\n"), "stiffness");
  refuses(text("[touch]\nhands = \"point\"\n"), "touch.hands");
  refuses(text("[[constraint]]\nset = \"left\"\nfoo = 1\n"), "constraint[0].foo");
  refuses(text("[clothes]\ndrag = 1.0\n"), "clothes");
  refuses(text("[dynamics]\nstep = \"implicit\"\n"), "dynamics");
}

TEST_F(ReadCloth, values_out_of_range_are_refused) {
  refuses(cloth("wind = [nan, 0.0, 0.0]"), "cloth.wind");
  refuses(cloth("wind = [0.0, inf, 0.0]"), "cloth.wind");
  refuses(cloth("wind = [0.0, 101.0, 0.0]"), "cloth.wind");
  refuses(cloth("wind = [0.0, 1.0]"), "cloth.wind");
  refuses(cloth("gust = [0.0, 0.0, nan]"), "cloth.gust");
  refuses(cloth("gust_period = 0.0"), "cloth.gust_period");
  refuses(cloth("gust_coefficient = -1.0"), "cloth.gust_coefficient");
  refuses(cloth("wind_pressure = -0.1"), "cloth.wind_pressure");
  refuses(cloth("drag = -1e-9"), "cloth.drag");
  refuses(cloth("drag = 1001.0"), "cloth.drag");
  refuses(cloth("drag_per_area = -1.0"), "cloth.drag_per_area");
  refuses(cloth("drag = 0.1\ndrag_per_area = 1.0"), "cloth.drag_per_area");
  refuses(cloth("gust_per_area = 1e7"), "cloth.gust_per_area");
  refuses(cloth("gust_coefficient = 0.1\ngust_per_area = 1.0"), "cloth.gust_per_area");
  refuses(cloth("substeps = 0"), "cloth.substeps");
  refuses(cloth("substeps = 65"), "cloth.substeps");
  refuses(cloth("iterations = 0"), "cloth.iterations");
  refuses(cloth("tolerance = 0.0"), "cloth.tolerance");
  refuses(cloth("strain_limit = -0.1"), "cloth.strain_limit");
  refuses(cloth("strain_limit = 0.1\nstrain_sweeps = 0"), "cloth.strain_sweeps");
  refuses(cloth("thickness = 0.0"), "cloth.thickness");
  refuses(cloth("thickness = 1.1"), "cloth.thickness");
  refuses(cloth("self_contact = 1"), "cloth.self_contact");
  refuses(text("[contact]\nstiffness = 1.1e9\n"), "contact.stiffness");
  refuses(text("[contact]\nfoundation = 0.0\n"), "contact.foundation");
  refuses(text("[contact]\nfoundation = 1.1e13\n"), "contact.foundation");
  refuses(text("[contact]\nfoundation = 1e6\nstiffness = 1.0\n"), "contact.stiffness");
  refuses(text("[contact]\nfriction = 101.0\n"), "contact.friction");
  refuses(text("[contact]\ncapacity = 0\n"), "contact.capacity");
  refuses(text("[cloth]\nstrain_least = 0.5\n"), "cloth.strain_least");
  refuses(text("[[constraint]]\nkind = \"follow\"\nset = \"left\"\nfrequency = 1.0\n"),
          "constraint[0].amplitude");
  refuses(text("[[wind_shadow]]\nbody = \"moon\"\n"), "wind_shadow[0].body");
  refuses(text("[[wind_shadow]]\nbody = \"sheet\"\n"), "wind_shadow[0].body");
  refuses(text("[[wind_shadow]]\nbody = \"hand\"\n"), "wind_shadow[0].body");
  refuses(text("[contact]\ncapacity = 16385\n"), "contact.capacity");
  refuses(text(point("radius = 0.2\n")), "touch.radius");
  refuses(text(point("grab_button = 32\n")), "touch.grab_button");
  refuses(text(point("grab_force = 1.0\ngrab_s = 0.0\n")), "touch.grab_s");
}

TEST_F(ReadCloth, keys_without_effect_are_refused) {
  refuses(text("[cloth]\nintegrator = \"rk4\"\niterations = 4\n" + point()), "cloth.iterations");
  refuses(text("[cloth]\nintegrator = \"verlet\"\ntolerance = 0.1\n" + point()), "cloth.tolerance");
  refuses(cloth("step_tolerance = 1e-4"), "euler, midpoint or rk4");
  refuses(cloth("strain_sweeps = 4"), "found without strain_limit");
  refuses(cloth("strain_order = \"springs\""), "found without strain_limit");
  refuses(text("[touch]\nradius = 0.001\n"), "hand = \"point\"");
  refuses(text("[touch]\nshading = \"none\"\n"), "hand = \"point\"");
  refuses(text("[cloth]\nintegrator = \"rk4\"\n[contact]\nstiffness = 1.0\n" + point()),
          "contact.stiffness");
  refuses(text("[cloth]\nintegrator = \"rk4\"\n[contact]\nfoundation = 1e6\n" + point()),
          "contact.foundation");
  refuses(text(point() + "[coupling]\nmode = \"dynamic\"\n"), "coupling: found mode");
  refuses(text(point("slip_force = 2.0\n")), "found without grab_force");
  refuses(text(point("grab_reach = 0.01\n")), "grab_button and grab_force");
}

TEST_F(ReadCloth, constraints_are_read) {
  const Scene read = scene(
      text("[[constraint]]\nparticles = [3, 1]\n"
           "[[constraint]]\nkind = \"plane\"\nset = \"top-corners\"\nnormal = [0.0, 0.0, 2.0]\n"
           "[[constraint]]\nkind = \"line\"\nlow = [0.0, 0.0, -1.0]\nhigh = [0.1, 0.2, 1.0]\n"
           "direction = [3.0, 0.0, 4.0]\n"
           "[[constraint]]\nkind = \"sphere\"\nset = \"left\"\ncentre = [0.0, 1.0, 0.0]\n"));
  const std::vector<SceneClothConstraint>& c = cloth_settings(read).constraints;
  ASSERT_EQ(c.size(), 4U);
  EXPECT_EQ(c[0].kind, SceneClothConstraint::Kind::kPin);
  EXPECT_EQ(c[0].particles, (std::vector<std::uint32_t>{3, 1}));
  EXPECT_EQ(c[1].direction, Vector3::UnitZ());
  EXPECT_EQ(c[1].set, "top-corners");
  EXPECT_LT((c[2].direction - Vector3(0.6, 0.0, 0.8)).norm(), 1e-15);
  EXPECT_EQ(c[2].within->high, Vector3(0.1, 0.2, 1.0));
  EXPECT_EQ(c[3].centre, Vector3::UnitY());
  EXPECT_EQ(c[3].key, "constraint[3]");
}

TEST_F(ReadCloth, constraints_that_do_not_fit_are_refused) {
  const auto constraint = [](const std::string& keys) { return text("[[constraint]]\n" + keys); };
  refuses(constraint("kind = \"pin\""), "found 0 ways to name particles");
  refuses(constraint("set = \"left\"\nparticles = [1]"), "found 2 ways to name particles");
  refuses(constraint("particles = []"), "constraint[0].particles");
  refuses(constraint("particles = [-1]"), "constraint[0].particles");
  refuses(constraint("set = \"middle\""), "constraint[0].set");
  refuses(constraint("low = [0.0, 0.0, 0.0]"), "constraint[0].high");
  refuses(constraint("low = [0.0, 0.0]\nhigh = [0.0, 0.0, 0.0]"), "constraint[0].low");
  refuses(constraint("kind = \"plane\"\nset = \"left\""), "constraint[0].normal");
  refuses(constraint("kind = \"plane\"\nset = \"left\"\nnormal = [0.0, 0.0, 0.0]"),
          "constraint[0].normal");
  refuses(constraint("kind = \"plane\"\nset = \"left\"\nnormal = [nan, 0.0, 0.0]"),
          "constraint[0].normal");
  refuses(constraint("kind = \"line\"\nset = \"left\"\nnormal = [0.0, 0.0, 1.0]"),
          "constraint[0].direction");
  refuses(constraint("kind = \"sphere\"\nset = \"left\""), "constraint[0].centre");
}

TEST_F(ReadCloth, a_scene_has_one_cloth) {
  const std::string second =
      "[[body]]\nname = \"other\"\nmodel = \"sheet.h5\"\nrole = \"anchored\"\n";
  refuses(text(second), "found 2 anchored bodies with a model and no key body");
  refuses(cloth("body = \"curtain\""), "found \"curtain\"");
  refuses(cloth("body = \"hand\""), "the name of an anchored body with a model");
  refuses(replaced(text(""), "role = \"anchored\"", "role = \"free\""), "role");
  refuses(replaced(text(""), "model = \"sheet.h5\"", "shape = \"plane\"\nsize = 1.0"),
          "found 0 anchored bodies");
  EXPECT_EQ(cloth_settings(scene(text(second + "[cloth]\nbody = \"other\"\n"))).body, 2U);
}

TEST_F(ReadCloth, the_methods_that_touch_nothing_are_refused_with_bodies_and_tools) {
  refuses(cloth("integrator = \"rk4\""), "[touch] hand = \"point\"");
  const std::string ground =
      "[[body]]\nname = \"ground\"\nshape = \"plane\"\nsize = 1.0\nrole = \"anchored\"\n"
      "position = [0.0, -0.5, 0.0]\n";
  world_refuses(text(ground + "[cloth]\nintegrator = \"verlet\"\n" + point()), "implicit-euler");
}

TEST_F(ReadCloth, models_that_do_not_fit_are_refused) {
  const auto with = [](const std::string& model) {
    return text(
        "[[body]]\nname = \"under\"\nmodel = \"" + model +
        "\"\nrole = \"anchored\"\nposition = [0.0, -0.5, 0.0]\n[cloth]\nbody = \"sheet\"\n");
  };
  EXPECT_EQ(scene_refusal([&] { ClothWorld(scene(with("ball.h5")), nullptr); }), "");
  world_refuses(with("plane.h5"), "under: found");
  world_refuses(with("plane.h5"), "without a field");
  // No cloth: the file is named, and what it lacks.
  const std::string message =
      scene_refusal([] { ClothWorld(scene(replaced(text(""), "sheet.h5", "ball.h5")), nullptr); });
  EXPECT_NE(message.find("ball.h5"), std::string::npos) << message;
  EXPECT_NE(message.find("/cloth"), std::string::npos) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  // A tool without a field.
  world_refuses(replaced(text(""), "shape = \"sphere\"\nradius = 0.002", "model = \"plane.h5\""),
                "[touch] hand = \"point\"");
}

TEST_F(ReadCloth, other_worlds_name_a_cloth) {
  for (const char* const kind : {"solids", "condensed"}) {
    SCOPED_TRACE(kind);
    const std::string of =
        replaced(text(""), "world = \"cloth\"", std::string("world = \"") + kind + "\"");
    const std::string message = scene_refusal([&] { make_world(scene(of), nullptr); });
    EXPECT_NE(message.find("scene.toml: sheet: found"), std::string::npos) << message;
    EXPECT_NE(message.find("sheet.h5, a cloth"), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
}

TEST_F(ReadCloth, a_thickness_above_the_distances_at_rest_is_refused) {
  // The distance at rest between features without a common particle is that of a diagonal's middle
  // from a corner, 0.707 of a cell of 22 mm.
  const double least = 0.2 / 9.0 * std::sqrt(0.5);
  const auto of = [](double thickness, const std::string& more = "") {
    return cloth("thickness = " + std::to_string(thickness) + "\n" + more);
  };
  world_refuses(of(1.01 * least), "cloth.self_contact: thickness: ");
  EXPECT_EQ(scene_refusal([&] { ClothWorld(scene(of(0.99 * least)), nullptr); }), "");
  EXPECT_EQ(
      scene_refusal([&] { ClothWorld(scene(of(1.01 * least, "self_contact = false")), nullptr); }),
      "");
}

TEST_F(ReadCloth, too_many_particles_are_refused) {
  write_sheet(folder_ / "large.h5", 317, kSide);
  world_refuses(replaced(text(""), "sheet.h5", "large.h5"), "found 100489 particles");
}

TEST_F(ReadCloth, a_foundation_takes_the_place_of_the_stiffness) {
  const Scene with = scene(text("[contact]\nfoundation = 2e6\n"));
  EXPECT_TRUE(cloth_settings(with).contact_foundation);
  ClothWorld world(with, nullptr);
  EXPECT_EQ(world.parameters()[kClothContactStiffness].name, "contact.foundation");
  EXPECT_EQ(world.parameter(kClothContactStiffness), 2e6);
  EXPECT_TRUE(world.set_parameter(kClothContactStiffness, 1e10));
  EXPECT_FALSE(world.set_parameter(kClothContactStiffness, 1.1e13));
}

TEST_F(ReadCloth, parameters_have_their_ranges) {
  ClothWorld world(scene(text("")), nullptr);
  ASSERT_EQ(world.parameters().size(), std::size_t{kClothParameterCount});
  EXPECT_TRUE(world.set_parameter(kClothWindX, -100.0));
  EXPECT_FALSE(world.set_parameter(kClothWindY, 100.1));
  EXPECT_FALSE(world.set_parameter(kClothDrag, -1.0));
  EXPECT_FALSE(world.set_parameter(kClothContactStiffness, std::nan("")));
  EXPECT_FALSE(world.set_parameter(kClothParameterCount, 1.0));
  move(world, Vector3::Zero(), Vector3::Zero(), 300);
  EXPECT_EQ(world.parameter(kClothWindX), -100.0);
}

}  // namespace
}  // namespace haptic::cloth
