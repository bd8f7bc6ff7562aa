// Which levels a traversal renders under a limit of nodes, and how the force follows.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "shared/error.h"
#include "tests/rt/contact/traversal_scene.h"

namespace haptic::oracle {
namespace {

using Rule = DegradationSettings::Rule;

const std::vector<std::uint32_t> kSheetSizes = {40, 160, 640, 2560};

/// A sheet of points over a block, pressed in as deep as a hand likes.
struct Sheet {
  Sheet() : scene(face(), nested_tree(face(), kSheetSizes), sample_field(block, 64, 1.0)) {}
  static double block(const Vector3& p) { return box_distance(p, {0.3, 0.3, 0.3}); }
  static ShellData face() {
    Random random(3);
    ShellData sheet;
    for (std::uint32_t i = 0; i < kSheetSizes.back(); ++i) {
      sheet.add({random_vector(random, 0.25).x(), random_vector(random, 0.25).y(), 0.3},
                Vector3::UnitZ());
    }
    return in_tree_order(sheet, kSheetSizes);
  }
  /// The sheet turned about the x axis so that only a part of it is inside the block.
  static Pose pressed(double depth, double tilt) {
    const Quaternion turn = rotation_exponential(Vector3(tilt, 0.0, 0.0));
    return {Vector3(0.0, 0.0, 0.3 - depth) - turn * Vector3(0.0, 0.0, 0.3), turn};
  }
  ContactFixture scene;
};

TraversalSettings limited(std::uint32_t warm_nodes, std::uint32_t fade_cycles,
                          Rule rule = Rule::kHard) {
  TraversalSettings settings;
  settings.degradation.warm_nodes = warm_nodes;
  settings.degradation.fade_cycles = fade_cycles;
  settings.degradation.rule = rule;
  return settings;
}

TEST(LevelSchedule, level_k_equals_brute_force_to_level_k) {
  const Sheet sheet;
  const ModalCoordinates q(0);
  const Pose deep = Sheet::pressed(0.05, 0.0);
  ContactTraversal all = sheet.scene.traversal();
  // Everything touches: levels cost 40, 160, 640, 2560 nodes.
  const std::uint32_t cost[] = {40, 200, 840, 3400};
  for (std::uint32_t level = 1; level <= 4; ++level) {
    for (const Rule rule : {Rule::kHard, Rule::kPublished}) {
      // The published rule enters a level when those before it stayed below the threshold.
      const std::uint32_t nodes = rule == Rule::kHard ? cost[level - 1] : cost[level - 1] - 1;
      TraversalSettings settings = limited(nodes, 0, rule);
      settings.degradation.cold_ratio = 1.0;
      ContactTraversal traversal = sheet.scene.traversal(settings);
      const auto found = copy(traversal.run(deep, Pose(), q));
      EXPECT_EQ(traversal.level(), level);
      EXPECT_EQ(traversal.visited_nodes(), cost[level - 1]);
      EXPECT_EQ(traversal.was_cut(), level < 4);
      std::vector<TouchingPoint> expected = copy(all.run_all(deep, Pose(), q));
      std::erase_if(expected,
                    [&](const TouchingPoint& t) { return t.point >= kSheetSizes[level - 1]; });
      EXPECT_EQ(found, expected);
    }
  }
}

TEST(LevelSchedule, the_first_level_is_always_rendered_whole) {
  const Sheet sheet;
  for (const Rule rule : {Rule::kHard, Rule::kPublished}) {
    ContactTraversal traversal = sheet.scene.traversal(limited(1, 0, rule));
    const auto found = traversal.run(Sheet::pressed(0.05, 0.0), Pose(), ModalCoordinates(0));
    EXPECT_EQ(found.size(), kSheetSizes.front());
    EXPECT_EQ(traversal.level(), 1u);
  }
}

TEST(LevelSchedule, a_contact_may_count_for_more_than_its_visit) {
  const Sheet sheet;
  const Pose deep = Sheet::pressed(0.05, 0.0);
  TraversalSettings settings = limited(900, 0);
  settings.degradation.cold_ratio = 1.0;
  settings.degradation.contact_nodes = 1.5;  // all 840 nodes of three levels touch: 2100
  ContactTraversal traversal = sheet.scene.traversal(settings);
  traversal.run(deep, Pose(), ModalCoordinates(0));
  EXPECT_EQ(traversal.level(), 2u);
  // 160 of the 200 visited nodes have a point in contact; the same fraction, 0.8, is expected of
  // the next 640. The load is 840 + 1.5 (160 + 0.8 * 640) = 1848, and 1080 without the expectation.
  settings.degradation.warm_nodes = 1500;
  ContactTraversal expecting = sheet.scene.traversal(settings);
  expecting.run(deep, Pose(), ModalCoordinates(0));
  EXPECT_EQ(expecting.level(), 2u);
  settings.degradation.warm_nodes = 900;
  settings.degradation.contact_nodes = 0.0;
  ContactTraversal plain = sheet.scene.traversal(settings);
  plain.run(deep, Pose(), ModalCoordinates(0));
  EXPECT_EQ(plain.level(), 3u);
}

TEST(LevelSchedule, hysteresis_keeps_a_level_near_its_threshold) {
  // The load of the last level sways by some percent about the warm threshold at 5 Hz; without the
  // cold one every sway would be two switches.
  const Sheet sheet;
  const ModalCoordinates q(0);
  const auto tilt = [](int cycle) {
    return 0.4 + 0.01 * std::sin(6.283185307179586 * 5.0 * cycle / 1000.0);
  };
  ContactTraversal free = sheet.scene.traversal();
  std::vector<std::uint32_t> loads;
  for (int cycle = 0; cycle < 1000; ++cycle) {
    free.run(Sheet::pressed(0.05, tilt(cycle)), Pose(), q);
    loads.push_back(free.visited_nodes());
  }
  const auto [least, most] = std::minmax_element(loads.begin(), loads.end());
  ASSERT_GT(*most, *least);
  ASSERT_GT(*least, 0.8 * *most);  // inside (V_C, V_W)
  const auto switches = [&](double cold_ratio, std::uint32_t fade_cycles) {
    TraversalSettings settings = limited((*least + *most) / 2, fade_cycles);
    settings.degradation.cold_ratio = cold_ratio;
    ContactTraversal traversal = sheet.scene.traversal(settings);
    int count = 0;
    std::uint32_t last = 0;
    for (int cycle = 0; cycle < 5000; ++cycle) {
      traversal.run(Sheet::pressed(0.05, tilt(cycle)), Pose(), q);
      if (cycle > 0 && traversal.level() != last) ++count;
      last = traversal.level();
    }
    return count;
  };
  const int seconds = 5;
  EXPECT_LE(switches(0.8, 0), 3 * seconds);
  EXPECT_LE(switches(0.8, 20), 3 * seconds);
  EXPECT_GT(switches(1.0, 0), 3 * seconds);
}

TEST(LevelSchedule, levels_fade_in_and_out_gradually) {
  const Sheet sheet;
  constexpr std::uint32_t kFade = 20;
  ContactSettings settings;
  settings.traversal = limited(3200, kFade);
  settings.traversal.degradation.cold_ratio = 0.9;
  ContactPair pair = sheet.scene.pair(settings);
  // The tilt goes down and up again over 4 s: more and less of the sheet touches.
  std::uint32_t last = 0;
  int switches = 0, faded = 0;
  double left = 0.0;  // of what the last change of levels left to fade [N]
  for (int cycle = 0; cycle < 4000; ++cycle) {
    const double tilt = 0.5 + 0.5 * std::cos(6.283185307179586 * cycle / 4000.0);
    const ContactResult& result = pair.evaluate(Sheet::pressed(0.05, tilt), Pose(), {});
    const double carried = result.carried.force.norm();
    if (cycle > 0 && result.level != last) {
      ++switches;
      EXPECT_EQ(result.carried_change, 0.0);
      left = carried;
    } else {
      // A twentieth of it a cycle at the most, and a float's rounding.
      EXPECT_LE(result.carried_change, left / kFade * (1.0 + 1e-6));
      faded += result.carried_change > 0.0;
    }
    last = result.level;
  }
  EXPECT_GE(switches, 2);  // out once and in once at least
  EXPECT_GE(faded, 20 * switches);
}

TEST(LevelSchedule, settings_out_of_range_are_refused) {
  const Sheet sheet;
  TraversalSettings settings;
  settings.degradation.cold_ratio = 0.0;
  EXPECT_THROW(sheet.scene.traversal(settings), InputError);
  settings.degradation.cold_ratio = 1.1;
  EXPECT_THROW(sheet.scene.traversal(settings), InputError);
  settings.degradation.cold_ratio = 0.8;
  settings.degradation.contact_nodes = -1.0;
  EXPECT_THROW(sheet.scene.traversal(settings), InputError);
}

}  // namespace
}  // namespace haptic::oracle
