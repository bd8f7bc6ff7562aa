// Points in fields whose gradient turns within a step: in the fold of two faces, over a curved one.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/rt/worlds/solids/free_bodies_fixture.h"

namespace haptic::solids {
namespace {

constexpr double kSlope = 0.3;       // of the faces of the groove
constexpr double kHollow = 0.03;     // radius of the trough [m]
constexpr double kCoupling = 400.0;  // N/m

/// Blocks of 40 mm with a groove and with a trough along y, the bottoms of which are at z = 0.
class FoldedField : public FreeBodies {
 protected:
  static void SetUpTestSuite() {
    FreeBodies::SetUpTestSuite();
    const auto write = [](const char* name, auto top) {
      RigidShape shape;
      shape.half_width = 0.03;
      shape.boundary_minimum = 0.005;
      shape.distance = [top](const Vector3& p) {
        const Vector3 beyond = p.cwiseAbs() - Vector3::Constant(0.02);
        return std::max(top(p), beyond.maxCoeff());
      };
      write_rigid_shape(folder_ / name, shape);
    };
    write("groove.h5", [](const Vector3& p) {
      return (p.z() - kSlope * std::abs(p.x())) / std::hypot(1.0, kSlope);
    });
    write("trough.h5",
          [](const Vector3& p) { return kHollow - std::hypot(p.x(), p.z() - kHollow); });
    RigidShape tip;
    tip.points = {Vector3::Zero(), {0.0, 0.0, 0.02}};
    tip.normals = {Vector3::UnitZ(), -Vector3::UnitZ()};
    write_rigid_shape(folder_ / "tip.h5", tip);
  }

  /// A point in the hand over a block.
  static Scene over(const char* block, double rate, double stiffness) {
    Scene scene = ball_over(block);
    scene.rate_hz = rate;
    scene.bodies[1].model = folder_ / "tip.h5";
    scene.bodies[1].pose.position = {0.0, 0.0, 1e-3};
    scene.coupling.stiffness = kCoupling;
    edit_solids(scene).contacts.clear();
    touch(scene, 1, 0, stiffness);
    edit_solids(scene).contacts.back().normals = ContactNormals::kField;
    return scene;
  }
};

// Each face drives the point into the other one. With the normal of the step's start alone, the
// force went to and fro for ever by 10 to 20 %, and contact created 30 to 450 times the hand's
// work. What is left is what the link stores that holds the point in the fold: 5e-4 of it at most.
TEST_F(FoldedField, a_point_that_is_pressed_into_a_fold_comes_to_rest) {
  for (const double rate : {250.0, 1000.0, 4000.0}) {
    for (const double stiffness : {1e3, 1e4, 1e5}) {
      SolidsWorld world(over("groove.h5", rate, stiffness), nullptr);
      WorldOutput output;
      Vector3 still = Vector3::Zero();
      double moves = 0.0, work = 0.0, gone = 0.0;
      for (int i = 0; i < static_cast<int>(2.0 * rate); ++i) {
        const double to = 4e-3 * std::min(1.0, 2.0 * i / rate);
        DeviceState hand;
        hand.pose.position = {2e-4, 0.0, -to};
        ASSERT_EQ(world.step(hand, output), WorldStatus::kOk);
        work += output.device_wrench.force.z() * (to - gone);
        gone = to;
        if (i == static_cast<int>(1.5 * rate)) still = output.device_wrench.force;
        if (i > static_cast<int>(1.5 * rate)) {
          moves = std::max(moves, (output.device_wrench.force - still).norm());
        }
      }
      const auto what = fmt::format("{} Hz, {} N/m", rate, stiffness);
      EXPECT_GT(still.norm(), 0.5) << what;
      EXPECT_LE(moves, 1e-6 * still.norm()) << what;
      EXPECT_LE(state_value(world, "contact/created_energy"), 1e-3 * work) << what;
    }
  }
}

// A point that slides over a hollow face is deeper at the end of a step than the normal of its
// start says, by the square of its motion over twice the radius, or by more where it passes to the
// next voxel: that created 2 to 90 % of the contact's work. A step may leave 1e-5 of what it
// stores.
TEST_F(FoldedField, a_slide_over_a_hollow_face_creates_no_energy) {
  for (const double rate : {250.0, 1000.0, 4000.0}) {
    for (const double stiffness : {1e3, 1e5}) {
      SolidsWorld world(over("trough.h5", rate, stiffness), nullptr);
      WorldOutput output;
      for (int i = 0; i < static_cast<int>(2.0 * rate); ++i) {
        const double t = i / rate;
        DeviceState hand;
        hand.pose.position = {8e-3 * std::sin(8.0 * t), 0.0, -4e-3 * std::min(1.0, 4.0 * t)};
        ASSERT_EQ(world.step(hand, output), WorldStatus::kOk);
      }
      EXPECT_LE(state_value(world, "contact/created_energy"),
                1e-6 * state_value(world, "contact/work"))
          << rate << " Hz, " << stiffness << " N/m";
    }
  }
}

}  // namespace
}  // namespace haptic::solids
