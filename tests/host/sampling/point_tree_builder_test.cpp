#include "host/sampling/point_tree_builder.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "host/sampling/farthest_point.h"
#include "host/sampling/point_shell_builder.h"
#include "host/sampling/stored_precision.h"
#include "rt/geometry/point_shell.h"
#include "rt/geometry/point_tree.h"
#include "shared/error.h"

namespace haptic {
namespace {

struct Sample {
  std::vector<Vector3> points;  // in farthest-point order
  std::vector<std::uint32_t> level_end;
  std::vector<float> displacement;
  std::uint32_t r;
};

Sample random_sample(std::uint64_t seed, std::size_t count, std::uint32_t levels, std::uint32_t r) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<Vector3> points;
  for (std::size_t i = 0; i < count; ++i) {
    const Vector3 p = Vector3(normal(random), normal(random), normal(random)).normalized();
    points.push_back(as_stored(p));
  }
  Sample sample;
  for (const std::uint32_t i : farthest_point_order(points, count)) {
    sample.points.push_back(points[i]);
  }
  sample.level_end = shell_level_ends(static_cast<std::uint32_t>(count), levels);
  sample.r = r;
  // Smooth modes: affine in the position, with a different map for each.
  std::vector<Matrix3> maps;
  for (std::uint32_t j = 0; j < r; ++j) {
    maps.push_back(Matrix3::NullaryExpr([&] { return normal(random); }));
  }
  sample.displacement.resize(count * 3 * r);
  for (std::size_t s = 0; s < count; ++s) {
    for (std::uint32_t j = 0; j < r; ++j) {
      const Vector3 u = maps[j] * sample.points[s];
      for (std::uint32_t axis = 0; axis < 3; ++axis) {
        sample.displacement[(s * 3 + axis) * r + j] = static_cast<float>(u[axis]);
      }
    }
  }
  return sample;
}

std::vector<std::uint32_t> points_below(const BuiltTree& tree, std::uint32_t node) {
  if (tree.child_count[node] == 0) return {tree.point[node]};
  std::vector<std::uint32_t> all;
  for (std::uint32_t c = 0; c < tree.child_count[node]; ++c) {
    const auto below = points_below(tree, tree.child_begin[node] + c);
    all.insert(all.end(), below.begin(), below.end());
  }
  return all;
}

RC_GTEST_PROP(PointTreeBuilder, levels_nest_and_parents_are_nearest, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const auto count = *rc::gen::inRange<std::size_t>(1, 400);
  const auto levels = *rc::gen::inRange<std::uint32_t>(0, 4);
  // Before RC_PRE, which evaluates both sides of || and &&.
  const std::size_t least = levels == 0 ? 0 : std::size_t{1} << (2 * (levels - 1));
  RC_PRE(count >= least);
  const Sample sample = random_sample(seed, count, levels, 0);
  const BuiltTree tree = build_point_tree(sample.points, sample.level_end);
  RC_ASSERT(tree.levels() == sample.level_end.size());
  RC_ASSERT(tree.level_begin.front() == 0U && tree.level_begin.back() == tree.nodes());

  for (std::size_t level = 0; level < tree.levels(); ++level) {
    const std::uint32_t begin = tree.level_begin[level];
    const std::uint32_t end = tree.level_begin[level + 1];
    // One instance of every point of levels <= this one.
    std::vector<std::uint32_t> points(tree.point.begin() + begin, tree.point.begin() + end);
    std::sort(points.begin(), points.end());
    RC_ASSERT(points.size() == sample.level_end[level]);
    for (std::uint32_t p = 0; p < points.size(); ++p) RC_ASSERT(points[p] == p);

    std::uint32_t next_child = end;
    for (std::uint32_t node = begin; node < end; ++node) {
      if (level + 1 == tree.levels()) {
        RC_ASSERT(tree.child_count[node] == 0U && tree.radius[node] == 0.0f);
        continue;
      }
      // Children are contiguous, in the order of their parents; the copy of the parent is the
      // first.
      RC_ASSERT(tree.child_begin[node] == next_child);
      RC_ASSERT(tree.child_count[node] >= 1U);
      RC_ASSERT(tree.point[next_child] == tree.point[node]);
      for (std::uint32_t c = 1; c < tree.child_count[node]; ++c) {
        const std::uint32_t child = tree.point[next_child + c];
        RC_ASSERT(child > tree.point[next_child + c - 1]);
        const double own = (sample.points[child] - sample.points[tree.point[node]]).squaredNorm();
        for (std::uint32_t p = 0; p < sample.level_end[level]; ++p) {
          const double other = (sample.points[child] - sample.points[p]).squaredNorm();
          // Two parents whose squared distances differ by rounding only are equally near.
          RC_ASSERT(other >= own * (1.0 - 1e-15));
        }
      }
      next_child += tree.child_count[node];
    }
    if (level + 1 < tree.levels()) RC_ASSERT(next_child == tree.level_begin[level + 2]);
  }
}

TEST(PointTreeBuilder, equal_distances_go_to_the_lowest_point) {
  // The new points are as near to point 0 as to point 1.
  const std::vector<Vector3> points = {{0, 0, 0}, {2, 0, 0}, {1, 0, 0}, {1, 1, 0}, {1, 0, 5}};
  const std::vector<std::uint32_t> ends = {2, 5};
  const BuiltTree tree = build_point_tree(points, ends);
  EXPECT_EQ(tree.child_count[0], 4U);
  EXPECT_EQ(tree.child_count[1], 1U);
  EXPECT_EQ(tree.point, (std::vector<std::uint32_t>{0, 1, 0, 2, 3, 4, 1}));
}

RC_GTEST_PROP(PointTreeBuilder, every_point_stays_inside_its_sphere, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const Sample sample = random_sample(seed, 300, 0, 1 + static_cast<std::uint32_t>(seed % 9));
  const BuiltTree tree =
      build_point_tree(sample.points, sample.level_end, sample.displacement, sample.r);
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> q(sample.r);
  for (double& x : q) x = 0.3 * normal(random);
  std::vector<Vector3> moved = sample.points;
  for (std::size_t s = 0; s < moved.size(); ++s) {
    for (std::uint32_t axis = 0; axis < 3; ++axis) {
      for (std::uint32_t j = 0; j < sample.r; ++j) {
        moved[s][axis] += sample.displacement[(s * 3 + axis) * sample.r + j] * q[j];
      }
    }
  }
  for (std::uint32_t node = 0; node < tree.nodes(); ++node) {
    double radius = tree.radius[node];
    for (std::uint32_t j = 0; j < sample.r; ++j) {
      radius += static_cast<double>(tree.modal_radius[node * sample.r + j]) * std::abs(q[j]);
    }
    double farthest_rest = 0.0;
    for (const std::uint32_t s : points_below(tree, node)) {
      const std::uint32_t centre = tree.point[node];
      RC_ASSERT(radius - (moved[s] - moved[centre]).norm() >= -1e-12);
      const double rest = (sample.points[s] - sample.points[centre]).norm();
      RC_ASSERT(static_cast<double>(tree.radius[node]) >= rest);
      farthest_rest = std::max(farthest_rest, rest);
    }
    // Not larger than needed either: one rounding to float.
    RC_ASSERT(static_cast<double>(tree.radius[node]) <= farthest_rest * (1.0 + 2e-7));
  }
}

TEST(PointTreeBuilder, radii_of_a_points_copies_do_not_grow_with_depth) {
  const Sample sample = random_sample(3, 2000, 0, 0);
  const BuiltTree tree = build_point_tree(sample.points, sample.level_end);
  for (std::uint32_t node = 0; node < tree.level_begin[tree.levels() - 1]; ++node) {
    EXPECT_GE(tree.radius[node], tree.radius[tree.child_begin[node]]);
  }
}

TEST(PointTreeBuilder, the_number_of_threads_does_not_change_a_bit) {
  const Sample sample = random_sample(5, 3000, 0, 4);
  const auto build = [&] {
    return build_point_tree(sample.points, sample.level_end, sample.displacement, sample.r);
  };
  BuiltTree one;
  {
    const tbb::global_control serial(tbb::global_control::max_allowed_parallelism, 1);
    one = build();
  }
  const tbb::global_control wide(tbb::global_control::max_allowed_parallelism, 4);
  const BuiltTree two = build();
  EXPECT_EQ(one.point, two.point);
  EXPECT_EQ(one.child_begin, two.child_begin);
  EXPECT_EQ(one.child_count, two.child_count);
  EXPECT_EQ(one.radius, two.radius);
  EXPECT_EQ(one.modal_radius, two.modal_radius);
}

TEST(PointTreeBuilder, the_run_time_views_accept_what_is_built) {
  const Sample sample = random_sample(9, 700, 3, 5);
  const BuiltTree tree =
      build_point_tree(sample.points, sample.level_end, sample.displacement, sample.r);
  const PointTree view(sample.r, 700, tree.level_begin, tree.point, tree.child_begin,
                       tree.child_count, tree.radius, tree.modal_radius);
  EXPECT_EQ(view.level_count(), 3U);
  EXPECT_EQ(view.node_count(), tree.nodes());
  std::vector<float> points;
  for (const Vector3& p : sample.points) {
    for (const double x : p) points.push_back(static_cast<float>(x));
  }
  EXPECT_NO_THROW(PointShell(sample.r, points, points, sample.displacement, sample.displacement));
}

TEST(PointTreeBuilder, sizes_that_do_not_fit_are_refused) {
  const std::vector<Vector3> points(4, Vector3::Zero());
  using Ends = std::vector<std::uint32_t>;
  EXPECT_THROW(build_point_tree(points, Ends{}), InputError);
  EXPECT_THROW(build_point_tree(points, Ends{3}), InputError);
  EXPECT_THROW(build_point_tree(points, Ends{2, 2, 4}), InputError);
  EXPECT_THROW(build_point_tree(points, Ends{0, 4}), InputError);
  EXPECT_THROW(build_point_tree(points, Ends{4}, std::vector<float>(5), 1), InputError);
}

}  // namespace
}  // namespace haptic
