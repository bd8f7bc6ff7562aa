#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "rt/geometry/analytic_shape.h"
#include "shared/error.h"
#include "tests/rt/worlds/solids/solids_world_fixture.h"

namespace haptic::solids {

/// Worlds of free boxes and marbles over a plane, with a ball in the hand that is out of the way.
class FreeBodies : public SolidsWorldTest {
 protected:
  static constexpr double kHalf = 0.01, kMass = 0.4;  // a cube of 2 cm
  static constexpr double kStep = 1e-3, kG = 9.81;

  static void SetUpTestSuite() {
    SolidsWorldTest::SetUpTestSuite();
    write_solid_box(folder_ / "cube.h5", Vector3::Constant(kHalf),
                    kMass / std::pow(2.0 * kHalf, 3.0));
    write_solid_ball(folder_ / "marble.h5", kHalf, 2500.0);
  }

  /// A ball in the hand, far above a plane z = 0.
  static Scene ground(const Vector3& gravity = {0.0, 0.0, -kG}) {
    Scene scene = ball_over("plane.h5");
    edit_solids(scene).contacts.clear();
    scene.bodies[0].model = AnalyticShape{ShapeKind::kPlane, {1.0, 0.0, 0.0}};
    scene.bodies[1].pose.position.z() = 2.0;
    scene.gravity = gravity;
    return scene;
  }
  static std::size_t add(Scene& scene, const char* model, const Vector3& position,
                         const Twist& velocity = {}) {
    const std::size_t index = scene.bodies.size();
    scene.bodies.push_back(
        {"free" + std::to_string(index), folder_ / model, BodyRole::kFree, {}, {}, velocity});
    scene.bodies.back().pose.position = position;
    return index;
  }
  static void touch(Scene& scene, std::size_t points, std::size_t field, double k,
                    double damping = 0.0, const FrictionSettings& friction = {}) {
    ContactSettings settings;
    settings.stiffness = k;
    settings.scaling = ContactScaling::kNone;
    settings.damping = damping;
    settings.friction = friction;
    edit_solids(scene).contacts.push_back({points, field, settings});
  }
  static const Vector3& position(const SolidsWorld& world, std::size_t body) {
    return world.poses()[body].position;
  }
  /// The message that refuses a scene; empty for a valid one.
  static std::string refusal(const Scene& scene) {
    try {
      SolidsWorld world(scene, nullptr);
    } catch (const InputError& error) {
      return error.what();
    }
    return {};
  }
};

}  // namespace haptic::solids
