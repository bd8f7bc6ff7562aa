#include "rt/worlds/cloth/touch/god_object.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "lab/samples/touch_sheets.h"
#include "shared/error.h"
#include "tests/support/no_allocation.h"

namespace haptic::cloth {
namespace {

constexpr double kRadius = 1e-4;

TEST(GodObject, a_press_on_a_sheet) {
  TouchSheet sheet(5, 0.02);
  Touch touch(sheet.mesh);
  ASSERT_TRUE(touch.god.place({0.003, 0.007, 0.01}, sheet.x));
  const Vector3 device(0.003, 0.007, -0.01);
  {
    NoAllocation guard;
    ASSERT_EQ(touch.god.move_to(device, sheet.x), TouchResult::kDone);
  }
  EXPECT_LT((touch.god.position() - Vector3(0.003, 0.007, kRadius)).norm(), 1e-12);
  ASSERT_EQ(touch.god.contacts().size(), 1u);
  EXPECT_NEAR(touch.god.contacts()[0].share, 0.01 + kRadius, 1e-12);
  // The device's ball has its own radius, so 5 N are at a depth of 0.01 of its surface.
  EXPECT_NEAR(500.0 * (touch.god.position() - device).norm(), 5.0 + 500.0 * kRadius, 1e-9);
}

// Folded along the line x = 0: the other side of a valley is in the ball's way, that of a ridge
// not.
TEST(GodObject, neighbours_are_those_that_it_may_slide_to) {
  for (const double slope : {0.5, -0.5}) {
    SCOPED_TRACE(slope);
    TouchSheet sheet(5, 0.02);
    for (std::size_t i = 0; i < sheet.mesh.vertices.size(); ++i) {
      sheet.x[3 * i + 2] = slope * std::abs(sheet.x[3 * i]);
    }
    Touch touch(sheet.mesh);
    ASSERT_TRUE(touch.god.place({0.002, 0.007, 0.01}, sheet.x));
    // On its face, 2 mm beside the fold: held by that alone.
    const double pressed = 1e-5;
    touch.god.move_to({0.002, 0.007, slope * 0.002 + 1.1 * kRadius - pressed}, sheet.x);
    ASSERT_EQ(touch.god.contacts().size(), 1u);
    std::array<NearPlane, 8> planes;
    EXPECT_EQ(touch.god.neighbours(sheet.x, 1e-3, planes), 0u) << "out of reach";
    const std::size_t found = touch.god.neighbours(sheet.x, 5e-3, planes);
    std::size_t beyond = 0;
    for (std::size_t i = 0; i < found; ++i) {
      if (planes[i].normal.x() * slope < 0.0) continue;  // the same side of the fold
      ++beyond;
      EXPECT_GT(planes[i].gap, 1e-4);
      EXPECT_GT(planes[i].normal.z(), 0.0);
    }
    EXPECT_EQ(beyond > 0, slope > 0.0);
  }
}

TEST(GodObject, of_two_sheets_the_first_on_the_way_holds) {
  TouchSheet sheet(5, 0.02);
  ClothMesh both = sheet.mesh;
  ParticleVectors x = sheet.x;
  const auto n = static_cast<std::uint32_t>(sheet.mesh.vertices.size());
  for (const auto& t : sheet.mesh.triangles)
    both.triangles.push_back({t[0] + n, t[1] + n, t[2] + n});
  for (std::uint32_t i = 0; i < n; ++i) {
    for (const double value : {sheet.x[3 * i], sheet.x[3 * i + 1], -0.1}) x.push_back(value);
  }
  Touch touch(both);
  ASSERT_TRUE(touch.god.place({0.0, 0.0, 0.05}, x));
  ASSERT_EQ(touch.god.move_to({0.0, 0.0, -0.2}, x), TouchResult::kDone);
  EXPECT_LT((touch.god.position() - Vector3(0.0, 0.0, kRadius)).norm(), 1e-12);
  // From between them and from below, either side holds as well.
  ASSERT_TRUE(touch.god.place({0.001, 0.002, -0.05}, x));
  touch.god.move_to({0.001, 0.002, 0.3}, x);
  EXPECT_NEAR(touch.god.position()[2], -kRadius, 1e-12);
  touch.god.move_to({0.001, 0.002, -0.3}, x);
  EXPECT_NEAR(touch.god.position()[2], -0.1 + kRadius, 1e-12);
}

TEST(GodObject, contact_is_kept_far_below_a_flat_sheet) {
  TouchSheet sheet(9, 0.02);
  Touch touch(sheet.mesh);
  ASSERT_TRUE(touch.god.place({0.0, 0.0, 0.01}, sheet.x));
  for (int i = 0; i < 200; ++i) {
    const Vector3 device(0.05 * std::sin(0.05 * i), 0.04 * std::cos(0.07 * i) - 0.04, -0.05);
    ASSERT_EQ(touch.god.move_to(device, sheet.x), TouchResult::kDone);
    ASSERT_FALSE(touch.god.contacts().empty());
    ASSERT_LT((touch.god.position() - Vector3(device[0], device[1], kRadius)).norm(), 1e-11);
    // Errata: triangles whose box has the device's position are none.
    std::vector<std::uint32_t> found(sheet.mesh.triangles.size());
    ASSERT_EQ(touch.scan.near(sheet.x, sheet.x, {device, device}, found), 0u);
  }
}

/// Strokes of the device on a still, rough sheet. @returns how often the side was lost
int lost_sides(double side, bool exact, int strokes, unsigned seed) {
  TouchSheet sheet(8, 0.02);
  sheet.roughen(0.008, seed);
  Touch touch(sheet.mesh);
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::uniform_int_distribution<std::uint32_t> inner(2, sheet.side - 3);
  EXPECT_TRUE(touch.god.place({0.0, 0.0, 0.05 * side}, sheet.x));
  int lost = 0, unfinished = 0, held = 0;
  for (int i = 0; i < strokes; ++i) {
    Vector3 device(0.035 * uniform(random), 0.035 * uniform(random), 0.04 * uniform(random));
    if (exact) {
      // Straight through a corner, or through the middle of an edge, in alternation with points
      // right above them.
      const std::uint32_t corner = inner(random) * sheet.side + inner(random);
      const std::uint32_t other = corner + (uniform(random) > 0.0 ? 1 : sheet.side);
      device = uniform(random) > 0.0 ? Vector3(at(sheet.x, corner))
                                     : Vector3(0.5 * (at(sheet.x, corner) + at(sheet.x, other)));
      if (i % 3 == 0) device[2] += 0.03 * side;
      if (i % 3 == 1) device[2] -= 0.03 * side;  // 2: exactly on the cloth
    }
    const double before = (touch.god.position() - device).norm();
    unfinished += touch.god.move_to(device, sheet.x) == TouchResult::kUnfinished;
    const Vector3& s = touch.god.position();
    const double height = sheet.height(s[0], s[1]);
    EXPECT_FALSE(std::isnan(height));
    lost += side * (s[2] - height) <= 0.0;
    held += !touch.god.contacts().empty();
    // Passive: on a still cloth it never goes away from the device. 1e-3 of the skin is rounding.
    EXPECT_LE((s - device).norm(), before + 1e-9);
  }
  EXPECT_GT(held, strokes / 10);
  // Where the device is within a radius of an edge, the tangent planes approach the end slowly.
  EXPECT_LE(unfinished, exact ? strokes / 50 : 0);
  return lost;
}

TEST(GodObject, no_stroke_passes_through_a_still_cloth) {
  int lost = 0;
  for (unsigned seed = 1; seed <= 10; ++seed) {
    lost += lost_sides(seed % 2 ? 1.0 : -1.0, false, 20000, seed);
  }
  EXPECT_EQ(lost, 0);
}

TEST(GodObject, nor_does_one_through_an_edge_or_a_corner) {
  int lost = 0;
  for (unsigned seed = 1; seed <= 10; ++seed) {
    lost += lost_sides(seed % 2 ? 1.0 : -1.0, true, 10000, seed);
  }
  EXPECT_EQ(lost, 0);
}

TEST(GodObject, a_fold_holds_it_with_two_planes_and_a_pit_with_three) {
  // A valley of 90 degrees along y, its bottom at x = 0.
  TouchSheet sheet(9, 0.02);
  for (std::size_t i = 0; i < sheet.mesh.vertices.size(); ++i) {
    sheet.x[3 * i + 2] = std::abs(sheet.x[3 * i]);
  }
  Touch touch(sheet.mesh);
  ASSERT_TRUE(touch.god.place({0.002, 0.0, 0.05}, sheet.x));
  ASSERT_EQ(touch.god.move_to({0.003, 0.013, -0.1}, sheet.x), TouchResult::kDone);
  EXPECT_LT((touch.god.position() - Vector3(0.0, 0.013, std::sqrt(2.0) * kRadius)).norm(), 1e-9);
  EXPECT_EQ(touch.god.contacts().size(), 2u);

  TouchSheet pit(5, 0.02);
  at(pit.x, 12)[2] = -0.02;
  Touch in_pit(pit.mesh);
  ASSERT_TRUE(in_pit.god.place({0.0, 0.0, 0.02}, pit.x));
  ASSERT_EQ(in_pit.god.move_to({0.0005, 0.0002, -0.1}, pit.x), TouchResult::kDone);
  EXPECT_GE(in_pit.god.contacts().size(), 2u);
  EXPECT_LT((in_pit.god.position() - Vector3(0.0, 0.0, -0.02)).norm(), 10.0 * kRadius);
}

TEST(GodObject, a_hand_falls_through_a_penalty_and_not_past_the_god_object) {
  // 2 N press a mass of 0.1 kg on a sheet of 2 mm at 500 N/m: a penalty turns over after 1 mm.
  TouchSheet sheet(5, 0.02);
  Touch touch(sheet.mesh);
  const double k = 500.0, half = 1e-3, dt = 1e-3;
  for (const bool penalty : {true, false}) {
    ASSERT_TRUE(touch.god.place({0.0, 0.0, 0.002}, sheet.x));
    double z = 0.002, v = 0.0;
    for (int i = 0; i < 1000; ++i) {
      double force = 0.0;
      if (penalty) {
        if (std::abs(z) < half) force = std::copysign(k * (half - std::abs(z)), z);
      } else {
        touch.god.move_to({0.0, 0.0, z}, sheet.x);
        force = k * (touch.god.position()[2] - z);
      }
      v += dt * (force - 2.0 - 5.0 * v) / 0.1;
      z += dt * v;
    }
    if (penalty) {
      EXPECT_LT(z, -0.02);
    } else {
      EXPECT_NEAR(z, kRadius - 2.0 / k, 1e-6);
      EXPECT_NEAR(touch.god.position()[2], kRadius, 1e-12);
    }
  }
}

TEST(GodObject, friction_holds_inside_the_cone_and_slides_on_it) {
  TouchSheet sheet(9, 0.02);
  const double mu = 0.5;
  Touch touch(sheet.mesh, {.radius = kRadius, .friction = mu});
  ASSERT_TRUE(touch.god.place({0.0, 0.0, 0.01}, sheet.x));
  touch.god.move_to({0.0, 0.0, -0.01}, sheet.x);
  touch.god.move_to({0.004, 0.0, -0.01}, sheet.x);
  EXPECT_NEAR(touch.god.position()[0], 0.0, 1e-9);
  touch.god.move_to({0.02, 0.0, -0.01}, sheet.x);
  const Vector3 pull = touch.god.position() - Vector3(0.02, 0.0, -0.01);
  // The way down through the skin, at most 1e-3 of the radius, is within the lag.
  EXPECT_NEAR(-pull[0] / pull[2], mu, 1e-4);
  // Twice the depth, twice the cone: it stays.
  const double before = touch.god.position()[0];
  touch.god.move_to({0.02, 0.0, -0.02}, sheet.x);
  EXPECT_NEAR(touch.god.position()[0], before, 1e-6);
}

TEST(GodObject, what_is_not_finite_is_a_fault_and_moves_nothing) {
  TouchSheet sheet(5, 0.02);
  Touch touch(sheet.mesh);
  ASSERT_TRUE(touch.god.place({0.0, 0.0, 0.01}, sheet.x));
  const double nan = std::nan("");
  EXPECT_EQ(touch.god.move_to({nan, 0.0, 0.0}, sheet.x), TouchResult::kNotFinite);
  ParticleVectors broken = sheet.x;
  at(broken, 12)[1] = nan;
  EXPECT_EQ(touch.god.move_to({0.0, 0.0, -0.01}, broken), TouchResult::kNotFinite);
  EXPECT_EQ(touch.god.carry(sheet.x, broken), TouchResult::kNotFinite);
  EXPECT_EQ(touch.god.position(), Vector3(0.0, 0.0, 0.01));
  EXPECT_FALSE(touch.god.place({0.0, 0.0, 0.5 * kRadius}, sheet.x));
  EXPECT_EQ(touch.god.position(), Vector3(0.0, 0.0, 0.01));
}

TEST(GodObject, settings_out_of_range_are_refused) {
  TouchSheet sheet(3, 0.02);
  for (const double bad : {0.0, -1.0, std::numeric_limits<double>::infinity()}) {
    EXPECT_THROW(Touch(sheet.mesh, {.radius = bad, .friction = 0.0}), InputError);
  }
  EXPECT_THROW(Touch(sheet.mesh, {.radius = 1e-4, .friction = -0.1}), InputError);
  EXPECT_THROW(Touch(sheet.mesh, {.radius = 1e-4, .friction = std::nan("")}), InputError);
}

}  // namespace
}  // namespace haptic::cloth
