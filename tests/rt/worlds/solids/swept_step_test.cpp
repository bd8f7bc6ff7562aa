#include "rt/worlds/solids/swept_step.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string_view>
#include <vector>

#include "lab/samples/state_value.h"
#include "rt/worlds/solids/contact_set.h"
#include "rt/worlds/solids/solids_settings.h"
#include "rt/worlds/solids/solids_world.h"
#include "tests/rt/worlds/analytic_models.h"
#include "tests/support/no_allocation.h"

namespace haptic::solids {
namespace {

constexpr double kBall = 0.008;       // radius [m]
constexpr double kHalfPlate = 0.002;  // half thickness [m]; 2.8 voxels of 1.4 mm
constexpr double kHalfBlock = 0.01;   // m

/// A thin plate across z and a body in the hand that jumps from one place to another within a
/// cycle.
class SweptStepTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = model_folder("swept");
    write_ball(folder_ / "ball.h5", kBall);
    write_box(folder_ / "plate.h5", {0.03, 0.03, kHalfPlate});
    write_levelled_ball(folder_ / "levels.h5", kBall, 4000, 400);
    write_sprung_plane(folder_ / "soft.h5", SprungPlane{});
    write_box(folder_ / "block.h5", {0.03, 0.03, kHalfBlock});
    write_plane(folder_ / "sheet.h5", 9, 1e-3);
    write_sprung_ball(folder_ / "soft_ball.h5", kBall, SprungPlane{});
  }
  static void TearDownTestSuite() { std::filesystem::remove_all(folder_); }

  /// @param points, field  models; `held` names the one in the hand, whose home is the origin
  static Scene scene(const char* points, const char* field, const char* held, bool continuous) {
    Scene s;
    s.file = folder_ / "scene.toml";
    for (const char* model : {points, field}) {
      s.bodies.push_back({model, folder_ / model,
                          std::string_view(model) == held ? BodyRole::kHeld : BodyRole::kAnchored,
                          Pose{}});
    }
    SceneContact& contact = edit_solids(s).contacts.emplace_back(SceneContact{0, 1, {200.0}});
    contact.continuous = continuous;
    s.coupling.max_speed = 1e3;  // a metre in a cycle
    s.coupling.max_angular_speed = 3e3;
    s.coupling.permitted_depth = 0.7e-3;  // half a voxel
    return s;
  }

  /// Without a test of the motion, and with explicit contact: the implicit step looks for points
  /// along the motion by itself.
  static Scene untested(Scene s) {
    edit_solids(s).contacts[0].continuous = false;
    edit_solids(s).dynamics.implicit_contact = false;
    return s;
  }

  static DeviceState hand_at(double x, double z, double turn = 0.0) {
    DeviceState hand;
    hand.pose.position = {x, 0.0, z};
    hand.pose.orientation = rotation_exponential({0.0, turn, 0.0});
    return hand;
  }

  static WorldOutput hold(World& world, const DeviceState& hand, int cycles) {
    WorldOutput output;
    for (int i = 0; i < cycles; ++i) EXPECT_EQ(world.step(hand, output), WorldStatus::kOk);
    return output;
  }

  inline static std::filesystem::path folder_;
};

TEST_F(SweptStepTest, a_hand_that_jumps_through_a_plate_leaves_its_body_on_its_side) {
  for (const char* held : {"ball.h5", "plate.h5"}) {
    for (const double side : {1.0, -1.0}) {
      for (const bool continuous : {true, false}) {
        const Scene tested = scene("ball.h5", "plate.h5", held, true);
        SolidsWorld world(continuous ? tested : untested(tested), nullptr);
        hold(world, hand_at(0.0, side * 0.02), 1);
        const WorldOutput output = hold(world, hand_at(0.0, side * -0.03, 0.4), 300);
        // Along the plate's normal, which turns with it.
        const bool turned = std::string_view(held) == "plate.h5";
        const Vector3 normal = turned ? Vector3(output.held_pose.orientation * Vector3::UnitZ())
                                      : Vector3(Vector3::UnitZ());
        const double gap = side * normal.dot(output.held_pose.position) - kBall - kHalfPlate;
        if (continuous) {
          EXPECT_GT(gap, -0.9e-3) << held;
          EXPECT_LT(gap, 0.5e-3) << held;
          // The hand is pushed back to the side it came from.
          EXPECT_GT(side * output.device_wrench.force.z(), 5.0);
        } else {
          EXPECT_LT(gap, -0.02) << held;  // it is through
        }
      }
    }
  }
}

/// A SweptStep without a world: the test sets the pose and deformation of every body itself.
struct SweptBodies {
  explicit SweptBodies(const Scene& of)
      : scene(of),
        models(load(of)),
        contacts(scene, models),
        step(scene, models),
        motion(models.size()) {}
  static std::vector<std::unique_ptr<BodyModel>> load(const Scene& scene) {
    std::vector<std::unique_ptr<BodyModel>> models;
    for (const auto& body : scene.bodies) models.push_back(std::make_unique<BodyModel>(body.model));
    return models;
  }
  void touch() {
    step.set_margins(contacts);
    contacts.touch(motion);
    step.begin(contacts);
  }
  Scene scene;
  std::vector<std::unique_ptr<BodyModel>> models;
  ContactSet contacts;
  SweptStep step;
  std::vector<BodyMotion> motion;
};

