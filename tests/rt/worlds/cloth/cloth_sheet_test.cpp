#include "rt/worlds/cloth/cloth_sheet.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "tests/rt/worlds/cloth/cloth_world_fixture.h"

namespace haptic::cloth {
namespace {

class ClothSheetTest : public SheetWorld {
 protected:
  static constexpr double kStep = 1e-3;

  static ClothSheet sheet(const std::string& tables, const std::string& core = "") {
    const Scene read = scene(text(tables + point(), 1000.0, core));
    const ModelFile file(folder_ / "sheet.h5");
    return {read_cloth_model(file),
            read.bodies[0].pose,
            cloth_settings(read),
            read.gravity,
            kStep,
            0,
            {},
            read.file.string()};
  }
  static void run(ClothSheet& sheet, int steps) {
    for (int i = 0; i < steps; ++i) {
      sheet.clear();
      ASSERT_EQ(sheet.step(), ClothStepResult::kOk);
    }
  }
};

TEST_F(ClothSheetTest, what_follows_is_at_its_target_after_every_step_and_again_after_a_reset) {
  ClothSheet shaken = sheet(
      "[[constraint]]\nkind = \"follow\"\nset = \"left\"\n"
      "amplitude = [0.0, 0.02, 0.01]\nfrequency = 2.0\n");
  const Vector3 rest = at(shaken.rest(), 0);
  for (int round = 0; round < 2; ++round) {
    for (int i = 1; i <= 200; ++i) {
      shaken.clear();
      ASSERT_EQ(shaken.step(), ClothStepResult::kOk);
      const double sine = std::sin(2.0 * std::numbers::pi * 2.0 * kStep * i);
      // Rounding of the time, a sum of 200 steps.
      EXPECT_LT((at(shaken.x(), 0) - rest - sine * Vector3(0.0, 0.02, 0.01)).norm(), 1e-14);
    }
    shaken.reset();
    EXPECT_EQ((at(shaken.x(), 0) - rest).norm(), 0.0);
  }
}

// Hung at its corners the sheet of 200 N/m stretches by ten times its weight. Limits by position
// hold to what four sweeps leave; those by velocity stop what goes on to stretch, and what is
// beyond stays.
TEST_F(ClothSheetTest, strain_is_limited_in_either_order) {
  const auto stretch = [&](const std::string& keys) {
    ClothSheet hung = sheet("[cloth]\n" + keys + pinned(), "gravity = [0.0, -98.1, 0.0]\n");
    run(hung, 1500);
    return hung.largest_stretch();
  };
  const double free = stretch("");
  EXPECT_GT(free, 1.06);
  EXPECT_LT(stretch("strain_limit = 0.02\n"), 1.03);
  EXPECT_LT(stretch("strain_limit = 0.02\nstrain_order = \"most-stretched-first\"\n"), 1.03);
}

// A border that moves in by half of the sheet: without a least length threads are compressed to
// less than that of which the limit is.
TEST_F(ClothSheetTest, threads_have_a_least_length) {
  const auto shortest = [&](const std::string& keys) {
    ClothSheet pushed =
        sheet("[cloth]\nself_contact = false\n" + keys +
              "[[constraint]]\nset = \"right\"\n[[constraint]]\nset = \"left\"\n"
              "kind = \"follow\"\namplitude = [0.05, 0.0, 0.0]\nfrequency = 50.0\n");
    run(pushed, 5);
    const Springs& springs = pushed.system().springs().springs();
    double least = 1.0;
    for (std::size_t s = 0; s < springs.size(); ++s) {
      if (springs.kind[s] != SpringKind::kStructural) continue;
      const double length =
          (at(pushed.x(), springs.first[s]) - at(pushed.x(), springs.second[s])).norm();
      least = std::min(least, length / springs.rest[s]);
    }
    return least;
  };
  const double free = shortest(""), kept = shortest("strain_limit = 0.5\nstrain_least = 0.95\n");
  EXPECT_LT(free, 0.95);
  EXPECT_GT(kept, free + 0.5 * (0.95 - free));
}

}  // namespace
}  // namespace haptic::cloth
