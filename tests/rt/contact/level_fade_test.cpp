// What the force does where the levels change, at any force: between walls that face each other the
// net force is what the walls leave of each other, and the levels do not agree on it.

#include "rt/contact/level_fade.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "tests/rt/contact/traversal_scene.h"
#include "tests/support/no_allocation.h"

namespace haptic::oracle {
namespace {

const std::vector<std::uint32_t> kSizes = {60, 240, 960};
// Nodes of the levels down to each where all points touch.
constexpr std::uint32_t kAll = 1260, kTwo = 300, kOne = 60;

/// Two sheets of points, z = +-0.26, that stick one centimetre deep in the walls of a slot. Random
/// points, so that every level has its own opinion on where the middle is.
struct Slot {
  explicit Slot(std::uint32_t seed, const std::vector<Mode>& modes = {})
      : scene(sheets(seed, modes), nested_tree(sheets(seed, modes), kSizes),
              sample_field(walls, 64, 2.0)) {}

  static double walls(const Vector3& p) {
    const Vector3 half(0.8, 0.8, 0.175), up(0.0, 0.0, 0.425);
    return std::min(box_distance(p - up, half), box_distance(p + up, half));
  }
  static ShellData sheets(std::uint32_t seed, const std::vector<Mode>& modes) {
    Random random(seed);
    ShellData shell;
    for (std::uint32_t i = 0; i < kSizes.back(); ++i) {
      const Vector3 p = random_vector(random, 0.5);
      const double side = p.z() > 0.0 ? 1.0 : -1.0;
      shell.add({p.x(), p.y(), 0.26 * side}, -side * Vector3::UnitZ());
    }
    shell = in_tree_order(shell, kSizes);
    if (!modes.empty()) shell.set_modes(modes);
    return shell;
  }
  ContactPair pair(ContactSettings settings = {}, std::uint32_t fade_cycles = 20,
                   std::uint32_t nodes = kAll) const {
    settings.traversal.degradation.warm_nodes = nodes;
    settings.traversal.degradation.cold_ratio = 1.0;
    settings.traversal.degradation.fade_cycles = fade_cycles;
    return scene.pair(settings);
  }
  ContactFixture scene;
};

Pose raised(double z) {
  return {Vector3(0.0, 0.0, z), Quaternion::Identity()};
}

/// Where the walls cancel: the net force along z of a level passes through zero.
double middle_of(ContactPair& pair) {
  double low = -0.008, high = 0.008;
  const bool falls = pair.evaluate(raised(low), Pose(), {}).on_held.force.z() > 0.0;
  for (int i = 0; i < 60; ++i) {
    const double z = 0.5 * (low + high);
    const bool above = pair.evaluate(raised(z), Pose(), {}).on_held.force.z() > 0.0;
    (above == falls ? low : high) = z;
  }
  return 0.5 * (low + high);
}

TEST(LevelFade, is_met_where_opposite_walls_cancel) {
  const Slot slot(1);
  ContactPair whole = slot.pair();
  const double middle = middle_of(whole);
  // How far from the middle [m]: net forces from newtons down to a rounding of the points' twenty.
  for (const double off : {1e-3, 1e-4, 1e-6, 1e-8, 1e-10}) {
    ContactPair pair = slot.pair();
    const Pose pose = raised(middle + off);
    Vector3 before = pair.evaluate(pose, Pose(), {}).on_held.force;
    EXPECT_NEAR(pair.evaluate(pose, Pose(), {}).pressed, 20.0, 1.0);
    double largest_jump = 0.0;
    for (const std::uint32_t nodes : {kTwo, kOne, kAll, kOne, kAll}) {
      pair.set_node_budget(nodes);
      int cycles = 0;
      for (bool fades = true; fades; ++cycles) {
        const ContactResult& result = pair.evaluate(pose, Pose(), {});
        const double jump = (result.on_held.force - before).norm();
        const double force = std::max(std::min(result.on_held.force.norm(), before.norm()),
                                      LevelFade::kRounding * result.pressed);
        // What a sum of hundreds of points of twenty newtons rounds by.
        ASSERT_LE(jump, LevelFade::kMaxForceFraction * force + 1e-13) << off << " " << cycles;
        ASSERT_NEAR(jump, result.carried_change, 1e-13);
        largest_jump = std::max(largest_jump, jump);
        before = result.on_held.force;
        fades = result.carried.force.norm() > 0.0 && cycles < 5000;
      }
      // It does not wait for ever where the way leads through zero: down from and up to less than
      // a newton, at 2.4 % a cycle, of forces above 1.2e-6 N takes 2 ln(1e6) / 0.024 = 1150 cycles.
      EXPECT_LE(cycles, 1200) << off;
    }
    EXPECT_GT(largest_jump, 1e-3);  // the levels disagree by tenths of a newton
  }
}

TEST(LevelFade, while_the_hand_moves_the_smaller_net_force_bounds_the_step) {
  const Slot slot(1);
  ContactPair whole = slot.pair();
  const double middle = middle_of(whole);
  for (const auto& [from, to] : {std::pair(4e-3, 3e-5), std::pair(3e-5, 4e-3)}) {
    ContactPair pair = slot.pair();
    const Pose pose = raised(middle + from);
    pair.evaluate(pose, Pose(), {});
    pair.set_node_budget(kOne);
    const double before = pair.evaluate(pose, Pose(), {}).on_held.force.norm();
    const ContactResult& result = pair.evaluate(raised(middle + to), Pose(), {});
    const double after = result.on_held.force.norm(), smaller = std::min(before, after);
    ASSERT_GT(std::max(before, after), 10.0 * smaller);
    EXPECT_LE(result.carried_change, LevelFade::kMaxForceFraction * smaller + 1e-13) << from;
    // By time alone, a twentieth of what is carried, it would be more.
    EXPECT_GT(result.carried_change, 0.9 * LevelFade::kMaxForceFraction * smaller) << from;
  }
}

TEST(LevelFade, work_is_reduced_in_the_cycle_that_exceeds_the_budget) {
  const Slot slot(2);
  ContactPair pair = slot.pair();
  const Pose pose = raised(1e-3);
  pair.evaluate(pose, Pose(), {});
  const ContactResult before = pair.evaluate(pose, Pose(), {});
  EXPECT_EQ(before.visited_nodes, kAll);
  pair.set_node_budget(kOne);
  const ContactResult after = pair.evaluate(pose, Pose(), {});
  EXPECT_EQ(after.visited_nodes, kOne);
  EXPECT_EQ(after.contacts, kSizes[0]);
  EXPECT_LE((after.on_held.force - before.on_held.force).norm(), 1e-13);
  EXPECT_LE((after.on_held.torque - before.on_held.torque).norm(), 1e-13);
  EXPECT_GT(after.carried.force.norm(), 0.01);
}

TEST(LevelFade, the_change_of_a_level_lets_the_motion_through) {
  const Slot slot(3);
  const Pose from = raised(2e-3), to = raised(2.2e-3);
  for (const bool coarser : {true, false}) {
    const std::uint32_t first = coarser ? kAll : kOne, second = coarser ? kOne : kAll;
    ContactPair pair = slot.pair({}, 20, first), coarse = slot.pair({}, 20, kOne);
    const Vector3 before = pair.evaluate(from, Pose(), {}).on_held.force;
    pair.set_node_budget(second);
    const Vector3 after = pair.evaluate(to, Pose(), {}).on_held.force;
    Vector3 moved = -coarse.evaluate(from, Pose(), {}).on_held.force;
    moved += coarse.evaluate(to, Pose(), {}).on_held.force;
    EXPECT_GT(moved.norm(), 0.1);
    EXPECT_LE((after - before - moved).norm(), 1e-12);
  }
}

TEST(LevelFade, no_force_remains_after_contact_ends) {
  const Slot slot(4);
  ContactPair pair = slot.pair();
  pair.evaluate(raised(1e-3), Pose(), {});
  pair.set_node_budget(kOne);
  EXPECT_GT(pair.evaluate(raised(1e-3), Pose(), {}).carried.force.norm(), 0.01);
  const Pose away = {Vector3(0.0, 0.0, 3.0), Quaternion::Identity()};
  EXPECT_EQ(pair.evaluate(away, Pose(), {}).on_held.force.norm(), 0.0);
  // The next contact starts without a carried force.
  EXPECT_EQ(pair.evaluate(raised(1e-3), Pose(), {}).carried.force.norm(), 0.0);
}

TEST(LevelFade, few_contacts_fade_by_time_alone) {
  const Slot slot(5);
  // Turned until a corner alone is in the wall.
  const auto corner = [](double lift) {
    const Quaternion turn = rotation_exponential(Vector3(0.03, 0.02, 0.0));
    return Pose{Vector3(0.0, 0.0, lift), turn};
  };
  ContactPair all = slot.pair();
  double lift = 0.0;
  const auto touching = [&](double z) { return all.evaluate(corner(z), Pose(), {}).contacts; };
  // Raised until the lower sheet is all but out, and the upper one through the wall.
  while (lift < 0.2 && touching(lift) >= LevelFade::kFewestContacts) lift += 1e-3;
  ASSERT_GT(touching(lift), 0u);
  ContactPair pair = slot.pair();
  pair.evaluate(corner(lift), Pose(), {});
  pair.set_node_budget(kTwo);
  const double carried = pair.evaluate(corner(lift), Pose(), {}).carried.force.norm();
  ASSERT_GT(carried, 0.0);
  for (int cycle = 1; cycle <= 20; ++cycle) {
    const double left = pair.evaluate(corner(lift), Pose(), {}).carried.force.norm();
    EXPECT_NEAR(left, carried * (1.0 - cycle / 20.0), 1e-12);
  }
}

TEST(LevelFade, without_cycles_to_fade_in_forces_are_those_of_the_levels_rendered) {
  const Slot slot(6);
  ContactPair pair = slot.pair({}, 0);
  for (const std::uint32_t nodes : {kAll, kOne, kAll}) {
    pair.set_node_budget(nodes);
    const ContactResult& result = pair.evaluate(raised(1e-3), Pose(), {});
    EXPECT_EQ(result.carried.force.norm(), 0.0);
    Vector3 sum = Vector3::Zero();
    for (const Contact& contact : pair.contacts()) sum += contact.force;
    EXPECT_LE((sum - result.on_held.force).norm(), 1e-12);
  }
}

/// A body in the slot that alternately moves and rests, under any law, with a budget that changes
/// while it rests: a change keeps every force, and later changes of force are bounded.
void check_any_law(std::uint32_t seed) {
  Random random(seed);
  const auto up_to = [&](std::uint32_t n) { return std::uint32_t(random() % n); };
  const bool deforms = up_to(2) == 0;
  const Slot slot(seed, deforms ? affine_modes() : std::vector<Mode>());
  ContactSettings settings;
  constexpr ContactScaling kScalings[] = {ContactScaling::kPublished, ContactScaling::kSmooth,
                                          ContactScaling::kPerSite, ContactScaling::kNone};
  settings.scaling = kScalings[up_to(4)];
  if (up_to(2) == 0) settings.friction = {0.6, 0.4, {}};
  settings.traversal.temporal_coherence = up_to(2) == 0;
  settings.traversal.degradation.warm_nodes = kAll;
  settings.traversal.degradation.fade_cycles = 1 + up_to(40);
  constexpr HeldSide kSides[] = {HeldSide::kField, HeldSide::kShell, HeldSide::kNeither};
  const HeldSide held = kSides[up_to(3)];
  ContactPair pair = slot.scene.pair(settings, held);
  std::vector<double> q(slot.scene.shell.dimension(), 0.0), reduced(q.size(), 0.0);
  Pose pose = raised(1e-3);
  ContactResult before = pair.evaluate(pose, Pose(), q);
  double most = 0.0;
  for (int cycle = 0; cycle < 150; ++cycle) {
    std::ranges::copy(pair.reduced_force(), reduced.begin());
    const bool moves = up_to(3) == 0, changes = !moves && up_to(8) == 0;
    if (moves) {
      pose.position += random_vector(random, 2e-4);
      pose.orientation =
          (rotation_exponential(random_vector(random, 5e-4)) * pose.orientation).normalized();
      for (double& value : q) value += random_vector(random, 1e-5).x();
    }
    if (changes) pair.set_node_budget(50 + up_to(2 * kAll));
    const ContactResult result = pair.evaluate(pose, Pose(), q);
    // Rounding of sums of up to 960 points, 0.01 m deep, each at most 200 N/m if not scaled.
    const double rounding = 1e-13 * (1.0 + result.pressed + before.pressed);
    if (!moves && result.level != before.level) {
      RC_ASSERT((result.on_held.force - before.on_held.force).norm() <= rounding);
      RC_ASSERT((result.on_held.torque - before.on_held.torque).norm() <= rounding);
      for (std::size_t j = 0; j < q.size(); ++j) {
        RC_ASSERT(std::abs(pair.reduced_force()[j] - reduced[j]) <= rounding);
      }
    } else if (!moves && held != HeldSide::kNeither) {
      const double jump = (result.on_held.force - before.on_held.force).norm();
      const double force =
          std::max(std::min(result.on_held.force.norm(), before.on_held.force.norm()),
                   LevelFade::kRounding * result.pressed);
      if (std::max(result.contacts, before.contacts) >= LevelFade::kFewestContacts) {
        RC_ASSERT(jump <= LevelFade::kMaxForceFraction * force + rounding);
      }
    }
    // What is carried apart, forces are those of the points.
    Vector3 sum = Vector3::Zero();
    for (const Contact& contact : pair.contacts()) sum += contact.force;
    if (held != HeldSide::kNeither) {
      RC_ASSERT((sum + result.carried.force - result.on_held.force).norm() <= rounding);
      most = std::max(most, result.carried.force.norm());
    }
    before = result;
  }
  // A script whose changes of level brought nothing shows nothing: it counts as none.
  RC_PRE(held == HeldSide::kNeither || most > 0.0);
}

RC_GTEST_PROP(LevelFade, any_law_and_any_budget_leave_forces_continuous, (std::uint32_t seed)) {
  check_any_law(seed);
}

// A tree may end most branches on its first level: then far more points are found above the last
// level than the level before it has nodes.
TEST(LevelFade, branches_may_end_on_any_level) {
  TreeData tree;
  tree.point_count = kSizes.back();
  tree.level_begin = {0, kOne, kOne + 1, kSizes.back()};
  tree.child_begin.assign(kSizes.back(), 0);
  tree.child_count.assign(kSizes.back(), 0);
  tree.child_begin[0] = kOne, tree.child_count[0] = 1;
  tree.child_begin[kOne] = kOne + 1, tree.child_count[kOne] = kSizes.back() - kOne - 1;
  tree.radius.assign(kSizes.back(), 2.0F);  // more than the scene's size
  for (std::uint32_t i = 0; i < kSizes.back(); ++i) tree.point.push_back(i);
  const ContactFixture scene(Slot::sheets(1, {}), tree, sample_field(Slot::walls, 64, 2.0));
  ContactSettings settings;
  settings.traversal.degradation = {
      .warm_nodes = kSizes.back(), .cold_ratio = 1.0, .fade_cycles = 20};
  ContactPair pair = scene.pair(settings);
  ASSERT_EQ(pair.evaluate(raised(1e-3), Pose(), {}).contacts, kSizes.back());
  // What is carried at first is the whole difference: the force of all levels stays for a cycle.
  const Vector3 whole = pair.evaluate(raised(1e-3), Pose(), {}).on_held.force;
  pair.set_node_budget(kOne);
  const ContactResult& first = pair.evaluate(raised(1e-3), Pose(), {});
  EXPECT_EQ(first.contacts, kOne);
  EXPECT_LE((first.on_held.force - whole).norm(),
            LevelFade::kMaxForceFraction * whole.norm() + 1e-13);
}

TEST(LevelFade, does_not_allocate) {
  const Slot slot(7, affine_modes());
  ContactPair pair = slot.pair();
  const std::vector<double> q(slot.scene.shell.dimension(), 0.0);
  const NoAllocation guard;
  for (int cycle = 0; cycle < 50; ++cycle) {
    pair.set_node_budget(cycle % 10 < 5 ? kAll : kOne);
    pair.evaluate(raised(1e-3), Pose(), q);
  }
}

}  // namespace
}  // namespace haptic::oracle
