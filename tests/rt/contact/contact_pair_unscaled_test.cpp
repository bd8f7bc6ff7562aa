// Contact without a scale for the number of points: overlap volume, medial axis, and the scale.
// Numbers M..: docs/methods/multibody.md, "Acceptance tests".

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "rt/geometry/analytic_field.h"
#include "tests/rt/contact/contact_fixture.h"
#include "tests/rt/contact/plane_scene.h"

namespace haptic {
namespace {

using namespace oracle;

constexpr double kStiffness = 300.0;

ContactSettings unscaled(ContactNormals normals) {
  ContactSettings settings;
  settings.stiffness = kStiffness;
  settings.scaling = ContactScaling::kNone;
  settings.normals = normals;
  return settings;
}

// rho points per area on a sphere of radius R, pressed d into a half-space: k rho times the volume
// of the cap, pi d^2 (3 R - d) / 3.
TEST(UnscaledContact, a_sphere_on_a_half_space_has_the_force_of_the_overlap_volume) {
  const double R = 0.25;
  double coarse_error = 0.0, fine_error = 0.0;
  for (const std::uint32_t points : {2000u, 200000u}) {
    const PlaneScene scene(spiral_sphere(R, points));
    const double rho = points / (4.0 * std::numbers::pi * R * R);
    for (const ContactNormals normals : {ContactNormals::kShell, ContactNormals::kField}) {
      ContactPair pair = scene.pair(unscaled(normals));
      for (const double share : {0.05, 0.1, 0.2, 0.3}) {
        const double d = share * R;
        const ContactResult& result = pair.evaluate(standing_at({0.0, 0.0, R - d}), BodyMotion());
        const double cap = kStiffness * rho * std::numbers::pi * d * d * (3.0 * R - d) / 3.0;
        // Normals of the points: the component along the plane's. Of the field: the sum of the
        // depths over the cap, whose area is 2 pi R d and whose mean depth is d / 2.
        const double expected = normals == ContactNormals::kShell
                                    ? cap
                                    : kStiffness * rho * std::numbers::pi * R * d * d;
        const double error = std::abs(result.on_held.force.z() / expected - 1.0);
        if (points == 2000u) {
          coarse_error = std::max(coarse_error, error);
          continue;
        }
        fine_error = std::max(fine_error, error);
        EXPECT_GE(result.contacts, 4990u) << share;
        EXPECT_LE(error, 1e-3) << share;  // an even spiral; random points would need 3 %
      }
    }
  }
  EXPECT_LE(coarse_error, 0.03);
  EXPECT_LT(fine_error, 0.2 * coarse_error);
}

/// Force of the only point, and its potential k d^2 / 2.
struct Pressed {
  Vector3 force;
  double potential;
};

Pressed press(ContactPair& pair, const SignedField& field, const Vector3& p) {
  const Vector3 force = pair.evaluate(standing_at(p), BodyMotion()).on_held.force;
  const double d = std::min(field.distance_and_gradient(p).distance, 0.0);
  return {force, 0.5 * kStiffness * d * d};
}

/// Largest relative jump of force and potential over 2e-9 of way at the places of a path.
struct Jumps {
  double force = 0.0, potential = 0.0;
};

// The bisector of an edge is the medial axis of a box: the gradient turns by 90 degrees there.
Jumps jumps_over_the_medial_axis(ContactNormals normals) {
  const AnalyticField box({ShapeKind::kBox, {1.0, 1.0, 1.0}});
  const ShellData data = single_point();
  const TreeData tree_data = flat_tree(data);
  const PointShell shell(data.view());
  const PointTree tree(tree_data.view());
  ContactPair pair(shell, tree, box, unscaled(normals), HeldSide::kShell);
  Jumps jumps;
  for (const double depth : {1e-3, 0.02, 0.2}) {
    const Vector3 middle(0.5 - depth, 0.5 - depth, 0.1), along(1e-9, -1e-9, 0.0);
    const Pressed before = press(pair, box, middle - along),
                  after = press(pair, box, middle + along);
    jumps.force = std::max(jumps.force, (after.force - before.force).norm() / before.force.norm());
    jumps.potential =
        std::max(jumps.potential, std::abs(after.potential - before.potential) / before.potential);
  }
  return jumps;
}

// Across the same edge of a sampled cube, at every face of the voxels, where the gradient jumps.
Jumps jumps_over_voxels(ContactNormals normals) {
  const ShellData data = single_point();
  const ContactFixture scene(data, flat_tree(data), cube_field());
  ContactPair pair = scene.pair(unscaled(normals), HeldSide::kShell);
  Jumps jumps;
  const double voxel = scene.field.edge();
  for (int face = 8; face <= 15; ++face) {
    const double x = face * voxel, y = 0.8 - x;
    const Vector3 at(x, y, 0.1), along(1e-9, -1e-9, 0.0);
    const Pressed before = press(pair, scene.field, at - along),
                  after = press(pair, scene.field, at + along);
    jumps.force = std::max(jumps.force, (after.force - before.force).norm() / before.force.norm());
    jumps.potential =
        std::max(jumps.potential, std::abs(after.potential - before.potential) / before.potential);
  }
  return jumps;
}

TEST(UnscaledContact, the_force_is_continuous_over_the_medial_axis_or_its_potential_is) {
  const Jumps shell = jumps_over_the_medial_axis(ContactNormals::kShell);
  const Jumps field = jumps_over_the_medial_axis(ContactNormals::kField);
  // 1e-9 of way over a depth of 1e-3, with the float rounding of field and point.
  EXPECT_LE(shell.force, 1e-5);
  EXPECT_LE(field.potential, 1e-5);
  EXPECT_NEAR(field.force, std::sqrt(2.0), 1e-3);  // from one face's normal to the other's
  const Jumps shell_voxels = jumps_over_voxels(ContactNormals::kShell);
  const Jumps field_voxels = jumps_over_voxels(ContactNormals::kField);
  EXPECT_LE(shell_voxels.force, 1e-5);
  EXPECT_LE(field_voxels.potential, 1e-5);
  EXPECT_GE(field_voxels.force, 0.1);
}

// N parallel springs: k N below the count of the scaling, k N0 from there on.
TEST(UnscaledContact, the_stiffness_of_parallel_points_grows_up_to_the_scaling_count) {
  for (const std::uint32_t limit : {1u, 10u, 25u}) {
    for (const std::uint32_t points : {1u, 4u, 9u, 10u, 11u, 25u, 100u}) {
      ShellData shell;
      for (std::uint32_t i = 0; i < points; ++i) {
        shell.add({i / 256.0, 0.0, 0.0}, Vector3::UnitZ());  // exact in float
      }
      const PlaneScene scene(shell);
      ContactSettings settings = unscaled(ContactNormals::kShell);
      for (const bool scaled : {false, true}) {
        if (scaled) settings.scaling = ContactScaling::kPublished;
        settings.scaling_count = limit;
        ContactPair pair = scene.pair(settings);
        const double depth = 1.0 / 512.0;
        const double force =
            pair.evaluate(standing_at({0.0, 0.0, -depth}), BodyMotion()).on_held.force.z();
        const double expected = kStiffness * depth * (scaled ? std::min(points, limit) : points);
        EXPECT_NEAR(force, expected, 1e-12 * expected) << points << " of " << limit;
      }
    }
  }
}

}  // namespace
}  // namespace haptic
