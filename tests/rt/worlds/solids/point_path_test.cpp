#include "rt/worlds/solids/point_path.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "rt/geometry/analytic_field.h"

namespace haptic::solids {
namespace {

/// The way is found by 6 halvings of an interval of at most 1/48 of it.
constexpr double kInstant = 1.0 / 48 / 64;

AnalyticField sphere(double radius) {
  return AnalyticField({ShapeKind::kSphere, {radius, 0.0, 0.0}});
}

StepMotion motion(const Vector3& origin, const Vector3& moved, const Vector3& turned) {
  StepMotion motion{.origin = origin};
  motion.z << moved, turned;
  return motion;
}

/// e = d + J z of the contact at `part` of both motions.
double linear_distance(const FieldEntry& entry, const StepMotion& of_point,
                       const StepMotion& of_field, double part) {
  const auto way = [&](const StepMotion& m) -> Vector3 {
    const Vector3 arm = entry.position - m.origin;
    return m.z.head<3>() + m.z.tail<3>().cross(arm) + m.deformation;
  };
  return entry.distance + part * entry.normal.dot(way(of_point) - way(of_field));
}

TEST(PointPath, a_fast_point_enters_a_sphere_where_it_meets_it) {
  const AnalyticField field = sphere(0.01);
  const Vector3 from(-0.02, 0.006, 0.0);
  const StepMotion point = motion(from, {0.03, 0.0, 0.0}, Vector3::Zero());
  const StepMotion rest = motion(Vector3::Zero(), Vector3::Zero(), Vector3::Zero());
  const auto entry = find_entry(field, {}, from, from.norm() - 0.01, point, rest, 0.5);
  ASSERT_TRUE(entry);
  EXPECT_NEAR(entry->fraction, (0.02 - 0.008) / 0.03, kInstant);
  EXPECT_LE((entry->normal - Vector3(-0.8, 0.6, 0.0)).norm(), 0.03 * kInstant / 0.01);
  // The normal is that of the instant found.
  EXPECT_NEAR(entry->distance, 0.8 * entry->fraction * 0.03, 0.03 * kInstant);
  EXPECT_NEAR(entry->slope_squared, 1.0, 1e-12);
  EXPECT_NEAR(linear_distance(*entry, point, rest, entry->fraction), 0.0, 1e-15);
  EXPECT_NEAR(linear_distance(*entry, point, rest, 1.0), -0.8 * (1.0 - entry->fraction) * 0.03,
              0.03 * kInstant);
}

TEST(PointPath, a_point_that_passes_or_does_not_arrive_has_no_contact) {
  const AnalyticField field = sphere(0.01);
  const StepMotion rest = motion(Vector3::Zero(), Vector3::Zero(), Vector3::Zero());
  const auto enters = [&](const Vector3& from, const Vector3& moved) {
    return find_entry(field, {}, from, from.norm() - 0.01, motion(from, moved, Vector3::Zero()),
                      rest, 0.5)
        .has_value();
  };
  EXPECT_FALSE(enters({-0.02, 0.0101, 0.0}, {0.04, 0.0, 0.0}));
  EXPECT_TRUE(enters({-0.02, 0.0095, 0.0}, {0.04, 0.0, 0.0}));
  EXPECT_FALSE(enters({-0.02, 0.0, 0.0}, {0.0099, 0.0, 0.0}));
  EXPECT_TRUE(enters({-0.02, 0.0, 0.0}, {0.0101, 0.0, 0.0}));
  EXPECT_FALSE(enters({-0.02, 0.0, 0.0}, Vector3::Zero()));
  EXPECT_FALSE(enters({-0.02, 0.0, 0.0}, {-0.5, 0.0, 0.0}));
  EXPECT_FALSE(enters({-0.02, 0.0, 0.0}, Vector3::Constant(std::nan(""))));
}

// Through a sphere and out again in one step: it is stopped where it came in.
TEST(PointPath, a_point_that_passes_through_is_caught_where_it_comes_in) {
  const AnalyticField field = sphere(0.01);
  const Vector3 from(-0.02, 0.0, 0.0);
  const StepMotion point = motion(from, {0.1, 0.0, 0.0}, Vector3::Zero());
  const StepMotion rest = motion(Vector3::Zero(), Vector3::Zero(), Vector3::Zero());
  const auto entry = find_entry(field, {}, from, 0.01, point, rest, 0.5);
  ASSERT_TRUE(entry);
  EXPECT_NEAR(entry->fraction, 0.1, kInstant);
  EXPECT_LE((entry->normal + Vector3::UnitX()).norm(), 1e-12);
  EXPECT_NEAR(linear_distance(*entry, point, rest, 1.0), -0.09, 0.1 * kInstant);
}

// The end of a rod that turns by 0.8 rad: the exact arc, not its tangent.
TEST(PointPath, a_point_that_turns_follows_its_arc) {
  const AnalyticField field(AnalyticShape{ShapeKind::kPlane, {1.0, 0.0, 0.0}});
  const Vector3 from(0.1, 0.0, 0.05);
  const double start = std::atan2(0.05, 0.1), radius = from.norm();
  const StepMotion point = motion(Vector3::Zero(), Vector3::Zero(), {0.0, 0.8, 0.0});
  const StepMotion rest = motion(Vector3::Zero(), Vector3::Zero(), Vector3::Zero());
  const auto entry = find_entry(field, {}, from, 0.05, point, rest, 0.5);
  ASSERT_TRUE(entry);
  EXPECT_NEAR(entry->fraction, start / 0.8, kInstant);
  EXPECT_NEAR(entry->position.x(), radius, 1e-5);
  EXPECT_NEAR(entry->distance, entry->fraction * 0.8 * radius, 1e-4);
}

// What counts is the relative motion: in a frame that moves and turns with the field, the point
// enters at the same instant and place, and action and reaction have the same line.
TEST(PointPath, a_field_that_moves_is_as_good_as_a_point_that_moves) {
  const AnalyticField field(AnalyticShape{ShapeKind::kBox, {0.02, 0.03, 0.04}});
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  const auto vector = [&] { return Vector3(uniform(random), uniform(random), uniform(random)); };
  int found = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const Pose pose{0.1 * vector(), rotation_exponential(3.0 * vector())};
    const Vector3 from = pose.to_world(0.05 * vector());
    const double distance = field.distance(pose.orientation.conjugate() * (from - pose.position));
    if (distance < 0.0) continue;
    const Vector3 moved = 0.08 * vector(), turned = 0.5 * vector();
    const StepMotion rest = motion(pose.position, Vector3::Zero(), Vector3::Zero());
    const StepMotion point = motion(pose.position, moved, turned);
    const StepMotion back = motion(pose.position, Vector3::Zero(), -turned);
    const StepMotion straight = motion(from, moved, Vector3::Zero());
    // The first without translation, the second without rotation of the point.
    const StepMotion turning = motion(pose.position, Vector3::Zero(), turned);
    const auto a = find_entry(field, pose, from, distance, turning, rest, 0.5);
    const auto b = find_entry(field, pose, from, distance,
                              motion(from, Vector3::Zero(), Vector3::Zero()), back, 0.5);
    const auto c = find_entry(field, pose, from, distance, straight, rest, 0.5);
    const auto d =
        find_entry(field, pose, from, distance, motion(from, Vector3::Zero(), Vector3::Zero()),
                   motion(pose.position, -moved, Vector3::Zero()), 0.5);
    ASSERT_EQ(a.has_value(), b.has_value()) << trial;
    ASSERT_EQ(c.has_value(), d.has_value()) << trial;
    if (a) {
      EXPECT_NEAR(a->fraction, b->fraction, 2.0 * kInstant) << trial;
    }
    if (c) {
      EXPECT_NEAR(c->fraction, d->fraction, 2.0 * kInstant) << trial;
      EXPECT_NEAR(c->distance, d->distance, 0.16 * kInstant) << trial;
      EXPECT_LE((c->normal - d->normal).norm(), 1e-9) << trial;
    }
    if (const auto e = find_entry(field, pose, from, distance, point, back, 0.5)) {
      EXPECT_NEAR(linear_distance(*e, point, back, e->fraction), 0.0, 1e-15) << trial;
      EXPECT_LT(linear_distance(*e, point, back, 1.0), 0.0) << trial;
      EXPECT_NEAR(e->normal.norm(), 1.0, 1e-12) << trial;
    }
    found += (a ? 1 : 0) + (c ? 1 : 0);
  }
  EXPECT_GT(found, 100);
}

/// A plane far below, with voxels of 10 um, that counts its queries.
class CountingPlane final : public SignedField {
 public:
  void evaluate(const FieldPoints&, std::uint32_t, Culling,
                FieldSamples&) const HAPTIC_REALTIME override {}
  void prefetch(const FieldPoints&, std::uint32_t) const HAPTIC_REALTIME override {}
  Sample distance_and_gradient(const Vector3& p) const HAPTIC_REALTIME override {
    ++queries;
    return {p.z() < 0.0 ? p.z() : 1e-6, Vector3::UnitZ()};  // a distance that says little
  }
  double edge() const HAPTIC_REALTIME override { return 1e-5; }
  double reach() const HAPTIC_REALTIME override { return 1.0; }

