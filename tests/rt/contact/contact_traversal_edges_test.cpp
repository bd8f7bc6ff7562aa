// What a traversal decides where equality decides: on the surface itself, exactly at the margin.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/rt/contact/contact_fixture.h"
#include "tests/rt/contact/plane_field.h"

namespace haptic::oracle {
namespace {

/// Points one above the other over a plane; with a second level, one parent for all.
struct Column {
  explicit Column(const std::vector<double>& heights) {
    for (const double z : heights) shell.add({0.0, 0.0, z}, Vector3::UnitZ());
  }
  ContactTraversal traversal(const TreeData& tree, bool near_points) const {
    return {shell.view(), tree.view(), plane, {.near_points = near_points}};
  }
  /// Heights of what is listed, ascending.
  std::vector<double> listed(const ContactTraversal& traversal) const {
    std::vector<double> heights;
    for (const NearPoint& near : traversal.near()) {
      heights.push_back(shell.view().rest_position(near.point).z());
      EXPECT_EQ(near.room, heights.back());
    }
    std::ranges::sort(heights);
    return heights;
  }
  PlaneField plane;
  ShellData shell;
};

const ModalCoordinates kRigid(0);

TEST(TraversalEdges, a_point_on_the_surface_does_not_touch) {
  const Column column({0.5, 0.0, -0.5});
  const TreeData tree = flat_tree(column.shell);
  ContactTraversal traversal = column.traversal(tree, false);
  for (const auto& found :
       {traversal.run(Pose(), Pose(), kRigid), traversal.run_all(Pose(), Pose(), kRigid)}) {
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].point, 2u);
    EXPECT_EQ(found[0].distance, -0.5);
  }
}

TEST(TraversalEdges, a_point_is_near_up_to_the_margin_and_no_further) {
  const double beyond = std::nextafter(0.5f, 1.0f), within = std::nextafter(0.5f, 0.0f);
  const Column column({beyond, 0.5, within, 0.0, -0.5});
  for (const TreeData& tree : {flat_tree(column.shell), nested_tree(column.shell, {1, 5}),
                               nested_tree(column.shell, {2, 5})}) {
    ContactTraversal traversal = column.traversal(tree, true);
    EXPECT_EQ(traversal.run(Pose(), Pose(), kRigid, {}, 0.5).size(), 1u);
    EXPECT_EQ(column.listed(traversal), (std::vector<double>{-0.5, 0.0, within, 0.5}));
    // A margin of nothing still lists what touches, and what is on the surface.
    EXPECT_EQ(traversal.run(Pose(), Pose(), kRigid, {}, 0.0).size(), 1u);
    EXPECT_EQ(column.listed(traversal), (std::vector<double>{-0.5, 0.0}));
    EXPECT_EQ(traversal.run(Pose(), Pose(), kRigid).size(), 1u);
    EXPECT_TRUE(traversal.near().empty());
  }
}

TEST(TraversalEdges, without_a_list_a_margin_is_ignored) {
  std::vector<double> heights;
  for (int i = 0; i < 64; ++i) heights.push_back((i + 1) * 0x1p-6);
  const Column column(heights);
  const TreeData tree = nested_tree(column.shell, {4, 16, 64});
  ContactTraversal plain = column.traversal(tree, false), listing = column.traversal(tree, true);
  for (const double margin : {ContactTraversal::kNoMargin, 0.0, 0.25, 2.0}) {
    EXPECT_TRUE(plain.run(Pose(), Pose(), kRigid, {}, margin).empty());
    EXPECT_TRUE(plain.near().empty());
    // The margin's nodes cost visits only where they are listed.
    const std::uint32_t alone = plain.visited_nodes();
    EXPECT_TRUE(listing.run(Pose(), Pose(), kRigid, {}, margin).empty());
    EXPECT_GE(listing.visited_nodes(), alone);
    if (margin == 2.0) {
      EXPECT_EQ(listing.visited_nodes(), tree.point.size());
      EXPECT_LT(alone, tree.point.size());
    }
  }
}

}  // namespace
}  // namespace haptic::oracle
