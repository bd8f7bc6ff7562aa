#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <random>

#include "lab/samples/touch_sheets.h"
#include "rt/worlds/cloth/touch/god_object.h"
#include "tests/support/no_allocation.h"

namespace haptic::cloth {
namespace {

constexpr double kCell = 0.02;

/// A rough sheet that jumps, turns and changes its shape; the device stands still.
class MovingSheet {
 public:
  explicit MovingSheet(unsigned seed) : random_(seed), shape_(33, kCell), x_(shape_.x) { next(); }

  /// Next place: up to five cells along any axis, half a radian about x and y, and a new height of
  /// up to a quarter of a cell for each particle.
  void next() {
    shape_ = TouchSheet(shape_.side, kCell);
    shape_.roughen(0.25 * kCell, static_cast<unsigned>(random_()));
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    centre_ = 2.5 * kCell * Vector3(uniform(random_), uniform(random_), uniform(random_));
    turn_ = (Eigen::AngleAxisd(0.25 * uniform(random_), Vector3::UnitX()) *
             Eigen::AngleAxisd(0.25 * uniform(random_), Vector3::UnitY()))
                .toRotationMatrix();
    for (std::size_t i = 0; i < x_.size() / 3; ++i) {
      at(x_, i) = centre_ + turn_ * at(shape_.x, i);
    }
  }
  const ClothMesh& mesh() const { return shape_.mesh; }
  const ParticleVectors& x() const { return x_; }
  /// Height of p above the sheet along its z axis [m]; NaN beside it.
  double height(const Vector3& p) const {
    const Vector3 local = turn_.transpose() * (p - centre_);
    return local[2] - shape_.height(local[0], local[1]);
  }

 private:
  std::mt19937 random_;
  TouchSheet shape_;
  ParticleVectors x_;
  Vector3 centre_;
  Eigen::Matrix3d turn_;
};

/// @returns how often the sheet passed a god-object that follows a still device
int passed(bool carried, unsigned seed, int steps) {
  MovingSheet sheet(seed);
  Touch touch(sheet.mesh());
  const Vector3 device(0.0031, -0.0017, 0.0);
  const double above = sheet.height(device);
  if (std::abs(above) < 1e-3) return 0;
  EXPECT_TRUE(touch.god.place(device, sheet.x()));
  double side = above;
  int count = 0;
  for (int i = 0; i < steps; ++i) {
    const ParticleVectors before = sheet.x();
    sheet.next();
    {
      NoAllocation guard;
      if (carried) {
        EXPECT_EQ(touch.god.carry(before, sheet.x()), TouchResult::kDone);
      }
      touch.god.move_to(device, sheet.x());
    }
    const double height = sheet.height(touch.god.position());
    EXPECT_FALSE(std::isnan(height));
    count += side * height <= 0.0;
    side = height;
  }
  return count;
}

TEST(MovingSheet, no_sheet_passes_a_god_object_that_goes_with_it) {
  int count = 0;
  for (unsigned seed = 1; seed <= 20; ++seed) count += passed(true, seed, 200);
  EXPECT_EQ(count, 0);
}

TEST(MovingSheet, without_that_it_passes_in_every_fifth_step) {
  int count = 0;
  for (unsigned seed = 1; seed <= 4; ++seed) count += passed(false, seed, 200);
  EXPECT_GT(count, 160);
}

TEST(MovingSheet, a_held_god_object_keeps_its_place_on_the_triangle) {
  TouchSheet sheet(5, kCell);
  Touch touch(sheet.mesh, {.radius = 1e-4, .friction = 10.0});
  ASSERT_TRUE(touch.god.place({0.004, 0.003, 0.01}, sheet.x));
  touch.god.move_to({0.004, 0.003, -0.01}, sheet.x);
  ASSERT_FALSE(touch.god.contacts().empty());
  const TouchContact contact = touch.god.contacts()[0];
  // A rigid motion of the sheet is one of the god-object.
  const Eigen::Matrix3d turn = Eigen::AngleAxisd(1.2, Vector3(1, 2, 3).normalized()).matrix();
  const Vector3 away(0.3, -0.2, 0.5), held = touch.god.position();
  ParticleVectors end = sheet.x;
  for (std::size_t i = 0; i < end.size() / 3; ++i) at(end, i) = away + turn * at(sheet.x, i);
  ASSERT_EQ(touch.god.carry(sheet.x, end), TouchResult::kDone);
  EXPECT_LT((touch.god.position() - (away + turn * held)).norm(), 1e-12);
  const ClosestPoint closest =
      closest_point(corners(end, sheet.mesh.triangles[contact.triangle]), touch.god.position());
  EXPECT_LT((closest.weights - contact.weights).norm(), 1e-6);
}

TEST(MovingSheet, a_still_cloth_carries_nothing) {
  TouchSheet sheet(5, kCell);
  Touch touch(sheet.mesh);
  ASSERT_TRUE(touch.god.place({0.004, 0.003, 0.01}, sheet.x));
  ASSERT_EQ(touch.god.carry(sheet.x, sheet.x), TouchResult::kDone);
  EXPECT_EQ(touch.god.position(), Vector3(0.004, 0.003, 0.01));
  touch.god.move_to({0.004, 0.003, -0.01}, sheet.x);
  const Vector3 held = touch.god.position();
  for (int i = 0; i < 1000; ++i) touch.god.carry(sheet.x, sheet.x);
  EXPECT_LT((touch.god.position() - held).norm(), 1e-12);
}

TEST(MovingSheet, between_two_sheets_that_close_it_stays_between) {
  TouchSheet sheet(5, kCell);
  ClothMesh both = sheet.mesh;
  const auto n = static_cast<std::uint32_t>(sheet.mesh.vertices.size());
  for (const auto& t : sheet.mesh.triangles) {
    both.triangles.push_back({t[0] + n, t[1] + n, t[2] + n});
  }
  const auto gap_of = [&](double gap) {
    ParticleVectors x = sheet.x;
    x.insert(x.end(), sheet.x.begin(), sheet.x.end());
    for (std::uint32_t i = 0; i < n; ++i) x[3 * (n + i) + 2] += gap;
    return x;
  };
  Touch touch(both);
  ParticleVectors x = gap_of(0.01);
  ASSERT_TRUE(touch.god.place({0.001, 0.002, 0.005}, x));
  for (const double gap : {0.004, 1e-3, 1.5e-4, 1e-5, 1e-6, 1e-5, 1.5e-4, 0.01}) {
    const ParticleVectors end = gap_of(gap);
    touch.god.carry(x, end);
    x = end;
    for (const double z : {-0.02, 0.02, -0.03}) {
      touch.god.move_to({0.001, 0.002, z}, x);
      EXPECT_GT(touch.god.position()[2], 0.0) << gap;
      EXPECT_LT(touch.god.position()[2], gap) << gap;
    }
    // It slides between them, also where there is no room for two radii.
    touch.god.move_to({0.011, 0.002, -0.02}, x);
    EXPECT_NEAR(touch.god.position()[0], 0.011, 1e-6) << gap;
    touch.god.move_to({0.001, 0.002, -0.02}, x);
    EXPECT_NEAR(touch.god.position()[0], 0.001, 1e-6) << gap;
  }
  EXPECT_NEAR(touch.god.position()[2], 1e-4, 1e-9);
}

}  // namespace
}  // namespace haptic::cloth
