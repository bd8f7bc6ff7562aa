#include <algorithm>
#include <cmath>
#include <random>

#include "tests/rt/worlds/cloth/cloth_world_fixture.h"

namespace haptic::cloth {
namespace {

/// A cloth of 20 x 20 cells of 1 cm whose border is pinned, and a point that presses it at a random
/// place.
class StillHand : public SheetWorld {
 protected:
  static constexpr std::uint32_t kAcross = 21;

  static void SetUpTestSuite() {
    folder_ = model_folder("cloth_still_hand");
    write_sheet(folder_ / "sheet.h5", kAcross, kSide, 150.0);
  }
  static std::string border() {
    std::string particles;
    for (std::uint32_t i = 0; i < kAcross * kAcross; ++i) {
      const std::uint32_t row = i / kAcross, column = i % kAcross;
      if (row % (kAcross - 1) != 0 && column % (kAcross - 1) != 0) continue;
      particles += (particles.empty() ? "" : ", ") + std::to_string(i);
    }
    return "[[constraint]]\nparticles = [" + particles + "]\n";
  }
  struct Press {
    double stiffness, friction, rate;  // N/m, 1, Hz
    Vector3 place;                     // of the device at the end [m]
  };
  /// Largest difference of a force from the mean, over the mean, within 0.2 s of a hand that has
  /// stood still for 1 s.
  static double spread(const Press& press) {
    ClothWorld world(scene(text("[cloth]\ndrag = 1e-3\nself_contact = false\n" +
                                    point("friction = " + std::to_string(press.friction) + "\n") +
                                    "[coupling]\nstiffness = " + std::to_string(press.stiffness) +
                                    "\nmax_speed = 5.0\n" + border(),
                                press.rate, "gravity = [0.0, 0.0, 0.0]\n")),
                     nullptr);
    const auto cycles = [&](double seconds) { return static_cast<int>(seconds * press.rate); };
    const Vector3 above(press.place.x(), 0.01, press.place.z());
    move(world, Vector3::Zero(), above, cycles(0.05));
    move(world, above, press.place, cycles(0.5));
    move(world, press.place, press.place, cycles(1.0));
    std::vector<Vector3> forces;
    Vector3 mean = Vector3::Zero();
    for (int i = 0; i < cycles(0.2); ++i) {
      forces.push_back(move(world, press.place, press.place, 1).device_wrench.force);
      mean += forces.back();
    }
    mean /= static_cast<double>(forces.size());
    EXPECT_GT(mean.norm(), 0.01);
    double most = 0.0;
    for (const Vector3& force : forces) most = std::max(most, (force - mean).norm());
    return most / mean.norm();
  }
};

// Without friction too, where the cloth alone holds the point: in pockets, at edges and corners.
TEST_F(StillHand, feels_a_still_force_at_any_stiffness_and_rate) {
  const unsigned seed = 11;
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> exponent(std::log(200.0), std::log(10'000.0)),
      place(-0.08, 0.08), depth(0.02, 0.06);
  for (const double rate : {250.0, 1000.0, 4000.0}) {
    for (int i = 0; i < (rate < 4000.0 ? 12 : 4); ++i) {
      Press press{std::exp(exponent(random)), i % 3 == 2 ? 0.05 : 0.0, rate, Vector3::Zero()};
      press.place = {place(random), 0.0, place(random)};
      press.place.y() = -kAbove - depth(random);
      EXPECT_LT(spread(press), 1e-3)
          << "seed " << seed << ", press " << i << " at " << rate << " Hz: " << press.stiffness
          << " N/m, friction " << press.friction << ", at " << press.place.transpose() << " m";
    }
  }
}

// Places where the planes that hold the point alternated: a pocket of one corner with three planes,
// a face beside a corner, pockets of four planes and more, and two passes of a step.
TEST_F(StillHand, feels_a_still_force_in_pockets) {
  for (const Press& press : {Press{1096.0, 0.0, 1000.0, {0.0664, -0.0438 - kAbove, -0.0557}},
                             Press{5755.0, 0.0, 1000.0, {-0.0228, -0.026 - kAbove, -0.0411}},
                             Press{4663.0, 0.0, 250.0, {0.0431, -0.0214 - kAbove, -0.0021}},
                             Press{8952.0, 0.0, 1000.0, {0.0439, -0.0468 - kAbove, -0.0466}},
                             Press{6538.0, 0.0, 250.0, {-0.0414, -0.0265 - kAbove, 0.0555}},
                             Press{5345.0, 0.05, 1000.0, {0.0015, -0.0464 - kAbove, -0.0017}}}) {
    EXPECT_LT(spread(press), 1e-4) << press.stiffness << " N/m, " << press.rate << " Hz";
  }
}

}  // namespace
}  // namespace haptic::cloth
