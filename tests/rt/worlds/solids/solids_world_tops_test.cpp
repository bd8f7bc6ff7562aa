// Tops and disks: what spins, tilts and rolls never gains energy.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "tests/rt/worlds/solids/free_bodies_fixture.h"
#include "tests/rt/worlds/solids/spiral_ball.h"

namespace haptic::solids {
namespace {

constexpr double kTopRates[] = {250.0, 1000.0, 4000.0};

class Tops : public FreeBodies {
 protected:
  static constexpr double kR = 0.03, kThick = 0.004, kDensity = 2500.0;  // of the disk
  static constexpr double kBall = 0.02, kOffset = 0.004;                 // of the tippe top
  static constexpr double kStiffness = 2e4;

  static void SetUpTestSuite() {
    FreeBodies::SetUpTestSuite();
    disk_.mass = kDensity * std::numbers::pi * kR * kR * kThick;
    const double across = disk_.mass * (3.0 * kR * kR + kThick * kThick) / 12.0;
    disk_.inertia = {across, across, 0.5 * disk_.mass * kR * kR};
    constexpr int kRim = 720;
    for (const double side : {-1.0, 1.0}) {
      for (int i = 0; i < kRim; ++i) {
        const double angle = 2.0 * std::numbers::pi * i / kRim;
        const Vector3 out(std::cos(angle), std::sin(angle), 0.0);
        disk_.points.push_back(kR * out + 0.5 * side * kThick * Vector3::UnitZ());
        disk_.normals.push_back(-(out + side * Vector3::UnitZ()).normalized());
      }
    }
    write_rigid_shape(folder_ / "disk.h5", disk_);
    // Its middle is above its centre of mass, which is the origin.
    top_ = spiral_ball(6000, kBall);
    for (Vector3& p : top_.points) p.z() += kOffset;
    write_rigid_shape(folder_ / "tippe_top.h5", top_);
    coarse_ = spiral_ball(2000, kBall);
    write_rigid_shape(folder_ / "coarse.h5", coarse_);
  }

  /// Energy that the springs store in contact with the plane.
  static double stored(const SolidsWorld& world, const RigidShape& shape, double k) {
    double sum = 0.0;
    for (const Vector3& p : shape.points) {
      const double depth = std::max(0.0, -world.poses()[2].to_world(p).z());
      sum += 0.5 * k * depth * depth;
    }
    return sum;
  }
  static double energy(const SolidsWorld& world, const RigidShape& shape, double k) {
    return world.free_bodies()[0]->energy() + stored(world, shape, k);
  }
  static const FreeBody& body(const SolidsWorld& world) { return *world.free_bodies()[0]; }

  inline static RigidShape disk_, top_, coarse_;
};

// A disk that rolls round on its edge, tilted by 0.5 rad: the spin about its vertical diameter is
// that of Euler's disk, w^2 = 4 g / (R sin a).
TEST_F(Tops, an_euler_disk_never_gains_energy) {
  for (const double rate : kTopRates) {
    for (const double mu : {0.1, 0.5}) {
      const double a = 0.5, w = std::sqrt(4.0 * kG / (kR * std::sin(a)));
      Scene scene = ground();
      scene.rate_hz = rate;
      const Quaternion tilt(Eigen::AngleAxisd(a, Vector3::UnitY()));
      const double height = kR * std::sin(a) + 0.5 * kThick * std::cos(a);
      // About the diameter through the point of contact.
      const Vector3 turn = w * std::sin(a) * (tilt * Vector3::UnitX());
      const std::size_t disk =
          add(scene, "disk.h5", {0.0, 0.0, height - 1e-5}, {Vector3::Zero(), turn});
      scene.bodies[disk].pose.orientation = tilt;
      touch(scene, disk, 0, kStiffness, 0.0, {mu, mu, {}});
      SolidsWorld world(scene, nullptr);
      const double start = energy(world, disk_, kStiffness);
      double most = start;
      for (int i = 0; i < static_cast<int>(2.0 * rate); ++i) {
        hold(world, {}, 1);
        most = std::max(most, energy(world, disk_, kStiffness));
      }
      // Rounding; the step takes energy, never gives it.
      EXPECT_LE(most, start * (1.0 + 1e-9)) << rate << " " << mu;
    }
  }
}

// A ball whose centre of mass is 4 mm below its middle, spun at 120 rad/s about a tilted axis: it
// turns over, at 1 and 4 kHz, and loses energy only.
TEST_F(Tops, a_tippe_top_never_gains_energy) {
  for (const double rate : kTopRates) {
    for (const double mu : {0.1, 0.3}) {
      Scene scene = ground();
      scene.rate_hz = rate;
      const std::size_t top = add(scene, "tippe_top.h5", {0.0, 0.0, kBall - kOffset - 2e-5},
                                  {Vector3::Zero(), {1.0, 0.0, 120.0}});
      scene.bodies[top].pose.orientation = Eigen::AngleAxisd(0.1, Vector3::UnitX());
      touch(scene, top, 0, kStiffness, 0.0, {mu, mu, {}});
      SolidsWorld world(scene, nullptr);
      const double start = energy(world, top_, kStiffness);
      double most = start;
      for (int i = 0; i < static_cast<int>(3.0 * rate); ++i) {
        hold(world, {}, 1);
        most = std::max(most, energy(world, top_, kStiffness));
      }
      // Rounding; the step takes energy, never gives it.
      EXPECT_LE(most, start * (1.0 + 1e-9)) << rate << " " << mu;
      const double axis = (world.poses()[top].orientation * Vector3::UnitZ()).z();
      if (rate > 500.0) {
        EXPECT_LE(axis, -0.9) << rate << " " << mu;
      }
    }
  }
}

TEST_F(Tops, a_ball_of_2000_points_rolls_on_for_three_seconds) {
  for (const double rate : kTopRates) {
    for (const double k : {1e3, 1e4}) {
      const double v = 0.6;
      Scene scene = ground();
      scene.rate_hz = rate;
      const std::size_t ball =
          add(scene, "coarse.h5", {0.0, 0.0, kBall - 2e-5}, {{v, 0.0, 0.0}, {0.0, v / kBall, 0.0}});
      touch(scene, ball, 0, k, 0.0, {0.5, 0.5, {}});
      SolidsWorld world(scene, nullptr);
      hold(world, {}, static_cast<int>(3.0 * rate));
      // At 250 Hz, each of its points is in contact for two steps only.
      const double bound = rate < 500.0 ? 0.035 : 0.01;
      EXPECT_NEAR(body(world).twist().linear.x(), v, bound * v) << rate << " " << k;
    }
  }
}

// About the normal, which no force of the plane turns.
TEST_F(Tops, a_spin_on_a_plane_without_friction_is_kept) {
  for (const double rate : kTopRates) {
    for (const Vector3& w : {Vector3(0.0, 0.0, 60.0), Vector3(0.0, 0.0, 200.0)}) {
      Scene scene = ground();
      scene.rate_hz = rate;
      const std::size_t ball =
          add(scene, "coarse.h5", {0.0, 0.0, kBall - 2e-5}, {Vector3::Zero(), w});
      touch(scene, ball, 0, 1e3);
      SolidsWorld world(scene, nullptr);
      hold(world, {}, static_cast<int>(3.0 * rate));
      EXPECT_LE((body(world).twist().angular - w).norm(), 0.005 * w.norm()) << rate;
    }
  }
}

}  // namespace
}  // namespace haptic::solids
