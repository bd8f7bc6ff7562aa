#include "rt/worlds/cloth/contact/site_path.h"

#include <gtest/gtest.h>

#include "rt/geometry/analytic_field.h"

namespace haptic::cloth {
namespace {

TEST(SitePath, a_way_through_a_thin_plate_ends_at_its_first_side) {
  const AnalyticField plate({ShapeKind::kBox, {0.2, 0.2, 1e-4}});
  const auto entry = first_entry(plate, {0.01, 0.02, 0.5}, {0.0, 0.0, -1.0}, 1e-3);
  ASSERT_TRUE(entry.has_value());
  EXPECT_NEAR(entry->normal.z(), 1.0, 1e-12);
  EXPECT_NEAR(entry->point.z(), 5e-5 + 1e-3, 1e-12);
  EXPECT_FALSE(first_entry(plate, {0.01, 0.02, 0.5}, {0.0, 0.0, -0.4}, 1e-3).has_value());
  EXPECT_FALSE(first_entry(plate, {0.15, 0.02, 0.5}, {0.0, 0.0, -1.0}, 1e-3).has_value());
  EXPECT_FALSE(first_entry(plate, {0.01, 0.02, 0.5}, Vector3::Zero(), 1e-3).has_value());
}

TEST(SitePath, the_plane_of_a_sphere_is_tangential) {
  const AnalyticField sphere({ShapeKind::kSphere, {0.1}});
  const auto entry = first_entry(sphere, {0.06, 0.0, 0.5}, {0.0, 0.0, -1.0}, 0.0);
  ASSERT_TRUE(entry.has_value());
  // Marching ends 1e-3 of edge() above the surface.
  EXPECT_LT((entry->normal - Vector3(0.6, 0.0, 0.8)).norm(), 1e-4);
  EXPECT_NEAR(entry->normal.dot(entry->point), 0.1, 1e-12);
}

}  // namespace
}  // namespace haptic::cloth
