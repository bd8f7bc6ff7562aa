// A body held at a point other than its origin.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "rt/bodies/held_body.h"
#include "shared/error.h"
#include "tests/rt/worlds/solids/solids_world_fixture.h"
#include "tests/support/no_allocation.h"

namespace haptic::solids {
namespace {

constexpr double kVoxel = 1.0 / 256.0;  // of the fields here [m]
// Where the hand holds the block: beside it and above it. Binary fractions, as are the points, so
// that the block with its frame there has the same floats but for an exact shift.
const Vector3 kAt{12 * kVoxel, 4 * kVoxel, -6 * kVoxel};

/// A block of 32 x 16 x 8 voxels, points on a lattice on its faces, with its middle at `middle`.
RigidShape block(const Vector3& middle) {
  const Vector3 half(16 * kVoxel, 8 * kVoxel, 4 * kVoxel);
  RigidShape shape;
  constexpr int kSide = 4;
  std::vector<Vector3> points, normals;
  for (int axis = 0; axis < 3; ++axis) {
    for (const double sign : {-1.0, 1.0}) {
      for (int i = 0; i <= kSide; ++i) {
        for (int j = 0; j <= kSide; ++j) {
          Vector3 p;
          p[axis] = sign;
          p[(axis + 1) % 3] = 2.0 * i / kSide - 1.0;
          p[(axis + 2) % 3] = 2.0 * j / kSide - 1.0;
          points.emplace_back(middle + 0.9375 * half.cwiseProduct(p) +
                              0.0625 * sign * half[axis] * Vector3::Unit(axis));
          normals.emplace_back(-sign * Vector3::Unit(axis));
        }
      }
    }
  }
  // In an order that covers all faces early, for the first level.
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::size_t at = 37 * i % points.size();  // 37 and 150 have no common factor
    shape.points.push_back(points[at]);
    shape.normals.push_back(normals[at]);
  }
  shape.coarse = 40;
  shape.distance = [half, middle](const Vector3& p) {
    const Vector3 beyond = (p - middle).cwiseAbs() - half;
    return beyond.cwiseMax(0.0).norm() + std::min(beyond.maxCoeff(), 0.0);
  };
  shape.half_width = 64 * kVoxel;
  shape.voxels = 128;
  shape.boundary_minimum = 16 * kVoxel;
  return shape;
}

/// A tip at `tip`, and points far above it that never touch.
RigidShape stylus(const Vector3& tip) {
  RigidShape shape;
  for (const Vector3& p : {Vector3(0, 0, 0), Vector3(0.01, 0, 0.06), Vector3(-0.01, 0, 0.06),
                           Vector3(0, 0.01, 0.06), Vector3(0, -0.01, 0.06)}) {
    shape.points.push_back(p + tip);
    shape.normals.emplace_back(Vector3::UnitZ());
  }
  return shape;
}

AnalyticShape plane_of(double size) {
  return {ShapeKind::kPlane, {size, 0.0, 0.0}};
}

class HeldBodyGraspTest : public SolidsWorldTest {
 protected:
  static void SetUpTestSuite() {
    SolidsWorldTest::SetUpTestSuite();
    write_rigid_shape(folder_ / "block.h5", block(Vector3::Zero()));
    write_rigid_shape(folder_ / "block_at_grasp.h5", block(-kAt));
    write_rigid_shape(folder_ / "stylus.h5", stylus(Vector3::Zero()));
  }

  static Scene scene(const BodySource& ground, const char* held, const Vector3& position) {
    Scene s;
    s.file = folder_ / "scene.toml";
    s.kind = &solids_world_kind();
    s.bodies.push_back({"ground", ground, BodyRole::kAnchored, {}});
    s.bodies.push_back({"tool", folder_ / held, BodyRole::kHeld, {}});
    s.bodies.back().pose.position = position;
    s.coupling.permitted_depth = 5e-3;
    edit_solids(s);
    return s;
  }

