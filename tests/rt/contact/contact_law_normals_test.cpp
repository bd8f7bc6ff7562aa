// Normals of the field: each point's force is that of a potential.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "rt/contact/contact_law.h"
#include "rt/contact/contact_wall.h"
#include "rt/contact/field_normal.h"
#include "tests/rt/contact/ball_field.h"
#include "tests/rt/contact/contact_fixture.h"

namespace haptic {
namespace {

using namespace oracle;

/// Largest difference between the wrench of a pair and the slope of its potential
/// sum k (-d)^2 / 2, with a wall the least of K D^2 / 2 + sum k (-d - D)^2 / 2, under motions of
/// the held body, over the size of the wrench.
double error_of_potential(ContactNormals normals, HeldSide held, double wall = 0.0) {
  Random random(4);
  const ShellData shell = random_sphere(random, 0.2, 400);
  const ContactFixture fixture(shell, nested_tree(shell, {20, 400}), cube_field());
  ContactSettings settings;
  settings.scaling = ContactScaling::kNone;
  settings.normals = normals;
  settings.wall = wall;
  if (wall > 0.0) settings.stiffness = ContactWall::kPointRatio * wall;
  ContactPair pair = fixture.pair(settings, held);
  double worst = 0.0;
  for (int trial = 0; trial < 20; ++trial) {
    BodyMotion ball{.pose = random_pose(random, 0.05)}, cube{.pose = random_pose(random, 0.05)};
    // Over an edge of the cube, so that two faces push.
    ball.pose.position += cube.pose.to_world({0.58, 0.58, 0.1});
    BodyMotion& moved = held == HeldSide::kShell ? ball : cube;
    const Wrench wrench = pair.evaluate(ball, cube).on_held;
    EXPECT_GT(pair.contacts().size(), 3u);
    const auto potential = [&] {
      pair.evaluate(ball, cube);
      const double give = pair.give();
      double sum = 0.5 * wall * give * give;
      for (const Contact& c : pair.contacts()) {
        const Vector3 p = cube.pose.orientation.conjugate() * (c.position - cube.pose.position);
        const double depth = -fixture.field.distance_and_gradient(p).distance;
        sum += 0.5 * settings.stiffness * std::pow(std::max(0.0, depth - give), 2.0);
      }
      return sum;
    };
    const Pose start = moved.pose;
    constexpr double kStep = 1e-6;
    for (int axis = 0; axis < 6; ++axis) {
      const Vector3 along = kStep * Vector3::Unit(axis % 3);
      double at[2];
      for (const int side : {0, 1}) {
        const Vector3 by = side == 0 ? Vector3(-along) : along;
        moved.pose = start;
        if (axis < 3) {
          moved.pose.position += by;
        } else {
          moved.pose.orientation = rotation_exponential(by) * start.orientation;
        }
        at[side] = potential();
      }
      moved.pose = start;
      const double slope = (at[1] - at[0]) / (2.0 * kStep);
      const double found = axis < 3 ? wrench.force[axis] : wrench.torque[axis - 3];
      worst = std::max(worst, std::abs(found + slope) / wrench.force.norm());
    }
  }
  return worst;
}

TEST(ContactLaw, a_force_along_the_fields_gradient_is_that_of_a_potential) {
  for (const HeldSide held : {HeldSide::kField, HeldSide::kShell}) {
    // Of the difference quotient, where a point passes the border of a voxel: step over depth.
    EXPECT_LE(error_of_potential(ContactNormals::kField, held), 1e-3);
    EXPECT_GE(error_of_potential(ContactNormals::kShell, held), 0.1);
    EXPECT_LE(error_of_potential(ContactNormals::kField, held, 300.0), 1e-3);
  }
}

TEST(FieldNormal, has_no_force_where_the_gradient_vanishes) {
  const FieldData data = cube_field();
  const DistanceField field(data.view());
  const FieldNormal inside = field_normal(field, {0.05, 0.0, 0.49}, -0.01);
  EXPECT_NEAR(inside.slope_squared, 1.0, 1e-6);
  EXPECT_NEAR(inside.distance, -0.01, 1e-8);
  EXPECT_LE((inside.normal - Vector3::UnitZ()).norm(), 1e-6);
  // The middle of a ball is equally far from every point of its surface.
  const FieldNormal middle = field_normal(BallField(0.2), Vector3::Zero(), -0.2);
  EXPECT_EQ(middle.slope_squared, 0.0);
  EXPECT_NEAR(middle.normal.norm(), 1.0, 1e-12);
}

}  // namespace
}  // namespace haptic
