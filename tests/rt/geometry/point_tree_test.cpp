#include "rt/geometry/point_tree.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "lab/oracle/contact_scene.h"
#include "shared/error.h"

namespace haptic {
namespace {

using namespace oracle;

ShellData beam_shell(std::uint32_t points) {
  Random random(points);
  ShellData shell = random_beam(random, 1.0, 0.05, points);
  shell.set_modes(bending_modes());
  return shell;
}

std::vector<double> working_range(Random& random, std::uint32_t r) {
  std::normal_distribution<double> n(0.0, 0.2);
  std::vector<double> q(r);
  for (double& value : q) value = n(random);
  return q;
}

TEST(PointTree, every_subtree_point_is_inside_its_sphere) {
  const ShellData shell_data = beam_shell(1600);
  Random random(18);
  const PointShell shell = shell_data.view();
  double least = std::numeric_limits<double>::infinity();
  for (const bool any_parent : {false, true}) {
    const TreeData tree_data =
        nested_tree(shell_data, {25, 100, 400, 1600}, any_parent ? &random : nullptr);
    const PointTree tree = tree_data.view();
    std::vector<std::vector<std::uint32_t>> subtree;
    for (std::uint32_t node = 0; node < tree.node_count(); ++node) {
      subtree.push_back(subtree_points(tree_data, node));
    }
    for (int trial = 0; trial < 60; ++trial) {
      const ModalCoordinates q(working_range(random, shell.dimension()));
      for (std::uint32_t node = 0; node < tree.node_count(); ++node) {
        const Vector3 centre = shell.position(tree.point(node), q);
        const double radius = tree.radius(node, q);
        for (std::uint32_t s : subtree[node]) {
          least = std::min(least, radius - (shell.position(s, q) - centre).norm());
        }
      }
    }
  }
  EXPECT_GE(least, -1e-12);
}

// A chain that is walked from every leaf would cost the square of its length.
TEST(PointTree, more_than_64_levels_are_refused) {
  const auto refused = [](std::uint32_t levels) {
    TreeData tree;
    tree.r = 0, tree.point_count = 1;
    for (std::uint32_t node = 0; node < levels; ++node) {
      tree.level_begin.push_back(node);
      tree.point.push_back(0);
      tree.child_begin.push_back(node + 1);
      tree.child_count.push_back(node + 1 < levels ? 1 : 0);
      tree.radius.push_back(1.0f);
    }
    tree.level_begin.push_back(levels);
    try {
      tree.view();
      return std::string();
    } catch (const InputError& error) {
      return std::string(error.what());
    }
  };
  EXPECT_EQ(refused(64), "");
  EXPECT_NE(refused(65).find("/shell/tree/level_begin: found 65 levels, expected at most 64"),
            std::string::npos);
}

TEST(PointTree, refitting_a_node_reads_that_node_alone) {
  // Cost is bench/contact_query; here: nothing else is read, so nothing else can cost.
  const ShellData shell_data = beam_shell(400);
  TreeData tree_data = nested_tree(shell_data, {25, 100, 400});
  const TreeData kept = tree_data;
  const PointTree tree = tree_data.view();
  Random random(19);
  const ModalCoordinates q(working_range(random, tree.dimension()));
  for (std::uint32_t node : {0u, 24u, 25u, 124u, 524u}) {
    const double expected = tree.radius(node, q);
    const float nan = std::numeric_limits<float>::quiet_NaN();
    std::fill(tree_data.radius.begin(), tree_data.radius.end(), nan);
    std::fill(tree_data.modal_radius.begin(), tree_data.modal_radius.end(), nan);
    tree_data.radius[node] = kept.radius[node];
    for (std::uint32_t j = 0; j < kept.r; ++j) {
      tree_data.modal_radius[node * kept.r + j] = kept.modal_radius[node * kept.r + j];
    }
    EXPECT_EQ(tree.radius(node, q), expected);
    std::copy(kept.radius.begin(), kept.radius.end(), tree_data.radius.begin());
    std::copy(kept.modal_radius.begin(), kept.modal_radius.end(), tree_data.modal_radius.begin());
  }
}

TEST(PointTree, a_rigid_tree_has_rest_radii) {
  Random random(3);
  const ShellData shell = random_beam(random, 1.0, 0.05, 100);
  const TreeData data = nested_tree(shell, {10, 100});
  const PointTree tree = data.view();
  const ModalCoordinates rest(0u);
  for (std::uint32_t node = 0; node < tree.node_count(); ++node) {
    EXPECT_EQ(tree.radius(node, rest), double(data.radius[node]));
  }
}

TEST(PointTree, refuses_invalid_data) {
  const TreeData good = nested_tree(beam_shell(60), {4, 16, 60});
  EXPECT_NO_THROW(good.view());
  const auto refused = [&](auto&& damage) {
    TreeData bad = good;
    damage(bad);
    EXPECT_THROW(bad.view(), InputError);
  };
  refused([](TreeData& t) { t.level_begin.clear(); });
  refused([](TreeData& t) { t.level_begin = {0}; });
  refused([](TreeData& t) { t.level_begin[0] = 1; });
  refused([](TreeData& t) { t.level_begin.back() += 1; });
  refused([](TreeData& t) { t.level_begin[1] = t.level_begin[2]; });
  refused([](TreeData& t) { t.point[5] = t.point_count; });
  refused([](TreeData& t) { t.child_begin[0] = 0; });            // a child on its own level
  refused([](TreeData& t) { t.child_begin[3] += 1; });           // past the next level
  refused([](TreeData& t) { t.child_count[1] = 0xffffffffu; });  // overflow
  refused([](TreeData& t) { t.child_begin[1] = t.child_begin[0]; });
  refused([](TreeData& t) { t.child_count[2] -= 1; });  // an orphan
  refused([](TreeData& t) { t.child_count.back() = 1; });
  refused([](TreeData& t) { t.child_begin.pop_back(); });
  refused([](TreeData& t) { t.child_count.pop_back(); });
  refused([](TreeData& t) { t.radius.pop_back(); });
  refused([](TreeData& t) { t.radius[2] = -1.0f; });
  refused([](TreeData& t) { t.radius[2] = std::numeric_limits<float>::infinity(); });
  refused([](TreeData& t) { t.modal_radius[2] = std::numeric_limits<float>::quiet_NaN(); });
  refused([](TreeData& t) { t.modal_radius[2] = -1e-3f; });
  refused([](TreeData& t) { t.modal_radius.pop_back(); });
  refused([](TreeData& t) { t = {}; });
}

}  // namespace
}  // namespace haptic
