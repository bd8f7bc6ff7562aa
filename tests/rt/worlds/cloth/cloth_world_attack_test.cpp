// Worlds of cloth as an attacker would set them up: values at both ends of every range, and hands
// that jump, shake and fly through the cloth and what is under it.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/rt/worlds/cloth/cloth_world_fixture.h"
#include "tests/support/no_allocation.h"

namespace haptic::cloth {
namespace {

struct ClothAttack {
  std::string name, tables, core{}, model = "sheet.h5";
  double rate_hz = 1000.0;
};

class ClothAttackTest : public SheetWorld {
 protected:
  static void SetUpTestSuite() {
    SheetWorld::SetUpTestSuite();
    write_sheet(folder_ / "stiff.h5", 8, kSide, 1e7, 1.0);
    write_sheet(folder_ / "slack.h5", 8, kSide, 1e-6, 0.0);
    const ClothMesh mesh = make_grid({8, 8}, kSide, kSide);
    write_cloth(folder_ / "light.h5", mesh, uniform_masses(1e-9, 64), 200.0, 0.002);
    std::vector<double> uneven = uniform_masses(0.01, 64);
    for (std::size_t i = 0; i < uneven.size(); i += 2) uneven[i] *= 1e-6;
    write_cloth(folder_ / "uneven.h5", mesh, uneven, 200.0, 0.002);
  }
  static std::string ground() {
    return "[[body]]\nname = \"ground\"\nshape = \"box\"\nx = 0.15\ny = 0.02\nz = 0.15\n"
           "role = \"anchored\"\nposition = [0.0, -0.012, 0.0]\n";
  }
  static Scene scene_of(const ClothAttack& a) {
    std::string all = text(a.tables, a.rate_hz, a.core);
    return scene(all.replace(all.find("sheet.h5"), 8, a.model));
  }
  /// Places of the hand, cycle by cycle: shakes, jumps by up to 1 m, flies at 50 m/s, rests deep.
  static Vector3 hand(int cycle, double dt) {
    const double t = cycle * dt;
    switch (cycle / 25 % 5) {
      case 0:
        return {0.02 * std::sin(900.0 * t), -0.03 + 0.03 * std::cos(700.0 * t), 0.0};
      case 1:
        return {cycle % 2 == 0 ? 0.5 : -0.5, cycle % 3 == 0 ? 0.5 : -0.5, 0.1};
      case 2:
        return {0.0, 1.5 - 50.0 * std::fmod(t, 0.06), 0.01};
      case 3:
        return {0.03, -0.06, 0.02};
      default:
        return {0.0, 0.05, 0.0};
    }
  }
  /// @returns the first status that is not kOk, after which the world starts again
  static WorldStatus attack(const ClothAttack& a, int cycles) {
    ClothWorld world(scene_of(a), nullptr);
    WorldStatus first = WorldStatus::kOk;
    for (int i = 0; i < cycles; ++i) {
      WorldOutput output;
      const DeviceState at = hand_at(hand(i, 1.0 / a.rate_hz), i / 15 % 2);
      WorldStatus status;
      {
        const NoAllocation guard;
        status = world.step(at, output);
      }
      EXPECT_TRUE(is_finite(output.device_wrench) && is_finite(output.contact_wrench)) << i;
      EXPECT_TRUE(is_finite(output.held_pose)) << i;
      if (status == WorldStatus::kOk) {
        for (const double x : world.sheet().x()) EXPECT_TRUE(std::isfinite(x)) << i;
      } else {
        EXPECT_EQ(output.device_wrench.force.norm(), 0.0) << i;
        if (first == WorldStatus::kOk) first = status;
        world.reset();
      }
      if (::testing::Test::HasFailure()) break;
    }
    return first;
  }
  static std::vector<ClothAttack> attacks(const std::string& hand) {
    const std::string over = ground() + "[cloth]\nbody = \"sheet\"\n";
    const std::string stiff = "[coupling]\nstiffness = 1e5\n[contact]\nstiffness = 1e9\n";
    return {
        {"plain", over + hand},
        {"stiffest", over + stiff + hand},
        {"softest", over + "[coupling]\nstiffness = 1.0\n[contact]\nstiffness = 0.0\n" + hand},
        {"stiffest, hung", pinned() + stiff + hand},
        {"stiff springs", over + stiff + hand, "", "stiff.h5"},
        {"slack springs", over + hand, "", "slack.h5"},
        {"tiny masses", over + stiff + hand, "", "light.h5"},
        {"uneven masses", over + stiff + hand, "", "uneven.h5"},
        {"gravity", over + hand, "gravity = [0.0, -1000.0, 0.0]\n"},
        {"gravity aside", pinned() + hand, "gravity = [1000.0, 1000.0, -1000.0]\n"},
        {"storm", over +
                      "wind = [100.0, 100.0, -100.0]\ngust = [100.0, 100.0, 100.0]\n"
                      "gust_coefficient = 1000.0\nwind_pressure = 1000.0\n" +
                      hand},
        {"drag", over + "drag = 1000.0\n" + hand},
        {"thin", over + "thickness = 1e-4\n" + hand},
        {"thick", over + "thickness = 0.0155\n" + hand},
        {"no strain", over + "strain_limit = 0.0\nstrain_sweeps = 100\n" + hand},
        {"one iteration", over + "iterations = 1\ntolerance = 0.5\n" + stiff + hand},
        {"slow", over + stiff + hand, "", "sheet.h5", 10.0},
    };
  }
};

TEST_F(ClothAttackTest, a_tool_has_finite_forces_and_no_fault) {
  std::vector<ClothAttack> all = attacks("");
  const std::string over = ground() + "[cloth]\nbody = \"sheet\"\n";
  for (const char* const mass : {"1e-6", "1e3"}) {
    all.push_back(
        {std::string("a mass of ") + mass,
         over + "[coupling]\nmode = \"dynamic\"\nstiffness = 1e5\nmass = " + mass + "\n"});
  }
  all.push_back({"far", over + "[coupling]\nmax_speed = 1e3\n", "length_scale = 100.0\n"});
  for (const ClothAttack& a : all) {
    SCOPED_TRACE(a.name);
    // A storm of a thousand times the pressure of air carries the cloth beyond what its step
    // bounds.
    const bool absurd = std::string(a.name) == "storm";
    EXPECT_EQ(attack(a, 125), absurd ? WorldStatus::kDiverged : WorldStatus::kOk);
  }
}

TEST_F(ClothAttackTest, a_point_has_finite_forces_and_no_fault) {
  for (const ClothAttack& a : attacks(point("grab_button = 0\ngrab_force = 0.5\ngrab_reach = 1.0\n"
                                            "grab_s = 0.01\nshading = \"sub-proxy\"\n"))) {
    SCOPED_TRACE(a.name);
    // A storm of a thousand times the pressure of air carries the cloth beyond what its step
    // bounds.
    const bool absurd = std::string(a.name) == "storm";
    EXPECT_EQ(attack(a, 125), absurd ? WorldStatus::kDiverged : WorldStatus::kOk);
  }
}

// A force that the masses of an explicit method cannot bear ends in a fault by name.
TEST_F(ClothAttackTest, explicit_methods_have_finite_forces) {
  for (const char* const method : {"adaptive-imex", "bdf2", "imex-euler", "filtered-forces",
                                   "neighbours", "rk4", "verlet", "velocity-verlet", "leapfrog"}) {
    for (const char* const core : {"", "gravity = [0.0, -1000.0, 0.0]\n"}) {
      SCOPED_TRACE(std::string(method) + " " + core);
      const ClothAttack a{"",
                          "[cloth]\nintegrator = \"" + std::string(method) +
                              "\"\nwind = [100.0, 0.0, 0.0]\nsubsteps = 4\n" + pinned() +
                              "[coupling]\nstiffness = 1000.0\n" +
                              point("grab_button = 0\ngrab_reach = 1.0\n"),
                          core};
      const WorldStatus status = attack(a, 125);
      EXPECT_TRUE(status == WorldStatus::kOk || status == WorldStatus::kDiverged ||
                  status == WorldStatus::kNotFinite);
    }
  }
}

}  // namespace
}  // namespace haptic::cloth
