// Contact on the sections of a model file: artifact writer, views and pair together.

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "host/artifact/model_writer.h"
#include "lab/oracle/contact_scene.h"
#include "rt/contact/contact_pair.h"
#include "shared/artifact/model_file.h"

namespace haptic {
namespace {

using namespace oracle;

class ContactModel : public ::testing::Test {
 protected:
  ContactModel()
      : path_(std::filesystem::temp_directory_path() /
              ("contact_model_" + std::to_string(getpid()) + ".h5")) {}
  ~ContactModel() override { std::filesystem::remove(path_); }

  std::filesystem::path path_;
};

TEST_F(ContactModel, views_on_a_model_file_equal_views_on_the_data) {
  Random random(4);
  const ShellData shell = random_beam(random, 1.0, 0.05, 400);
  const TreeData tree = nested_tree(shell, {10, 60, 400});
  const FieldData field =
      sample_field([](const Vector3& p) { return sphere_distance(p, 0.5); }, 16, 1.6);
  {
    ModelWriter writer(path_);
    const std::uint64_t s = shell.size(), t = tree.point.size(), n = 17;
    writer.add("/shell/points", shell.points, {s, 3});
    writer.add("/shell/normals", shell.normals, {s, 3});
    writer.add("/shell/tree/level_begin", tree.level_begin, {tree.level_begin.size()});
    writer.add("/shell/tree/point", tree.point, {t});
    writer.add("/shell/tree/child_begin", tree.child_begin, {t});
    writer.add("/shell/tree/child_count", tree.child_count, {t});
    writer.add("/shell/tree/radius", tree.radius, {t});
    writer.add("/field/values", field.values, {n, n, n});
    writer.add("/field/frame", field.frame, {5});
    writer.commit();
  }
  const ModelFile model(path_);
  const PointShell points(model), plain_points = shell.view();
  const PointTree nodes(model), plain_nodes = tree.view();
  const DistanceField distance(model), plain_distance = field.view();
  ASSERT_EQ(points.size(), shell.size());
  ASSERT_EQ(nodes.node_count(), tree.point.size());
  ASSERT_EQ(distance.resolution(), 16u);
  ContactPair mapped(points, nodes, distance, {}, HeldSide::kField);
  ContactPair plain(plain_points, plain_nodes, plain_distance, {}, HeldSide::kField);
  for (int trial = 0; trial < 50; ++trial) {
    const Pose a = random_pose(random, 0.5), b = random_pose(random, 0.5);
    const ContactResult& expected = plain.evaluate(a, b, {});
    const ContactResult& found = mapped.evaluate(a, b, {});
    EXPECT_EQ(found.contacts, expected.contacts);
    EXPECT_EQ(found.visited_nodes, expected.visited_nodes);
    EXPECT_EQ(found.on_held.force, expected.on_held.force);
  }
}

}  // namespace
}  // namespace haptic
