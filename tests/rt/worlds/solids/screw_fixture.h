#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "tests/rt/worlds/solids/jointed_bodies_fixture.h"

namespace haptic::solids {

/// A threaded bolt along z in a nut that is fixed, both in closed form but for the nut's samples.
class Screw : public JointedBodies {
 protected:
  static constexpr double kRadius = 6e-3, kPitch = 3e-3, kDepth = 1.6e-3;  // of the bolt's thread
  static constexpr double kClearance = 1.5e-4;                             // of the nut's radius
  static constexpr double kBoltLength = 0.03, kNutHeight = 0.012, kNutRadius = 0.01;
  static constexpr double kBoltMass = 0.03;                       // kg
  static constexpr double kFlankSlope = kDepth / (0.4 * kPitch);  // dr/dz of a flank

  /// How far the surface of a right-handed thread is below its crests [m].
  static double groove(const Vector3& p) {
    const double turn = p.z() / kPitch - std::atan2(p.y(), p.x()) / (2.0 * std::numbers::pi);
    const double ridge = 2.0 * std::abs(turn - std::floor(turn) - 0.5);  // 0 at crest, 1 at root
    return kDepth * std::clamp(1.25 * ridge - 0.125, 0.0, 1.0);
  }
  /// Function whose zero is a thread, negative inside; of slope 1 on the flanks.
  static double thread(const Vector3& p, double radius) {
    const double lead = kPitch / (2.0 * std::numbers::pi * (kRadius - kDepth));
    const double slope = kFlankSlope * std::sqrt(1.0 + lead * lead);
    return (std::hypot(p.x(), p.y()) - radius + groove(p)) / std::sqrt(1.0 + slope * slope);
  }

  static void SetUpTestSuite() {
    JointedBodies::SetUpTestSuite();
    RigidShape bolt;
    constexpr double kSpacing = 9e-4;
    for (double z = -0.5 * kBoltLength; z <= 0.5 * kBoltLength; z += 0.5 * kSpacing) {
      const int around = static_cast<int>(2.0 * std::numbers::pi * kRadius / kSpacing);
      for (int i = 0; i < around; ++i) {
        const double angle = 2.0 * std::numbers::pi * (i + std::fmod(1e4 * z, 1.0)) / around;
        const Vector3 out(std::cos(angle), std::sin(angle), 0.0);
        const Vector3 p =
            (kRadius - groove(Vector3(out.x(), out.y(), z))) * out + z * Vector3::UnitZ();
        Vector3 slope;
        for (int k = 0; k < 3; ++k) {
          const Vector3 step = 1e-6 * Vector3::Unit(k);
          slope[k] = thread(p + step, kRadius) - thread(p - step, kRadius);
        }
        bolt.points.push_back(p);
        bolt.normals.push_back(-slope.normalized());
      }
    }
    bolt.mass = kBoltMass;
    const double across = kBoltMass * (3.0 * kRadius * kRadius + kBoltLength * kBoltLength) / 12.0;
    bolt.inertia = {across, across, 0.5 * kBoltMass * kRadius * kRadius};
    write_rigid_shape(folder_ / "bolt.h5", bolt);
    RigidShape nut;
    nut.distance = [](const Vector3& p) {
      const double outside =
          std::max(std::hypot(p.x(), p.y()) - kNutRadius, std::abs(p.z()) - 0.5 * kNutHeight);
      return std::max(outside, -thread(p, kRadius + kClearance));
    };
    nut.voxels = 128;
    nut.half_width = 1.3 * kNutRadius;
    nut.boundary_minimum = 0.3 * kNutRadius;
    write_rigid_shape(folder_ / "nut.h5", nut);
  }

  struct Threaded {
    Scene scene;
    std::size_t bolt;
  };
  /// The bolt in the middle of the nut, with friction mu. The hand is far away.
  static Threaded bolt_in_nut(double mu) {
    Threaded of{ground(), 0};
    of.scene.bodies[0].model = folder_ / "nut.h5";
    of.bolt = add(of.scene, "bolt.h5", Vector3::Zero());
    touch(of.scene, of.bolt, 0, 1e3, 20.0, {mu, mu, {}});
    return of;
  }
  /// The same bolt under a weight that slides along z and turns the bolt by a servo. Lowering is
  /// turning in the negative sense.
  struct Driven : Threaded {
    std::size_t weight;
  };
  static Driven driven_bolt(double mu, const ServoSettings& servo) {
    Driven of{bolt_in_nut(mu), 0};
    of.weight = add(of.scene, "cube.h5", {0.0, 0.0, 0.1});
    join(of.scene, JointType::kPrismatic, kWorld, of.weight, {0.0, 0.0, 0.1}, Vector3::UnitZ());
    JointSettings& drive =
        join(of.scene, JointType::kHinge, of.weight, of.bolt, {0.0, 0.0, 0.05}, Vector3::UnitZ());
    drive.servo = servo;
    drive.minimum = -1e3;
    drive.maximum = 1e3;
    return of;
  }
  static double spin(const SolidsWorld& world) {
    return world.free_bodies()[0]->twist().angular.z();
  }
  static double angle(const SolidsWorld& world, std::size_t body) {
    const Quaternion& q = world.poses()[body].orientation;
    return 2.0 * std::atan2(q.z(), q.w());
  }
};

}  // namespace haptic::solids