TEST_F(SweptStepTest, every_pair_stops_the_held_body_at_its_points) {
  // One ball is in the way of the plate, the other far away; both orders.
  for (const std::size_t in_the_way : {0u, 1u}) {
    Scene s;
    s.file = folder_ / "scene.toml";
    for (const char* model : {"ball.h5", "ball.h5", "plate.h5"}) {
      s.bodies.push_back({model, folder_ / model, BodyRole::kAnchored, Pose{}});
    }
    s.bodies[2].role = BodyRole::kHeld;
    for (const std::size_t ball : {0u, 1u}) {
      SceneContact& contact = edit_solids(s).contacts.emplace_back(SceneContact{ball, 2, {200.0}});
      contact.continuous = true;
    }
    s.coupling.permitted_depth = 0.02e-3;
    SweptBodies bodies(s);
    bodies.motion[1 - in_the_way].pose.position.x() = 0.5;
    const double touching = kBall + kHalfPlate;
    bodies.motion[2].pose.position.z() = touching + 0.3e-3;
    Pose up, down;
    up.position.z() = touching + 1.5e-3;
    down.position.z() = touching - 1.7e-3;
    // The first motion is long, so that the points near the plate are listed for the second.
    bodies.touch();
    EXPECT_EQ(bodies.step.held(bodies.motion, up).position.z(), up.position.z());
    bodies.touch();
    const double stopped = bodies.step.held(bodies.motion, down).position.z();
    // At most the permitted 0.02 mm and one step of the search (0.18 mm) below the ball's highest
    // point, which is 0.04 mm below its top.
    EXPECT_LT(stopped, touching);
    EXPECT_GT(stopped, touching - 0.4e-3);
  }
}

TEST_F(SweptStepTest, without_a_permitted_depth_it_is_one_voxel) {
  Scene s = scene("ball.h5", "block.h5", "ball.h5", true);
  s.coupling.permitted_depth.reset();
  SweptBodies bodies(s);
  const double edge = bodies.models[1]->field->edge(), touching = kBall + kHalfBlock;
  bodies.motion[0].pose.position.z() = touching + 1e-3;
  bodies.touch();
  Pose in;
  in.position.z() = touching - 8e-3;
  const double depth = touching - bodies.step.held(bodies.motion, in).position.z();
  // The tolerance is one step of the search and its slack.
  EXPECT_GT(depth, 0.75 * edge);
  EXPECT_LT(depth, 1.3 * edge);
}

TEST_F(SweptStepTest, a_held_field_that_is_stopped_off_its_middle_turns_out_of_the_way) {
  // The ball is under the right part of the plate: the rest of the downward step turns the plate
  // about the point of contact.
  SweptBodies bodies(scene("ball.h5", "plate.h5", "plate.h5", true));
  bodies.motion[0].pose.position.x() = 0.02;
  bodies.motion[1].pose.position.z() = kBall + kHalfPlate + 1e-3;
  bodies.touch();
  Pose down;
  down.position.z() = -0.03;
  const Pose reached = bodies.step.held(bodies.motion, down);
  EXPECT_LT(rotation_logarithm(reached.orientation).y(), -0.1);
  EXPECT_LT(reached.position.z(), kBall);
}

TEST_F(SweptStepTest, a_field_that_deforms_stops_at_points_that_are_held) {
  SweptBodies bodies(scene("sheet.h5", "soft_ball.h5", "sheet.h5", true));
  const std::vector<double> rest(3, 0.0), q = {0.0, 0.0, -0.01};  // U = 2 I: 20 mm down
  bodies.motion[1].q = rest;
  bodies.motion[1].qdot = rest;
  bodies.motion[1].pose.position.z() = kBall + 1e-3;
  bodies.touch();
  // 1 mm of clearance and 0.7 mm of permitted depth, of 20 mm; a step of the search is below 0.4
  // mm.
  EXPECT_NEAR(bodies.step.deformation(bodies.motion, 1, q), 1.7 / 20.0, 0.02);
  EXPECT_EQ(bodies.step.deformation(bodies.motion, 1, rest), 1.0);
}

