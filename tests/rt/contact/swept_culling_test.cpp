// Which points a continuous detection follows along their path: those that the look from the
// interval's middle cannot leave out, and no other.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "rt/contact/swept_contact.h"
#include "tests/oracle/contact_scene.h"
#include "tests/rt/contact/plane_field.h"

namespace haptic::oracle {
namespace {

// Across the plane's surface: more than the three instants for which a list is followed as it is,
// less than the sixteen of one interval, and a power of two so that nothing rounds.
constexpr double kAlong = 0x1p-6;
// Of positions [voxels], what a look takes off beside half the motion.
constexpr double kRounding = 1e-6;

/// Points in a row over the plane, at any heights, that move along it.
class Row {
 public:
  explicit Row(const std::vector<double>& heights) {
    for (std::size_t i = 0; i < heights.size(); ++i) {
      shell_.add({0.01 * static_cast<double>(i), 0.0, heights[i]}, Vector3::UnitZ());
      near_.push_back({static_cast<std::uint32_t>(i), std::max(0.0, heights[i])});
    }
    tree_ = flat_tree(shell_);
  }

  /// Points followed, by a list of all of them or by a search of the tree, lifted by `lift`.
  std::uint32_t followed(bool listed, double lift) {
    const PointShell points = shell_.view();
    const PointTree tree = tree_.view();
    SweptContact swept(points, tree, field_);
    if (listed) swept.begin({.near = near_, .margin = 1.0});
    SweptMotion m;
    m.shell_from.position = {0.0, 0.0, lift};
    m.shell_to.position = {kAlong, 0.0, lift};
    const SweptResult result = swept.run(m, 10.0);
    EXPECT_EQ(result.fraction, 1.0);
    EXPECT_EQ(swept.visited_nodes() == 0, listed);
    return swept.followed_points();
  }
  double half_motion() const { return 0.5 * kAlong + kRounding * field_.edge(); }

 private:
  PlaneField field_;
  ShellData shell_;
  TreeData tree_;
  std::vector<NearPoint> near_;
};

TEST(SweptCulling, a_point_is_followed_up_to_half_the_motion_and_no_further) {
  for (const bool listed : {true, false}) {
    Row row({0.0});
    const double half = row.half_motion();
    const double none = std::numeric_limits<double>::infinity();
    // Exactly there it is still in question: a free radius has to be larger than the motion.
    EXPECT_EQ(row.followed(listed, half), 1u) << listed;
    EXPECT_EQ(row.followed(listed, std::nextafter(half, none)), 0u) << listed;
    EXPECT_EQ(row.followed(listed, std::nextafter(half, 0.0)), 1u) << listed;
    EXPECT_EQ(row.followed(listed, 0.0), 1u) << listed;
    EXPECT_EQ(row.followed(listed, -1.0), 1u) << listed;  // inside all the while
  }
}

TEST(SweptCulling, each_of_many_points_is_judged_by_itself) {
  // More than two batches, the heights in no order.
  std::vector<double> heights;
  std::uint32_t expected = 0;
  const double half = Row({0.0}).half_motion();
  for (int i = 0; i < 41; ++i) {
    heights.push_back((i * 17 % 41 - 10) * 0x1p-11);
    expected += heights.back() <= half ? 1 : 0;
  }
  ASSERT_EQ(expected, 27u);
  Row row(heights);
  EXPECT_EQ(row.followed(true, 0.0), expected);
  EXPECT_EQ(row.followed(false, 0.0), expected);
}

}  // namespace
}  // namespace haptic::oracle
