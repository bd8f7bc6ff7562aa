// Light fabric in strong wind and in water, with the defaults of a scene, at steps far above those
// that an explicit wind allows.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "rt/bodies/fabric_springs.h"
#include "rt/worlds/cloth/air.h"
#include "rt/worlds/cloth/cloth_sheet.h"

namespace haptic::cloth {
namespace {

constexpr double kSide = 0.3, kMembrane = 1000.0;

struct Case {
  double density, speed, pressure;  // kg/m^2, m/s, kg/m^3
};

/// A flag pinned at its left border, the wind oblique to it. Largest speed and strain of 2 s.
struct Flown {
  double speed = 0.0, strain = 0.0;
  bool bounded = true;
};

Flown fly(const Case& c, double rate) {
  ClothModel model;
  model.mesh = make_grid({16, 16}, kSide, kSide);
  model.masses = cell_masses({16, 16}, c.density * kSide * kSide);
  model.springs = make_fabric_springs(model.mesh, {.membrane = kMembrane, .shear = 50.0});
  ClothSettings settings;
  settings.wind = c.speed * Vector3(0.3, 0.2, 1.0).normalized();
  settings.wind_pressure = c.pressure;
  SceneClothConstraint pins;
  pins.set = "left";
  pins.key = "constraint[0]";
  settings.constraints = {pins};
  ClothSheet sheet(model, Pose{}, settings, {0.0, 0.0, -9.81}, 1.0 / rate, 0, {}, "flag");
  Flown flown;
  for (int k = 0; k < int(2.0 * rate); ++k) {
    sheet.clear();
    flown.bounded = flown.bounded && sheet.step() == ClothStepResult::kOk;
    for (std::size_t i = 0; i < sheet.system().size(); ++i) {
      flown.speed = std::max(flown.speed, at(sheet.state().v, i).norm());
    }
    flown.strain = std::max(flown.strain, sheet.largest_stretch() - 1.0);
  }
  return flown;
}

double limit_of(const Case& c, double rate) {
  AirSettings air;
  air.wind.pressure = c.pressure;
  air.area_per_mass = 1.0 / c.density;
  return wind_limit(air, 1.0, kSide / 15.0, 1.0 / rate);
}

/// The wind's pressure on the whole side is a tension of p w^2 L; a flag that it carries at its own
/// speed is stopped with a strain of w sqrt(rho / Y). An explicit wind tore a thread of 0.05 kg/m^2
/// to nine times its length at 10 m/s and 100 Hz, and in water it diverged.
TEST(ClothSheet, no_wind_moves_a_light_cloth_faster_than_itself_or_stretches_it_within_its_limit) {
  int within = 0;
  for (const Case c :
       {Case{0.05, 6.0, 0.6}, Case{0.05, 10.0, 0.6}, Case{0.05, 30.0, 0.6}, Case{0.05, 100.0, 0.6},
        Case{0.05, 0.5, 500.0}, Case{0.2, 100.0, 0.6}, Case{0.02, 100.0, 0.6}, Case{0.05, 0.0, 0.6},
        Case{0.2, 0.0, 0.6}, Case{0.2, 0.0, 500.0}}) {
    for (const double rate : {100.0, 250.0, 1000.0}) {
      Case at = c;
      if (at.speed == 0.0) at.speed = limit_of(c, rate);
      const Flown flown = fly(at, rate);
      const double pressed = at.pressure * at.speed * at.speed * kSide / kMembrane;
      const double stopped = at.speed * std::sqrt(at.density / kMembrane);
      const auto message = testing::Message()
                           << at.density << " kg/m^2, " << at.speed << " m/s, " << at.pressure
                           << " kg/m^3, " << rate << " Hz: " << flown.speed << " m/s, strain "
                           << flown.strain << " of " << pressed + stopped;
      EXPECT_TRUE(flown.bounded) << message;
      EXPECT_LT(flown.speed, 2.0 * std::max(at.speed, 2.0)) << message;
      if (at.speed > limit_of(at, rate)) continue;
      ++within;
      EXPECT_LT(flown.strain, 2.0 * (pressed + stopped) + 0.02) << message;
    }
  }
  EXPECT_GE(within, 12);
}

}  // namespace
}  // namespace haptic::cloth