TEST_F(SweptStepTest, on_a_budget_the_levels_that_are_rendered_are_those_that_are_stopped) {
  // Without a clock a node counts for 0.1 us: 400 nodes in 70 % of 80 us, 4400 in no such time.
  for (const double budget_us : {80.0, 1e4}) {
    Scene timed = scene("levels.h5", "plate.h5", "levels.h5", true);
    edit_solids(timed).contacts[0].budget_us = budget_us;
    SolidsWorld world(timed, nullptr);
    hold(world, hand_at(0.0, 0.02), 1);
    WorldOutput output;
    double coarsest = 9.0, most = 0.0;
    double longest = 0.0;  // way of a cycle
    for (int i = 0; i < 300; ++i) {
      // Three centimetres back and forth per cycle, with the plate between.
      const Vector3 before = output.held_pose.position;
      output = hold(world, hand_at(1e-5 * i, i % 3 == 0 ? 0.02 : -0.03), 1);
      if (i > 0) longest = std::max(longest, (output.held_pose.position - before).norm());
      if (state_value(world, "contact/points") > 0.0) {
        coarsest = std::min(coarsest, state_value(world, "contact/level"));
      }
      most = std::max(most, state_value(world, "contact/visited_nodes"));
      ASSERT_GT(output.held_pose.position.z(), kBall + kHalfPlate - 0.9e-3) << i;
    }
    EXPECT_EQ(coarsest, budget_us < 1e3 ? 1.0 : 2.0);
    if (budget_us < 1e3) {
      EXPECT_LE(most, 560.0);
    }
    EXPECT_GT(longest, 5e-3);
  }
}

TEST_F(SweptStepTest, a_stopped_step_goes_on_along_the_plate) {
  SolidsWorld world(scene("ball.h5", "plate.h5", "ball.h5", true), nullptr);
  hold(world, hand_at(0.0, 0.02), 1);
  WorldOutput output;
  for (int i = 0; i <= 200; ++i) {
    // Well below the plate, and along it.
    output = hold(world, hand_at(1e-4 * i, -0.02), 1);
  }
  output = hold(world, hand_at(0.02, -0.02), 100);
  EXPECT_NEAR(output.held_pose.position.x(), 0.02, 1.5e-3);
  EXPECT_GT(output.held_pose.position.z(), kBall + kHalfPlate - 0.9e-3);
}

TEST_F(SweptStepTest, where_nothing_passes_it_changes_no_bit) {
  SolidsWorld with(scene("ball.h5", "plate.h5", "ball.h5", true), nullptr);
  SolidsWorld without(scene("ball.h5", "plate.h5", "ball.h5", false), nullptr);
  WorldOutput a, b;
  for (int i = 0; i < 400; ++i) {
    // Slowly on, along and off; shallower than permitted.
    const double t = 1e-3 * i;
    const DeviceState hand =
        hand_at(0.01 * std::sin(9.0 * t), kBall + kHalfPlate + 1e-3 * std::cos(20.0 * t), 0.3 * t);
    ASSERT_EQ(with.step(hand, a), WorldStatus::kOk);
    ASSERT_EQ(without.step(hand, b), WorldStatus::kOk);
    ASSERT_EQ(a.held_pose.position, b.held_pose.position) << i;
    ASSERT_EQ(a.held_pose.orientation.coeffs(), b.held_pose.orientation.coeffs()) << i;
  }
}

TEST_F(SweptStepTest, a_soft_body_is_not_jumped_through) {
  // Points on springs under a plate in the hand: by how far the plate's middle is below the points.
  for (const bool continuous : {true, false}) {
    const Scene tested = scene("soft.h5", "plate.h5", "plate.h5", true);
    SolidsWorld world(continuous ? tested : untested(tested), nullptr);
    hold(world, hand_at(0.0, 0.01), 1);
    WorldOutput output;
    double lowest = 1.0;
    for (int i = 0; i < 500; ++i) {
      output = hold(world, hand_at(0.0, -0.02), 1);
      const double surface = 2.0 * world.coordinates()[2];  // U_s = 2 I
      lowest = std::min(lowest, output.held_pose.position.z() - surface);
    }
    if (continuous) {
      EXPECT_GT(lowest, kHalfPlate - 0.9e-3);
    } else {
      EXPECT_LT(lowest, 0.0);
    }
  }
}

TEST_F(SweptStepTest, a_body_that_is_stopped_keeps_the_part_of_its_step) {
  const BodyModel model(folder_ / "soft.h5");
  DeformableBody body(model, {}, 1e-3);
  const std::vector<double> force = {0.0, 0.0, 50.0}, before(3, 0.0);
  ASSERT_EQ(body.step(force), StepResult::kOk);
  const std::vector<double> q(body.q().begin(), body.q().end());
  const std::vector<double> qdot(body.qdot().begin(), body.qdot().end());
  ASSERT_GT(q[2], 0.0);
  NoAllocation guard;
  EXPECT_EQ(body.stop_at(0.25, before), StepResult::kOk);
  EXPECT_DOUBLE_EQ(body.q()[2], 0.25 * q[2]);
  EXPECT_DOUBLE_EQ(body.qdot()[2], 0.25 * qdot[2]);
}

TEST_F(SweptStepTest, step_does_not_allocate) {
  SolidsWorld world(scene("ball.h5", "plate.h5", "ball.h5", true), nullptr);
  hold(world, hand_at(0.0, 0.02), 1);
  WorldOutput output;
  NoAllocation guard;
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(world.step(hand_at(1e-3 * i, i % 2 == 0 ? -0.02 : 0.02), output), WorldStatus::kOk);
  }
}

}  // namespace
}  // namespace haptic::solids
