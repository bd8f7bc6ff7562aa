#include <gtest/gtest.h>

#include <cmath>

#include "shared/error.h"
#include "tests/rt/contact/contact_fixture.h"

namespace haptic {
namespace {

using namespace oracle;

constexpr double kStiffness = 200.0;

ContactSettings settings() {
  ContactSettings s;
  s.stiffness = kStiffness;
  return s;
}

Pose at(const Vector3& position) {
  return {position, Quaternion::Identity()};
}

TEST(ContactPair, point_force_sign_and_magnitude) {
  // One point above the middle of the cube's upper face, pressed in by depth; the body lies above,
  // so its inward normal points up and away from the cube.
  ShellData shell;
  shell.add(Vector3::Zero(), Vector3::UnitZ());
  const ContactFixture scene(shell, flat_tree(shell), cube_field());
  for (const HeldSide held : {HeldSide::kField, HeldSide::kShell}) {
    ContactPair pair = scene.pair(settings(), held);
    for (const double depth : {1e-6, 1.0 / 1024.0, 0.01, 0.03}) {
      const Pose field_pose = at({0.3, -0.2, 0.1});
      const Vector3 p = field_pose.position + Vector3(0.05, 0.11, 0.5 - depth);
      // The float grid is exact here; the depth is rounded as 0.5 - depth in double.
      const double d = (p - field_pose.position).z() - 0.5;
      const ContactResult& result = pair.evaluate(at(p), field_pose, {});
      ASSERT_EQ(result.contacts, 1u);
      const Vector3 on_shell = -kStiffness * d * Vector3::UnitZ();
      const Vector3 on_held = held == HeldSide::kField ? Vector3(-on_shell) : on_shell;
      const Vector3 origin = held == HeldSide::kField ? field_pose.position : p;
      EXPECT_LE((result.on_held.force - on_held).norm(), 1e-12 * on_held.norm());
      EXPECT_LE((result.on_held.torque - (p - origin).cross(on_held)).norm(),
                1e-12 * on_held.norm());
      ASSERT_EQ(pair.contacts().size(), 1u);
      const Contact& contact = pair.contacts()[0];
      EXPECT_EQ(contact.point, 0u);
      EXPECT_LE((contact.position - p).norm(), 1e-15);
      EXPECT_EQ(contact.depth, -d);
      EXPECT_EQ(contact.normal, Vector3::UnitZ());
      EXPECT_LE((contact.force - on_held).norm(), 1e-12 * on_held.norm());
    }
    EXPECT_EQ(pair.evaluate(at({0.0, 0.0, 0.6}), Pose(), {}).contacts, 0u);
    EXPECT_EQ(pair.contacts().size(), 0u);
  }
}

TEST(ContactPair, action_equals_reaction_and_reduced_force_is_U_transpose_f) {
  Random random(2);
  ShellData shell = random_beam(random, 1.0, 0.05, 2000);
  shell.set_modes(bending_modes());
  const ContactFixture scene(shell, nested_tree(shell, {30, 120, 500, 2000}), cube_field(32));
  ContactPair on_field = scene.pair(settings(), HeldSide::kField);
  ContactPair on_shell = scene.pair(settings(), HeldSide::kShell);
  std::uniform_real_distribution<double> u(-0.1, 0.1);
  int touching = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const Pose a = random_pose(random, 0.7), b = random_pose(random, 0.1);
    std::vector<double> q(shell.r);
    for (double& value : q) value = u(random);
    const ContactResult& f = on_field.evaluate(a, b, q);
    const ContactResult& s = on_shell.evaluate(a, b, q);
    ASSERT_EQ(f.contacts, s.contacts);
    if (f.contacts == 0) continue;
    ++touching;
    double size = 0.0;
    std::vector<double> expected(shell.r, 0.0), magnitude(shell.r, 0.0);
    const Matrix3 to_material = a.orientation.toRotationMatrix().transpose();
    for (const Contact& c : on_field.contacts()) {
      size += c.force.norm();
      const Vector3 on_point = to_material * -c.force;
      for (std::uint32_t j = 0; j < shell.r; ++j) {
        for (std::uint32_t i = 0; i < 3; ++i) {
          const double u_ij = shell.displacement[(3 * c.point + i) * shell.r + j];
          expected[j] += u_ij * on_point[i];
          magnitude[j] += std::abs(u_ij) * c.force.norm();
        }
      }
    }
    ASSERT_LE((f.on_held.force + s.on_held.force).norm(), 1e-12 * size);
    // Both torques about the field's origin.
    const Vector3 moved = s.on_held.torque + (a.position - b.position).cross(s.on_held.force);
    ASSERT_LE((f.on_held.torque + moved).norm(), 1e-12 * size);
    for (std::uint32_t j = 0; j < shell.r; ++j) {
      ASSERT_NEAR(on_field.reduced_force()[j], expected[j], 1e-12 * magnitude[j] + 1e-300);
      ASSERT_EQ(on_field.reduced_force()[j], on_shell.reduced_force()[j]);
    }
  }
  EXPECT_GT(touching, 100);
}

TEST(ContactPair, flat_face_force_is_independent_of_density) {
  for (const std::uint32_t n : {4u, 10u, 33u, 120u}) {
    // A face of 0.4 x 0.4 on the middle of the cube's upper face.
    const ShellData shell = cube_face(0.2, n);
    const ContactFixture scene(shell, flat_tree(shell), cube_field());
    ContactPair pair = scene.pair(settings());
    for (const double depth : {0.001, 0.01, 0.04}) {
      const ContactResult& result = pair.evaluate(at({0.0, 0.0, 0.7 - depth}), Pose(), {});
      ASSERT_EQ(result.contacts, n * n);
      // Float rounding of the points' height, 1e-8 of 0.2, against the depth; it cancels no
      // further.
      const double expected = kStiffness * 10.0 * depth, rounding = 1e-8 / depth;
      EXPECT_NEAR(result.on_held.force.norm(), expected, (1e-6 + rounding) * expected);
      EXPECT_NEAR(result.on_held.force.z(), -expected, (1e-6 + rounding) * expected);
    }
  }
}

/// Closed form for a sphere of radius rho pressed by depth into a half-space (Barbic 2007, Eq 3.5).
double sphere_limit(double rho, double depth) {
  return kStiffness * 10.0 * depth * (3.0 * rho - depth) / (6.0 * rho);
}

TEST(ContactPair, sphere_against_half_space) {
  const double rho = 0.25;
  const ShellData shell = spiral_sphere(rho, 40000);
  const ContactFixture scene(shell, flat_tree(shell), cube_field());
  ContactPair pair = scene.pair(settings());
  for (const double depth : {0.005, 0.01, 0.03, 0.08}) {
    const ContactResult& result = pair.evaluate(at({0.0, 0.0, 0.5 + rho - depth}), Pose(), {});
    ASSERT_GE(result.contacts, 200u);
    EXPECT_NEAR(result.on_held.force.norm() / sphere_limit(rho, depth), 1.0, 1e-3);
    EXPECT_LT(result.on_held.force.normalized().dot(Vector3::UnitZ()), -0.999);
  }
}

TEST(ContactPair, random_shells_converge_under_refinement) {
  const double rho = 0.25, depth = 0.1;
  std::vector<double> error;
  for (const std::uint32_t m : {2000u, 20000u, 200000u}) {
    double squares = 0.0;
    const int samples = m == 200000u ? 12 : 40;
    const FieldData field = cube_field(32);
    for (int i = 0; i < samples; ++i) {
      Random random(m + 1000003ull * i);
      const ShellData shell = random_sphere(random, rho, m);
      const ContactFixture scene(shell, flat_tree(shell), field);
      ContactPair pair = scene.pair(settings());
      const ContactResult& result = pair.evaluate(at({0.0, 0.0, 0.5 + rho - depth}), Pose(), {});
      const double ratio = result.on_held.force.norm() / sphere_limit(rho, depth);
      squares += (ratio - 1.0) * (ratio - 1.0);
    }
    error.push_back(std::sqrt(squares / samples));
  }
  // Monte Carlo: sigma / sqrt(l). The root mean square of 40 (12) samples is itself uncertain by
  // 1/sqrt(2 * 40) (20 %), so the ratio of two is held to 1.6 times the ideal 10^-1/2.
  EXPECT_LT(error[1], 1.6 * error[0] / std::sqrt(10.0));
  EXPECT_LT(error[2], 1.6 * error[1] / std::sqrt(10.0));
  EXPECT_LT(error[2], error[1]);
  EXPECT_LT(error[1], error[0]);
}

TEST(ContactPair, scaling_jump_is_bounded) {
  // Points enter one at a time; each evaluation is just before and just after an entry.
  ShellData shell;
  const int points = 40;
  const double spacing = 1.0 / 4096.0;  // exact in float
  for (int i = 0; i < points; ++i) shell.add({i / 256.0, 0.0, spacing * i}, Vector3::UnitZ());
  const ContactFixture scene(shell, flat_tree(shell), cube_field());
  ContactPair pair = scene.pair(settings());
  double worst = 0.0;
  int worst_at = 0;
  for (int l = 1; l < points; ++l) {
    const double z = 0.5 - spacing * l;
    const double before = pair.evaluate(at({0.0, 0.0, z + 1e-12}), Pose(), {}).on_held.force.norm();
    ASSERT_EQ(pair.contacts().size(), std::size_t(l));
    const double after = pair.evaluate(at({0.0, 0.0, z - 1e-12}), Pose(), {}).on_held.force.norm();
    ASSERT_EQ(pair.contacts().size(), std::size_t(l + 1));
    const double drop = (before - after) / before;
    EXPECT_LE(drop, 1.0 / (l + 1) + 1e-9);
    if (l < 10) {
      EXPECT_LE(drop, 0.0);  // no scaling below L
    }
    if (drop > worst) worst = drop, worst_at = l + 1;
  }
  EXPECT_EQ(worst_at, 11);
  EXPECT_NEAR(worst, 1.0 / 11.0, 1e-4);
}

TEST(ContactPair, one_scale_applies_to_all_contacts) {
  // 4 copies of every point: l = 4 l0 with l0 > L gives the wrench, gradient and reduced force of
  // the simple shell.
  Random random(11);
  ShellData one = random_beam(random, 1.0, 0.05, 300), four;
  for (int copy = 0; copy < 4; ++copy) {
    four.points.insert(four.points.end(), one.points.begin(), one.points.end());
    four.normals.insert(four.normals.end(), one.normals.begin(), one.normals.end());
  }
  one.set_modes(bending_modes());
  four.set_modes(bending_modes());
  const ContactFixture a(one, flat_tree(one), cube_field(32));
  const ContactFixture b(four, flat_tree(four), cube_field(32));
  ContactPair pair_a = a.pair(settings()), pair_b = b.pair(settings());
  const std::vector<double> q(one.r, 0.02);
  const Pose pose = at({-0.4, 0.02, 0.52});
  const ContactResult& ra = pair_a.evaluate(pose, Pose(), q);
  const ContactResult& rb = pair_b.evaluate(pose, Pose(), q);
  ASSERT_GT(ra.contacts, 10u);
  ASSERT_EQ(rb.contacts, 4 * ra.contacts);
  EXPECT_LE((ra.on_held.force - rb.on_held.force).norm(), 1e-12 * ra.on_held.force.norm());
  EXPECT_LE((ra.gradient - rb.gradient).norm(), 1e-12 * ra.gradient.norm());
  for (std::uint32_t j = 0; j < one.r; ++j) {
    EXPECT_NEAR(pair_a.reduced_force()[j], pair_b.reduced_force()[j], 1e-12);
  }
}

TEST(ContactPair, stiffness_can_be_changed_between_evaluations) {
  const ShellData shell = cube_face(0.2, 5);
  const ContactFixture scene(shell, flat_tree(shell), cube_field(16));
  ContactPair pair = scene.pair(settings());
  const Pose pose = at({0.0, 0.0, 0.69});
  const Vector3 before = pair.evaluate(pose, Pose(), {}).on_held.force;
  pair.set_stiffness(2.0 * kStiffness);
  EXPECT_EQ(pair.stiffness(), 2.0 * kStiffness);
  EXPECT_LE((pair.evaluate(pose, Pose(), {}).on_held.force - 2.0 * before).norm(), 1e-12);
}

TEST(ContactPair, refuses_trees_and_settings_that_do_not_fit) {
  Random random(5);
  ShellData shell = random_beam(random, 1.0, 0.05, 40);
  shell.set_modes(bending_modes());
  const FieldData field_data = cube_field(8);
  const DistanceField field = field_data.view();
  const PointShell points = shell.view();
  const TreeData good = nested_tree(shell, {10, 40});
  const auto make = [&](const TreeData& tree_data, const ContactSettings& s) {
    const PointTree tree = tree_data.view();
    ContactPair pair(points, tree, field, s, HeldSide::kField);
  };
  EXPECT_NO_THROW(make(good, settings()));
  TreeData rigid = good;
  rigid.r = 0;
  rigid.modal_radius.clear();
  EXPECT_THROW(make(rigid, settings()), InputError);
  TreeData larger = good;
  larger.point_count = 41;
  EXPECT_THROW(make(larger, settings()), InputError);
  TreeData missing = good;
  for (std::uint32_t& point : missing.point) point = point == 39 ? 38 : point;
  EXPECT_THROW(make(missing, settings()), InputError);
  for (const double k : {0.0, -1.0, std::nan("")}) {
    ContactSettings s = settings();
    s.stiffness = k;
    EXPECT_THROW(make(good, s), InputError);
  }
  ContactSettings s = settings();
  s.scaling_count = 0;
  EXPECT_THROW(make(good, s), InputError);
}

}  // namespace
}  // namespace haptic
