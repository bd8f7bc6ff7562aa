#pragma once

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "tests/rt/worlds/solids/free_bodies_fixture.h"

namespace haptic::solids {

/// The same worlds with joints.
class JointedBodies : public FreeBodies {
 protected:
  static constexpr double kPi = 3.141592653589793;
  /// Of the cube, about its centre.
  static constexpr double kInertia = kMass * (2.0 * kHalf) * (2.0 * kHalf) / 6.0;

  static void SetUpTestSuite() {
    FreeBodies::SetUpTestSuite();
    const double density = kMass / std::pow(2.0 * kHalf, 3.0);
    write_solid_box(folder_ / "heavy.h5", Vector3::Constant(kHalf), 7.0 * density);
    write_solid_box(folder_ / "slab.h5", {1.5 * kHalf, kHalf, 0.5 * kHalf}, density);
  }

  static constexpr std::size_t kWorld = SceneJoint::kWorld;
  /// @returns the settings, valid until the next joint
  static JointSettings& join(Scene& scene, JointType type, std::size_t first, std::size_t second,
                             const Vector3& point, const Vector3& axis = Vector3::UnitY()) {
    auto& joints = edit_solids(scene).joints;
    joints.push_back({"joint" + std::to_string(joints.size()), first, second, {type, point, axis}});
    return joints.back().settings;
  }
  static std::size_t parameter(const SolidsWorld& world, const std::string& name) {
    const auto all = world.parameters();
    return static_cast<std::size_t>(std::ranges::find(all, name, &World::Parameter::name) -
                                    all.begin());
  }
  /// By how far the points of a joint are apart, and the angle between its axes, from the poses.
  static std::tuple<double, double> error(const Scene& scene, const SolidsWorld& world,
                                          const SceneJoint& joint) {
    const auto pose = [&](std::span<const Pose> poses, std::size_t body) {
      return body == kWorld ? Pose{} : poses[body];
    };
    std::vector<Pose> start;
    for (const SceneBody& body : scene.bodies) start.push_back(body.pose);
    Vector3 points[2], axes[2];
    for (const int k : {0, 1}) {
      const std::size_t body = k == 0 ? joint.first : joint.second;
      const Pose from = pose(start, body), now = pose(world.poses(), body);
      points[k] = now.to_world(from.to_material(joint.settings.point));
      axes[k] = now.orientation * (from.orientation.conjugate() * joint.settings.axis);
    }
    return {(points[0] - points[1]).norm(), axes[0].cross(axes[1]).norm()};
  }
  struct Sums {
    Vector3 momentum = Vector3::Zero(), angular = Vector3::Zero();
    double kinetic = 0.0;
  };
  static Sums sums(const SolidsWorld& world) {
    Sums s;
    for (const auto& body : world.free_bodies()) {
      s.momentum += body->momentum();
      s.angular += body->angular_momentum() + body->centre().cross(body->momentum());
      s.kinetic += 0.5 * body->momentum().squaredNorm() / body->mass().mass;
      const Matrix3 R = body->pose().orientation.toRotationMatrix();
      const Vector3 L = R.transpose() * body->angular_momentum();
      s.kinetic += 0.5 * L.dot(body->mass().inertia.inverse() * L);
    }
    return s;
  }
};

}  // namespace haptic::solids