  /// Two scenes that differ in the frame of the held block alone: its middle with a grasp, or the
  /// grasp.
  struct Pair {
    Scene by_grasp, by_frame;
  };
  static Pair same_block(const BodySource& ground, bool block_has_field) {
    Pair pair{scene(ground, "block.h5", {0.0, 0.0, 5 * kVoxel}),
              scene(ground, "block_at_grasp.h5", Vector3::Zero())};
    for (Scene* s : {&pair.by_grasp, &pair.by_frame}) {
      s->coupling.max_speed = 2.0;
      SceneContact& contact = edit_solids(*s).contacts.emplace_back(
          block_has_field ? SceneContact{0, 1, {300.0}} : SceneContact{1, 0, {300.0}});
      contact.settings.scaling = ContactScaling::kNone;
      contact.settings.damping = 5.0;
      contact.settings.friction = {0.5, 0.3, {}};
    }
    SceneBody& held = pair.by_grasp.bodies[1];
    held.pose.orientation = rotation_exponential({0.02, -0.03, 0.4});
    pair.by_grasp.coupling.grasp = kAt;
    pair.by_frame.bodies[1].pose = {held.pose.to_world(kAt), held.pose.orientation};
    return pair;
  }

  /// Presses, drags and turns the block along a trajectory of 1.5 s.
  static DeviceState press(int cycle) {
    const double t = 1e-3 * cycle;
    DeviceState hand = hand_at(6e-3 * std::sin(4.0 * t), 5e-3 * std::sin(7.0 * t),
                               4e-3 * std::cos(9.0 * t) - 4e-3);
    hand.twist.linear = {24e-3 * std::cos(4.0 * t), 35e-3 * std::cos(7.0 * t),
                         -36e-3 * std::sin(9.0 * t)};
    hand.pose.orientation =
        rotation_exponential({0.1 * std::sin(3.0 * t), 0.08 * std::sin(5.0 * t), 0.2 * t});
    hand.buttons = cycle >= 600 && cycle < 700 ? 1u : 0u;
    return hand;
  }

  /// Largest difference of forces, torques and grasp positions over that trajectory.
  struct Difference {
    double force = 0.0, torque = 0.0, position = 0.0, contact = 0.0, energy = 0.0;
    double largest_torque = 0.0;
    double touching = 0.0, coarse = 0.0;  // cycles in contact, of these with the first level alone
  };
  static Difference compare(const Pair& pair) {
    SolidsWorld by_grasp(pair.by_grasp, nullptr), by_frame(pair.by_frame, nullptr);
    Difference d;
    for (int i = 0; i < 1500; ++i) {
      const WorldOutput a = hold(by_grasp, press(i), 1), b = hold(by_frame, press(i), 1);
      const auto raise = [](double& to, double value) { to = std::max(to, value); };
      raise(d.force, (a.device_wrench.force - b.device_wrench.force).norm());
      raise(d.torque, (a.device_wrench.torque - b.device_wrench.torque).norm());
      raise(d.position, (a.held_pose.to_world(kAt) - b.held_pose.position).norm());
      raise(d.position, (a.manipulandum_pose.to_world(kAt) - b.manipulandum_pose.position).norm());
      raise(d.contact, (a.contact_wrench.torque - b.contact_wrench.torque).norm());
      raise(d.energy, std::abs(a.stored_energy_J - b.stored_energy_J));
      raise(d.largest_torque, a.contact_wrench.torque.norm());
      const bool touches = state_value(by_grasp, "contact/points") > 0.0;
      d.touching += touches ? 1.0 : 0.0;
      d.coarse += touches && state_value(by_grasp, "contact/level") == 1.0 ? 1.0 : 0.0;
    }
    return d;
  }

