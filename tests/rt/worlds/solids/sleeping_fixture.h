#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <vector>

#include "tests/rt/worlds/solids/soft_bodies_fixture.h"

namespace haptic::solids {

/// Worlds whose bodies sleep.
class Sleeping : public SoftBodies {
 protected:
  static constexpr double kSpeed = 1e-3;  // m/s
  static constexpr double kTime = 0.1;    // s

  static Scene with_sleep(Scene scene) {
    edit_solids(scene).dynamics.sleep_speed = kSpeed;
    edit_solids(scene).dynamics.sleep_s = kTime;
    return scene;
  }
  static double asleep(const SolidsWorld& world) { return state_value(world, "contact/asleep"); }
  static void touch_both(Scene& scene, std::size_t a, std::size_t b, double k, double damping = 0.0,
                         const FrictionSettings& friction = {}) {
    touch(scene, a, b, k, damping, friction);
    touch(scene, b, a, k, damping, friction);
  }
  static void expect_same(const SolidsWorld& a, const SolidsWorld& b) {
    for (std::size_t i = 0; i < a.poses().size(); ++i) {
      EXPECT_EQ(a.poses()[i].position, b.poses()[i].position) << i;
      EXPECT_EQ(a.poses()[i].orientation.coeffs(), b.poses()[i].orientation.coeffs()) << i;
    }
    EXPECT_TRUE(std::ranges::equal(a.coordinates(), b.coordinates()));
  }

  /// Pulls the centre of a rigid body, or lets go: without a stiffness.
  static void pull(SolidsWorld& world, std::size_t body, const Vector3& by, double stiffness) {
    Pull pull;
    if (stiffness > 0.0) {
      pull.target = by;
      pull.is_relative = true;
      pull.stiffness = stiffness;
      pull.limit = 10.0;
      ASSERT_EQ(world.prepare_pull(world.bodies()[body].name, pull), "");
    }
    ASSERT_TRUE(world.pull(pull));
  }
  /// Steps until so many sleep. @returns steps
  static int settle(SolidsWorld& world, double count, int most) {
    int steps = 0;
    while (asleep(world) != count && steps < most) {
      hold(world, {}, 1);
      ++steps;
    }
    EXPECT_EQ(asleep(world), count);
    return steps;
  }

  static constexpr double kLink = 0.024;         // m, between the boxes of a chain
  static constexpr double kServo = 0.5;          // N m/rad
  static constexpr double kServoDamping = 0.05;  // N m s/rad; with kServo for 0.1 s
  static constexpr double kLowest = 0.012;       // m, centre of the lowest box
  /// Boxes that hang on hinges with servos, the lowest one above the ground.
  /// @returns the boxes, from the top
  static std::vector<std::size_t> hang_chain(Scene& scene, std::size_t anchor, int boxes, double x,
                                             double speed = 0.0) {
    std::vector<std::size_t> chain;
    for (int i = 0; i < boxes; ++i) {
      const Vector3 place(x, 0.0, kLowest + kLink * (boxes - 1 - i));
      const std::size_t above = i == 0 ? anchor : chain.back();
      const double v = speed * (i + 0.5) / boxes;
      chain.push_back(add(scene, "cube.h5", place, {{v, 0.0, 0.0}, {0.0, 0.0, 0.0}}));
      join(scene, JointType::kHinge, above, chain.back(), place + 0.5 * kLink * Vector3::UnitZ())
          .servo = ServoSettings{kServo, kServoDamping, 1e9};
    }
    return chain;
  }
  /// Kinetic, of gravity, of the servos with targets at zero, and of the contacts with one weight.
  static double energy(const Scene& scene, const SolidsWorld& world) {
    double sum = JointedBodies::sums(world).kinetic;
    for (const auto& body : world.free_bodies()) {
      sum -= body->mass().mass * scene.gravity.dot(body->centre());
    }
    for (const SceneJoint& joint : solids_settings(scene).joints) {
      if (!joint.settings.servo) continue;
      const auto turn = [&](std::size_t body) {
        return body == kWorld ? Quaternion::Identity() : world.poses()[body].orientation;
      };
      const double angle =
          rotation_logarithm(turn(joint.first).conjugate() * turn(joint.second)).norm();
      sum += 0.5 * joint.settings.servo->stiffness * angle * angle;
    }
    for (const ContactSet::Pair& pair : world.pairs()) {
      for (const Contact& contact : pair.contact.contacts()) {
        sum += 0.5 * contact.stiffness * contact.depth * contact.depth;
      }
    }
    return sum;
  }
  /// Largest distance that the points of a joint are apart.
  static double largest_gap(const Scene& scene, const SolidsWorld& world) {
    double gap = 0.0;
    for (const SceneJoint& joint : solids_settings(scene).joints) {
      gap = std::max(gap, std::get<0>(error(scene, world, joint)));
    }
    return gap;
  }
};

}  // namespace haptic::solids
