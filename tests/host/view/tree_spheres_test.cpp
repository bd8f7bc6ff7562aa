#include "host/view/tree_spheres.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "rt/geometry/point_shell.h"
#include "rt/geometry/point_tree.h"

namespace haptic {
namespace {

constexpr double kRounding = 1e-12;  // of sums of a few doubles of size 1

// Three points, one coordinate that moves point i along y by i; one node above them.
constexpr std::array<float, 9> kPoints = {0, 0, 0, 1, 0, 0, 0, 0, 2};
constexpr std::array<float, 9> kNormals = {0, 1, 0, 0, 1, 0, 0, 1, 0};
constexpr std::array<float, 9> kU = {0, 0, 0, 0, 1, 0, 0, 2, 0};
constexpr std::array<float, 9> kZero = {};
constexpr std::array<std::uint32_t, 3> kLevels = {0, 1, 4};
constexpr std::array<std::uint32_t, 4> kPoint = {0, 0, 1, 2}, kChild = {1, 0, 0, 0},
                                       kCount = {3, 0, 0, 0};
constexpr std::array<float, 4> kRadius = {2, 0, 0, 0}, kModal = {2, 0, 0, 0};

Pose turned() {
  Pose pose;
  pose.position = Vector3(0.5, -1.0, 0.25);
  pose.orientation = Quaternion(std::sqrt(0.5), 0.0, 0.0, std::sqrt(0.5));  // 90 deg about z
  return pose;
}

TEST(TreeSpheres, centres_and_radii_are_those_of_shell_and_tree_in_the_world) {
  const PointShell shell(1, kPoints, kNormals, kU, kZero);
  const PointTree tree(1, 3, kLevels, kPoint, kChild, kCount, kRadius, kModal);
  TreeSpheres spheres(shell, tree);
  ASSERT_EQ(spheres.levels(), 2u);
  const std::array<double, 1> q = {-0.3};
  const ModalCoordinates modal{std::span<const double>(q)};
  const Pose pose = turned();
  std::vector<FrameSphere> coarse, fine;
  spheres.append(1, pose, q, 7, coarse);
  spheres.append(2, pose, q, 7, fine);
  ASSERT_EQ(coarse.size(), 1u);
  EXPECT_EQ(coarse[0].body, 7u);
  EXPECT_NEAR(coarse[0].radius, tree.radius(0, modal), kRounding);
  // R0 + a |q|, which the layout rounds up by a factor of 1 + 1e-12.
  EXPECT_NEAR(coarse[0].radius, 2.0 + 2.0 * 0.3, 4.0 * kRounding);
  ASSERT_EQ(fine.size(), spheres.nodes(2));
  for (std::uint32_t i = 0; i < 3; ++i) {
    const Vector3 expected = pose.orientation * shell.position(i, modal) + pose.position;
    EXPECT_NEAR((fine[i].centre - expected).norm(), 0.0, kRounding);
    EXPECT_EQ(fine[i].radius, 0.0);
    // The sphere above covers the points below it.
    EXPECT_LE((fine[i].centre - coarse[0].centre).norm(), coarse[0].radius);
  }
}

TEST(TreeSpheres, a_rigid_shell_keeps_its_radii_at_rest) {
  const PointShell shell(0, kPoints, kNormals, {}, {});
  const PointTree tree(0, 3, kLevels, kPoint, kChild, kCount, kRadius, {});
  TreeSpheres spheres(shell, tree);
  std::vector<FrameSphere> coarse;
  spheres.append(1, turned(), {}, 0, coarse);
  ASSERT_EQ(coarse.size(), 1u);
  EXPECT_EQ(coarse[0].radius, 2.0);
  EXPECT_NEAR((coarse[0].centre - turned().position).norm(), 0.0, kRounding);
}

}  // namespace
}  // namespace haptic
