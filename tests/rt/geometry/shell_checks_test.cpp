#include "rt/geometry/shell_checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/oracle/contact_scene.h"
#include "shared/error.h"

namespace haptic {
namespace {

using namespace oracle;
using testing::HasSubstr;

class ShellChecks : public ::testing::Test {
 protected:
  ShellChecks()
      : shell(random_beam(random, 1.0, 0.3, 600)), tree(nested_tree(shell, {10, 60, 600})) {}

  std::string refusal_of_spheres() const {
    try {
      require_points_in_spheres(shell.view(), tree.view(), "tool.h5");
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  }
  std::string refusal_of_normals(const SignedField* field) const {
    try {
      require_inward_normals(shell.view(), field, "tool.h5");
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  }
  void flip(std::size_t first, std::size_t end) {
    for (std::size_t i = 3 * first; i < 3 * end; ++i) shell.normals[i] = -shell.normals[i];
  }

  Random random{12};
  ShellData shell;
  TreeData tree;
};

TEST_F(ShellChecks, a_tree_whose_child_is_outside_its_sphere_is_refused) {
  EXPECT_EQ(refusal_of_spheres(), "accepted");
  // Every sphere is as small as it can be, so any that shrinks loses a point.
  for (const std::uint32_t node : {0u, 5u, 10u}) {
    const float radius = tree.radius[node];
    ASSERT_GT(radius, 0.0f);
    tree.radius[node] = 0.99f * radius;
    EXPECT_THAT(refusal_of_spheres(), HasSubstr("tool.h5: /shell/tree/radius: found point"));
    EXPECT_THAT(refusal_of_spheres(), HasSubstr("spheres that contain all points below them"));
    tree.radius[node] = radius;
  }
}

TEST_F(ShellChecks, a_tree_of_another_shell_is_refused_by_the_files_name) {
  EXPECT_NO_THROW(require_belonging(shell.view(), tree.view(), "tool.h5"));
  const auto refusal = [&] {
    try {
      require_belonging(shell.view(), tree.view(), "tool.h5");
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  const std::vector<std::uint32_t> points = tree.point;
  // Every node of the last point shows the first one instead.
  std::replace(tree.point.begin(), tree.point.end(), 599u, 0u);
  EXPECT_EQ(refusal(),
            "tool.h5: /shell/tree/point: found no node for point 599, expected every "
            "shell point in the tree");
  tree.point = points;
  tree.point_count = 601;
  EXPECT_THAT(refusal(), HasSubstr("tool.h5: /shell/tree/point: found a tree over 601 points"));
}

TEST_F(ShellChecks, outward_normals_are_refused_by_their_volume) {
  EXPECT_EQ(refusal_of_normals(nullptr), "accepted");
  flip(0, shell.size());
  EXPECT_THAT(refusal_of_normals(nullptr), HasSubstr("tool.h5: /shell/normals: found normals"));
}

TEST_F(ShellChecks, outward_normals_are_refused_with_the_field_of_the_body) {
  shell = random_sphere(random, 0.5, 600);
  const FieldData data =
      sample_field([](const Vector3& p) { return sphere_distance(p, 0.5); }, 32, 1.6);
  const DistanceField field = data.view();
  EXPECT_EQ(refusal_of_normals(&field), "accepted");
  flip(0, shell.size() / 5);
  EXPECT_THAT(refusal_of_normals(&field),
              HasSubstr("tool.h5: /shell/normals: found 120 of 600 checked that face out of"));
}

}  // namespace
}  // namespace haptic