  // The states differ by rounding, which the coupling does not accumulate: about 1e-16 m times
  // stiffnesses of up to 1e4 N/m, some 100 times it where the body follows a step without damping.
  // Measured: 2e-11 N, 3e-14 m; the tolerances leave a factor of 5.
  static Difference expect_same(const Pair& pair, const std::string& what) {
    const Difference d = compare(pair);
    EXPECT_GT(d.touching, 500.0) << what;
    EXPECT_GT(d.largest_torque, 0.01) << what;
    EXPECT_LE(d.force, 1e-10) << what;
    EXPECT_LE(d.torque, 1e-11) << what;
    EXPECT_LE(d.position, 2e-13) << what;
    EXPECT_LE(d.contact, 1e-10) << what;
    EXPECT_LE(d.energy, 1e-13) << what;
    return d;
  }
};

TEST_F(HeldBodyGraspTest, a_grasp_is_a_frame_there) {
  for (const bool field : {false, true}) {
    for (const bool implicit : {true, false}) {
      for (const CouplingMode mode : {CouplingMode::kStatic, CouplingMode::kDynamic}) {
        Pair pair = same_block(field ? BodySource(folder_ / "plane.h5") : plane_of(1.0), field);
        for (Scene* s : {&pair.by_grasp, &pair.by_frame}) {
          edit_solids(*s).dynamics.implicit_contact = implicit;
          s->coupling.mode = mode;
          s->coupling.clutch_button = 0;
          s->coupling.limit_cycle_guard = mode == CouplingMode::kStatic;
        }
        expect_same(pair, std::string(field ? "field" : "points") +
                              (implicit ? ", implicit" : ", explicit") +
                              (mode == CouplingMode::kStatic ? ", static" : ", dynamic"));
      }
    }
  }
}

TEST_F(HeldBodyGraspTest, a_scaled_saturated_coupling_holds_it_there_too) {
  Pair pair = same_block(plane_of(1.0), false);
  for (Scene* s : {&pair.by_grasp, &pair.by_frame}) {
    s->length_scale = 3.0;
    s->coupling.permitted_depth = 1e-3;  // 0.3 N: far beyond at most depths of the hand
    s->coupling.max_stiffness = 900.0;
    s->coupling.max_speed = 0.02;  // the body lags
    s->coupling.max_angular_speed = 0.2;
  }
  expect_same(pair, "saturated");
}

TEST_F(HeldBodyGraspTest, the_direct_gradient_counts_about_the_grasp) {
  for (const bool field : {false, true}) {
    Pair pair = same_block(field ? BodySource(folder_ / "plane.h5") : plane_of(1.0), field);
    for (Scene* s : {&pair.by_grasp, &pair.by_frame}) {
      edit_solids(*s).dynamics.implicit_contact = false;
      s->coupling.contact_gradient = ContactGradient::kDirect;
    }
    expect_same(pair, field ? "field" : "points");
  }
}

TEST_F(HeldBodyGraspTest, fewer_levels_of_a_budget_count_about_the_grasp) {
  bool changes = false;  // from all levels to the first and back
  for (const std::uint32_t nodes : {70u, 80u, 90u, 100u, 110u}) {
    Pair pair = same_block(plane_of(1.0), false);
    for (Scene* s : {&pair.by_grasp, &pair.by_frame}) {
      edit_solids(*s).contacts[0].settings.traversal.degradation.warm_nodes = nodes;
    }
    const Difference d = expect_same(pair, "budget");
    changes = changes || (d.coarse > 50.0 && d.touching - d.coarse > 50.0);
  }
  EXPECT_TRUE(changes);
}

// A hand far below the ground, and one that swings the block into it in one cycle by the lever arm
// of the grasp: the body stops on its way and slides.
TEST_F(HeldBodyGraspTest, continuous_detection_stops_a_body_that_swings_about_the_grasp) {
  constexpr double kSize = 0.256, kVoxelOfPlane = kSize / 128.0, kPermitted = 1e-3;
  for (const bool swings : {false, true}) {
    for (const bool continuous : {true, false}) {
      Scene s = scene(plane_of(kSize), "block.h5", {0.0, 0.0, 0.03});
      s.coupling.grasp = kAt;
      s.coupling.max_speed = 1e3;  // a metre in a cycle
      s.coupling.max_angular_speed = 3e3;
      s.coupling.permitted_depth = kPermitted;
      edit_solids(s).contacts.push_back({1, 0, {300.0}});
      edit_solids(s).contacts[0].continuous = continuous;
      edit_solids(s).dynamics.implicit_contact = false;
      SolidsWorld world(s, nullptr);
      hold(world, hand_at(0.0, 0.0, 0.0), 1);
      DeviceState hand = hand_at(0.0, 0.0, swings ? 0.0 : -0.1);
      // About the axis through the grasp along which it lies beside the block.
      if (swings) hand.pose.orientation = rotation_exponential({0.0, -1.2, 0.0});
      double lowest = 0.0;
      for (int i = 0; i < 200; ++i) {
        const WorldOutput output = hold(world, hand, 1);
        for (const Vector3& p : block(Vector3::Zero()).points) {
          lowest = std::min(lowest, output.held_pose.to_world(p).z());
        }
      }
      if (continuous) {
        EXPECT_GE(lowest, -kPermitted - 0.11 * kVoxelOfPlane);  // docs/contact.md
      } else {
        EXPECT_LT(lowest, -10.0 * kPermitted);
      }
    }
  }
}

TEST_F(HeldBodyGraspTest, the_body_begins_where_it_is_and_turns_about_the_grasp) {
  Scene s = scene(plane_of(1.0), "block.h5", {0.01, 0.02, 0.3});
  s.bodies[1].pose.orientation = rotation_exponential({0.5, 0.2, -0.3});
  s.coupling.grasp = {0.1, 0.0, 0.02};
  const Pose home = s.bodies[1].pose;
  for (const CouplingMode mode : {CouplingMode::kStatic, CouplingMode::kDynamic}) {
    s.coupling.mode = mode;
    SolidsWorld world(s, nullptr);
    WorldOutput output = hold(world, hand_at(0.0, 0.0, 0.0), 1);
    EXPECT_LE((output.held_pose.position - home.position).norm(), 1e-15);
    EXPECT_LE(output.device_wrench.force.norm(), 1e-12);
    const Vector3 grasp = home.to_world(s.coupling.grasp);
    double furthest = 0.0;
    for (int i = 0; i < 500; ++i) {
      DeviceState hand;
      hand.pose.orientation = rotation_exponential({0.0, 2e-3 * i, 1e-3 * i});
      hand.twist.angular = {0.0, 2.0, 1.0};
      output = hold(world, hand, 1);
      // 500 roundings of positions of 0.3 m.
      ASSERT_LE((output.held_pose.to_world(s.coupling.grasp) - grasp).norm(), 1e-13);
      ASSERT_LE(output.device_wrench.force.norm(), 1e-9);
      furthest = std::max(furthest, (output.held_pose.position - home.position).norm());
    }
    EXPECT_GT(furthest, 0.05);  // a chord of more than half a radian at 0.1 m
  }
}

TEST_F(HeldBodyGraspTest, a_hand_that_begins_turned_does_not_pull) {
  Scene s = scene(plane_of(1.0), "block.h5", {0.0, 0.0, 0.3});
  s.coupling.grasp = {0.1, 0.0, 0.02};
  SolidsWorld world(s, nullptr);
  DeviceState hand = hand_at(0.01, 0.02, 0.03);
  hand.pose.orientation = rotation_exponential({0.3, 0.2, 0.1});
  const WorldOutput first = hold(world, hand, 1);
  EXPECT_LE(first.device_wrench.force.norm(), 1e-12);
  EXPECT_LE((first.held_pose.to_world(s.coupling.grasp) -
             s.bodies[1].pose.to_world(s.coupling.grasp) - hand.pose.position)
                .norm(),
            1e-15);
  hold(world, hand_at(0.0, 0.0, 0.0), 200);
  world.reset();  // the next step places it again
  EXPECT_LE(hold(world, hand, 1).device_wrench.force.norm(), 1e-12);
}

TEST_F(HeldBodyGraspTest, only_a_force_off_the_grasp_has_a_torque) {
  for (const bool implicit : {true, false}) {
    Scene s = scene(plane_of(1.0), "stylus.h5", Vector3::Zero());
    s.coupling.permitted_depth = 0.05;
    edit_solids(s).dynamics.implicit_contact = implicit;
    edit_solids(s).contacts.push_back({1, 0, {500.0}});
    for (const Vector3& grasp :
         {Vector3(0.0, 0.0, 0.0), Vector3(0.1, 0.0, 0.0), Vector3(0.0, 0.0, 0.1)}) {
      s.coupling.grasp = grasp;
      SolidsWorld world(s, nullptr);
      hold(world, hand_at(0.0, 0.0, 2e-3), 1);
      const WorldOutput rest = hold(world, hand_at(0.0, 0.0, -2e-3), 3000);
      const Vector3 force = rest.device_wrench.force;
      EXPECT_GT(force.z(), 0.05);
      // At rest, the hand feels what the contact does to the body, about the grasp.
      const Vector3 arm = rest.held_pose.to_world(Vector3::Zero()) - rest.held_pose.to_world(grasp);
      EXPECT_LE((rest.device_wrench.torque - arm.cross(rest.contact_wrench.force)).norm(), 1e-9);
      EXPECT_LE((rest.contact_wrench.torque - rest.device_wrench.torque).norm(), 1e-9);
      // Beside the tip, where the lever arm is 100 mm; the body gives way by a turn.
      const double lever = grasp.x() > 0.0 ? 0.1 : 0.0;
      EXPECT_NEAR(rest.device_wrench.torque.norm(), lever * force.z(),
                  0.03 * lever * force.z() + 1e-9);
    }
  }
}

// What the servo renders at a rate of its own, from the poses and the twist of a step.
TEST_F(HeldBodyGraspTest, the_law_gives_the_servo_the_wrench_of_the_step) {
  for (const CouplingMode mode : {CouplingMode::kStatic, CouplingMode::kDynamic}) {
    Scene s = same_block(plane_of(1.0), false).by_grasp;
    s.coupling.mode = mode;
    SolidsWorld world(s, nullptr);
    for (int i = 0; i < 500; ++i) {
      const WorldOutput output = hold(world, press(i), 1);
      const HandCoupling law = world.hand_coupling();
      const Pose manipulandum = law.manipulandum(press(i).pose);
      ASSERT_LE((manipulandum.position - output.manipulandum_pose.position).norm(), 1e-15);
      const Wrench wrench = law.wrench(manipulandum, law.manipulandum(press(i).twist),
                                       output.held_pose, output.held_twist);
      ASSERT_LE((wrench.force - output.device_wrench.force).norm(), 1e-10);
      ASSERT_LE((wrench.torque - output.device_wrench.torque).norm(), 1e-10);
      ASSERT_NEAR(law.stored(manipulandum, output.held_pose), output.stored_energy_J, 1e-12);
    }
  }
}

TEST_F(HeldBodyGraspTest, a_pull_turns_the_body_about_the_grasp) {
  Pair pair = same_block(plane_of(1.0), false);
  WorldOutput output[2];
  for (int k = 0; k < 2; ++k) {
    Scene s = k == 0 ? pair.by_grasp : pair.by_frame;
    SolidsWorld world(s, nullptr);
    hold(world, hand_at(0.0, 0.0, 0.05), 1);
    Pull pull;
    pull.at_rest = Vector3(16 * kVoxel, 8 * kVoxel, 4 * kVoxel) - (k == 0 ? Vector3(0, 0, 0) : kAt);
    pull.target = {0.0, 0.02, 0.01};
    pull.is_relative = true;
    pull.stiffness = 200.0;
    pull.limit = 2.0;
    ASSERT_EQ(world.prepare_pull("tool", pull), "");
    ASSERT_TRUE(world.pull(pull));
    output[k] = hold(world, hand_at(0.0, 0.0, 0.05), 300);
  }
  EXPECT_GT(output[0].device_wrench.force.norm(), 0.5);
  EXPECT_LE((output[0].device_wrench.force - output[1].device_wrench.force).norm(), 1e-9);
  EXPECT_LE((output[0].device_wrench.torque - output[1].device_wrench.torque).norm(), 1e-10);
}

TEST_F(HeldBodyGraspTest, a_joint_turns_the_body_about_the_grasp) {
  Pair pair = same_block(plane_of(1.0), false);
  WorldOutput output[2];
  for (int k = 0; k < 2; ++k) {
    Scene s = k == 0 ? pair.by_grasp : pair.by_frame;
    SceneJoint joint{"ball", SceneJoint::kWorld, 1};
    joint.settings.type = JointType::kBall;
    joint.settings.point =
        pair.by_grasp.bodies[1].pose.to_world({16 * kVoxel, 8 * kVoxel, 4 * kVoxel});
    edit_solids(s).joints.push_back(joint);
    SolidsWorld world(s, nullptr);
    hold(world, hand_at(0.0, 0.0, 0.0), 1);
    DeviceState hand = hand_at(0.005, -0.004, 0.006);
    hand.pose.orientation = rotation_exponential({0.0, 0.1, 0.2});
    output[k] = hold(world, hand, 500);
    const Vector3 corner =
        Vector3(16 * kVoxel, 8 * kVoxel, 4 * kVoxel) - (k == 0 ? Vector3(0, 0, 0) : kAt);
    EXPECT_LE((output[k].held_pose.to_world(corner) - joint.settings.point).norm(), 1e-7);
  }
  EXPECT_GT(output[0].device_wrench.force.norm(), 0.5);
  EXPECT_LE((output[0].device_wrench.force - output[1].device_wrench.force).norm(), 1e-6);
  EXPECT_LE((output[0].device_wrench.torque - output[1].device_wrench.torque).norm(), 1e-7);
}

TEST_F(HeldBodyGraspTest, a_grasp_far_from_the_body_is_refused) {
  Scene s = scene(plane_of(1.0), "block.h5", {0.0, 0.0, 0.3});
  const double radius = Vector3(16 * kVoxel, 8 * kVoxel, 4 * kVoxel).norm();
  s.coupling.grasp = {0.0, 0.0, 19.9 * radius};
  EXPECT_NO_THROW(SolidsWorld(s, nullptr));
  s.coupling.grasp = {0.0, 47.0, 0.0};
  try {
    SolidsWorld(s, nullptr);
    ADD_FAILURE() << "47 m";
  } catch (const InputError& error) {
    EXPECT_THAT(
        error.what(),
        testing::AllOf(testing::HasSubstr("scene.toml"), testing::HasSubstr("coupling.grasp"),
                       testing::HasSubstr("found [0, 47, 0] m, 47 m from the middle of \"tool\""),
                       testing::HasSubstr("expected at most")));
  }
}

TEST_F(HeldBodyGraspTest, does_not_allocate) {
  for (const bool implicit : {true, false}) {
    Scene s = same_block(plane_of(1.0), false).by_grasp;
    edit_solids(s).dynamics.implicit_contact = implicit;
    edit_solids(s).contacts[0].continuous = true;
    SolidsWorld world(s, nullptr);
    WorldOutput output;
    const NoAllocation guard;
    for (int i = 0; i < 300; ++i) ASSERT_EQ(world.step(press(i), output), WorldStatus::kOk);
  }
}

}  // namespace
}  // namespace haptic::solids
