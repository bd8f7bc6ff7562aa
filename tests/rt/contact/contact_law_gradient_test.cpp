// Gradients of contact: the formulas, the contact law's points and the sum of a pair.

#include <gtest/gtest.h>

#include <cmath>

#include "lab/oracle/contact_law.h"
#include "tests/rt/contact/contact_fixture.h"
#include "tests/support/relative_error.h"

namespace haptic {
namespace {

using namespace oracle;

constexpr HeldSide kSides[] = {HeldSide::kField, HeldSide::kShell};
constexpr ContactGradient kGradients[] = {ContactGradient::kMirror, ContactGradient::kDirect};

Vector6 stacked(const Wrench& w) {
  Vector6 v;
  v << w.force, w.torque;
  return v;
}

/// Turns force and torque back by the small rotation: the wrench as the co-rotating frame sees it.
Vector6 turned_back(const Wrench& w, const Vector3& rotation) {
  const Quaternion back = rotation_exponential(-rotation);
  return stacked({back * w.force, back * w.torque});
}

/// Columns (f(+h) - f(-h)) / 2h over the six displacements of the held body.
template <class Function>
Matrix6 central_differences(double step, Function&& wrench_after) {
  Matrix6 m;
  for (int c = 0; c < 6; ++c) {
    const Vector6 z = step * Vector6::Unit(c);
    m.col(c) = (wrench_after(z) - wrench_after(Vector6(-z))) / (2.0 * step);
  }
  return m;
}

PointContact random_contact(Random& random) {
  std::uniform_real_distribution<double> u(0.0, 1.0);
  return {100.0 + 900.0 * u(random), -0.02 * u(random) - 1e-4, random_direction(random),
          (0.5 + u(random)) * random_direction(random), random_vector(random, 1.0)};
}

/// One point against a field with gradient g and curvature H: exact forward model in which the held
/// body moves by (dx, dw). World axes, held origin at zero before the move.
Wrench moved_wrench(const PointContact& c, const Matrix3& H, HeldSide held, const Vector6& z) {
  const Vector3 dx = z.head<3>(), dw = z.tail<3>();
  const Quaternion turn = rotation_exponential(dw);
  const auto distance = [&](const Vector3& from_p) {
    return c.d + c.g.dot(from_p) + 0.5 * from_p.dot(H * from_p);
  };
  if (held == HeldSide::kField) {
    // The field moved: look up the position of the point in the moved frame.
    const Vector3 in_field = turn.conjugate() * (c.r - dx);
    const Vector3 force = c.k * distance(in_field - c.r) * c.n;
    return {force, (c.r - dx).cross(force)};
  }
  const Vector3 arm = turn * c.r, normal = turn * c.n;
  const Vector3 force = -c.k * distance(dx + arm - c.r) * normal;
  return {force, arm.cross(force)};
}

TEST(ContactGradients, mirror_formulas_match_central_differences) {
  Random random(38);
  for (int trial = 0; trial < 200; ++trial) {
    const PointContact c = random_contact(random);
    Matrix3 H = Matrix3::Random();
    H = (H + H.transpose()).eval();
    for (const HeldSide held : kSides) {
      const Matrix6 expected = central_differences(1e-5, [&](const Vector6& z) {
        return turned_back(moved_wrench(c, H, held, z), z.tail<3>());
      });
      ASSERT_LE(relative_error(point_gradient(c, held, ContactGradient::kMirror), expected), 1e-6);
    }
  }
}

TEST(ContactGradients, direct_formulas_match_central_differences) {
  Random random(39);
  for (int trial = 0; trial < 200; ++trial) {
    const PointContact c = random_contact(random);
    Matrix3 H = Matrix3::Random();
    H = (H + H.transpose()).eval();
    for (const HeldSide held : kSides) {
      const Matrix6 expected = central_differences(
          1e-5, [&](const Vector6& z) { return stacked(moved_wrench(c, H, held, z)); });
      const Matrix6 direct = point_gradient(c, held, ContactGradient::kDirect);
      ASSERT_LE(relative_error(direct, expected), 1e-6);

      const Wrench w = point_wrench(c, held);
      Matrix6 difference = Matrix6::Zero();
      difference.topRightCorner<3, 3>() = skew(w.force);
      difference.bottomRightCorner<3, 3>() = skew(w.torque);
      const Matrix6 mirror = point_gradient(c, held, ContactGradient::kMirror);
      ASSERT_LE((mirror - direct - difference).norm(), 1e-12 * direct.norm());
    }
  }
}

TEST(ContactGradients, pair_equals_the_formulas_point_by_point) {
  Random random(380);
  ShellData shell = random_beam(random, 1.0, 0.05, 800);
  shell.set_modes(bending_modes());
  const ContactFixture scene(shell, nested_tree(shell, {20, 100, 800}), cube_field(32));
  std::uniform_real_distribution<double> u(-0.1, 0.1);
  for (const HeldSide held : kSides) {
    for (const ContactGradient which : kGradients) {
      ContactSettings settings;
      settings.gradient = which;
      ContactPair pair = scene.pair(settings, held);
      int touching = 0;
      for (int trial = 0; trial < 100; ++trial) {
        const Pose a = random_pose(random, 0.7), b = random_pose(random, 0.1);
        std::vector<double> q(shell.r);
        for (double& value : q) value = u(random);
        const ContactResult& result = pair.evaluate(a, b, q);
        if (result.contacts == 0) continue;
        ++touching;
        const double k = settings.stiffness * std::min(1.0, 10.0 / result.contacts);
        const Vector3 origin = held == HeldSide::kField ? b.position : a.position;
        Matrix6 expected = Matrix6::Zero();
        Vector6 wrench = Vector6::Zero();
        double size = 0.0;
        for (const Contact& c : pair.contacts()) {
          const PointContact point = {k, -c.depth, c.normal, c.normal, c.position - origin};
          const Matrix6 g = point_gradient(point, held, which);
          expected += g;
          size += g.norm();
          wrench += stacked(point_wrench(point, held));
        }
        ASSERT_LE((result.gradient - expected).norm(), 1e-12 * size);
        ASSERT_LE((stacked(result.on_held) - wrench).norm(), 1e-12 * size);
      }
      EXPECT_GT(touching, 30);
    }
  }
}

TEST(ContactGradients, pair_matches_central_differences_on_a_plane) {
  // A plane whose gradient is the shell's normal: there the assumption grad d = N is true,
  // and the gradient of the whole evaluation is its derivative. Poses are turned at random.
  Random random(390);
  const FieldData field_data = cube_field();
  for (const std::uint32_t n : {2u, 7u}) {  // below and above L = 10 contacts
    for (int trial = 0; trial < 20; ++trial) {
      Pose field_pose = random_pose(random, 0.3), in_field = random_pose(random, 0.0);
      // The shell's own frame is turned against the field's; its normals make up for that.
      in_field.position = {0.03, -0.07, 0.5};
      ShellData shell;
      for (std::uint32_t i = 0; i < n * n; ++i) {
        const Vector3 p(0.05 * (i % n), 0.05 * (i / n), -0.01 - 0.0005 * i);
        shell.add(in_field.orientation.conjugate() * p,
                  in_field.orientation.conjugate() * Vector3::UnitZ());
      }
      const ContactFixture scene(shell, flat_tree(shell), field_data);
      const Pose shell_pose = {field_pose.to_world(in_field.position),
                               field_pose.orientation * in_field.orientation};
      for (const HeldSide held : kSides) {
        for (const ContactGradient which : kGradients) {
          ContactSettings settings;
          settings.gradient = which;
          ContactPair pair = scene.pair(settings, held);
          const Matrix6 expected = central_differences(1e-5, [&](const Vector6& z) {
            Pose s = shell_pose, f = field_pose;
            Pose& moved = held == HeldSide::kField ? f : s;
            moved.position += z.head<3>();
            moved.orientation = rotation_exponential(z.tail<3>()) * moved.orientation;
            const ContactResult& r = pair.evaluate(s, f, {});
            EXPECT_EQ(r.contacts, n * n);
            return which == ContactGradient::kDirect ? stacked(r.on_held)
                                                     : turned_back(r.on_held, z.tail<3>());
          });
          const Matrix6 gradient = pair.evaluate(shell_pose, field_pose, {}).gradient;
          // Normals and points are floats: 6e-8 of tilt between N and grad d.
          ASSERT_LE(relative_error(gradient, expected), 1e-6);
        }
      }
    }
  }
}

TEST(ContactGradients, no_contact_has_no_gradient) {
  const ShellData shell = cube_face(0.2, 4);
  const ContactFixture scene(shell, flat_tree(shell), cube_field(16));
  ContactPair pair = scene.pair(ContactSettings());
  pair.evaluate({{0.0, 0.0, 0.65}, Quaternion::Identity()}, Pose(), {});
  ASSERT_GT(pair.contacts().size(), 0u);
  const ContactResult& result =
      pair.evaluate({{0.0, 0.0, 5.0}, Quaternion::Identity()}, Pose(), {});
  EXPECT_EQ(result.contacts, 0u);
  EXPECT_EQ(result.gradient, Matrix6::Zero());
  EXPECT_EQ(result.on_held.force, Vector3::Zero());
  EXPECT_EQ(result.on_held.torque, Vector3::Zero());
}

}  // namespace
}  // namespace haptic