  mutable int queries = 0;
};

TEST(PointPath, a_long_way_has_a_bounded_number_of_samples) {
  const StepMotion rest = motion(Vector3::Zero(), Vector3::Zero(), Vector3::Zero());
  const Vector3 from(0.0, 0.0, 0.05);
  for (const double way : {0.04, 0.06, 2.0}) {
    const CountingPlane plane;
    const auto entry = find_entry(plane, {}, from, 1e-6,
                                  motion(from, {0.0, 0.0, -way}, Vector3::Zero()), rest, 0.5);
    EXPECT_EQ(entry.has_value(), way > 0.05);
    EXPECT_LE(plane.queries, 48 + 6 + 1) << way;
    EXPECT_GT(plane.queries, 7) << way;
  }
}

TEST(PointPath, the_deformation_of_the_points_body_counts) {
  const AnalyticField field = sphere(0.01);
  const Vector3 from(0.0, -0.03, 0.0);
  StepMotion point = motion(from, Vector3::Zero(), Vector3::Zero());
  const StepMotion rest = motion(Vector3::Zero(), Vector3::Zero(), Vector3::Zero());
  EXPECT_FALSE(find_entry(field, {}, from, 0.02, point, rest, 0.5));
  point.deformation = {0.0, 0.025, 0.0};
  const auto entry = find_entry(field, {}, from, 0.02, point, rest, 0.5);
  ASSERT_TRUE(entry);
  EXPECT_NEAR(entry->fraction, 0.8, kInstant);
  EXPECT_NEAR(entry->distance, entry->fraction * 0.025, 1e-15);
}

}  // namespace
}  // namespace haptic::solids
