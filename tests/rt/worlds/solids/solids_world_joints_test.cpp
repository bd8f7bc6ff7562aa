// Jointed bodies in a world: pendulums, chains, closed loops, slides, servos, the hand.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "shared/error.h"
#include "tests/rt/worlds/solids/solids_world_fixture.h"
#include "tests/support/no_allocation.h"

namespace haptic {
namespace {

class JointedBodies : public SolidsWorldTest {
 protected:
  static constexpr double kHalf = 0.01, kMass = 0.4;  // a cube of 2 cm
  static constexpr double kStep = 1e-3, kG = 9.81, kPi = 3.141592653589793;
  /// Of the cube, about its centre.
  static constexpr double kInertia = kMass * (2.0 * kHalf) * (2.0 * kHalf) / 6.0;

  static void SetUpTestSuite() {
    SolidsWorldTest::SetUpTestSuite();
    const double density = kMass / std::pow(2.0 * kHalf, 3.0);
    write_solid_box(folder_ / "cube.h5", Vector3::Constant(kHalf), density);
    write_solid_box(folder_ / "heavy.h5", Vector3::Constant(kHalf), 7.0 * density);
    write_solid_box(folder_ / "slab.h5", {1.5 * kHalf, kHalf, 0.5 * kHalf}, density);
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
  static constexpr std::size_t kWorld = SceneJoint::kWorld;
  /// @returns the settings, valid until the next joint
  static JointSettings& join(Scene& scene, JointType type, std::size_t first, std::size_t second,
                             const Vector3& point, const Vector3& axis = Vector3::UnitY()) {
    auto& joints = edit_solids(scene).joints;
    joints.push_back({"joint" + std::to_string(joints.size()), first, second, {type, point, axis}});
    return joints.back().settings;
  }
  static void touch(Scene& scene, std::size_t points, std::size_t field, double k,
                    double friction = 0.0) {
    ContactSettings settings;
    settings.stiffness = k;
    settings.scaling = ContactScaling::kNone;
    settings.damping = 10.0;
    settings.friction = {friction, friction, {}};
    edit_solids(scene).contacts.push_back({points, field, settings});
  }
  static const Vector3& position(const SolidsWorld& world, std::size_t body) {
    return world.poses()[body].position;
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

TEST_F(JointedBodies, M11_a_pair_of_unequal_masses_keeps_its_momenta) {
  Scene scene = ground(Vector3::Zero());
  const std::size_t a = add(scene, "cube.h5", {-0.02, 0.0, 0.5}, {{0.1, 0.2, 0.0}, {2, 3, 1}});
  const std::size_t b = add(scene, "heavy.h5", {0.02, 0.01, 0.5}, {{0.1, 0.0, -0.1}, {1, -5, 2}});
  join(scene, JointType::kBall, a, b, {0.0, 0.0, 0.5});
  SolidsWorld world(scene, nullptr);
  hold(world, {}, 1);  // closes the velocities, which the scene does not match
  const Sums start = sums(world);
  double least = 1e9, most = 0.0;
  for (int i = 0; i < 10000; ++i) {
    hold(world, {}, 1);
    const double kinetic = sums(world).kinetic;
    least = std::min(least, kinetic);
    most = std::max(most, kinetic);
  }
  const Sums end = sums(world);
  EXPECT_LE((end.momentum - start.momentum).norm(), 1e-10 * start.momentum.norm());
  // Joint forces act at the joint, which is open by 1e-9 of a body at most.
  EXPECT_LE((end.angular - start.angular).norm(), 1e-9 * start.angular.norm());
  // The pair turns by up to 5e-3 in a step, and (h w)^2 is 2.5e-5.
  EXPECT_LE(most - least, 5e-5 * start.kinetic);
}

TEST_F(JointedBodies, a_pendulum_swings_with_its_period_and_gains_no_energy) {
  Scene scene = ground();
  const double arm = 0.05, amplitude = 0.01;
  const Vector3 pivot(0.0, 0.0, 1.0);
  const std::size_t bob =
      add(scene, "cube.h5", pivot + arm * Vector3(std::sin(amplitude), 0, -std::cos(amplitude)));
  join(scene, JointType::kHinge, bob, kWorld, pivot);
  SolidsWorld world(scene, nullptr);
  const double period = 2.0 * kPi * std::sqrt((kInertia + kMass * arm * arm) / (kMass * kG * arm));
  // Times at which it passes the middle, interpolated.
  double last = position(world, bob).x(), first_pass = 0.0, pass = 0.0, largest = 0.0;
  int passes = 0;
  for (int i = 1; i <= 20000; ++i) {
    hold(world, {}, 1);
    const double x = position(world, bob).x();
    if (last < 0.0 && x >= 0.0) {
      pass = (i - x / (x - last)) * kStep;
      if (passes++ == 0) first_pass = pass;
    }
    if (i > 10000) largest = std::max(largest, std::abs(x));
    last = x;
  }
  // The period is longer by amplitude^2 / 16, and shorter by (w h)^2 / 24.
  EXPECT_NEAR((pass - first_pass) / (passes - 1), period, 2e-5 * period);
  EXPECT_NEAR(largest, arm * std::sin(amplitude), 1e-3 * arm * amplitude);
}

TEST_F(JointedBodies, a_tumbling_pendulum_gains_no_energy) {
  for (const bool hinge : {false, true}) {
    Scene scene = ground();
    const Vector3 pivot(0.0, 0.0, 1.0);
    const std::size_t bob =
        add(scene, "slab.h5", pivot + Vector3(0.03, 0.02, 0.0), {{0.0, 0.0, 0.0}, {1.0, 8.0, 4.0}});
    join(scene, hinge ? JointType::kHinge : JointType::kBall, bob, kWorld, pivot,
         Vector3(0.2, 1.0, 0.3).normalized());
    SolidsWorld world(scene, nullptr);
    hold(world, {}, 1);
    const FreeBody& body = *world.free_bodies()[0];
    // The velocity is that in the middle of a step, so the height is, too.
    Vector3 before = body.centre();
    const auto energy = [&] {
      const double height = 0.5 * (body.centre() + before).z();
      before = body.centre();
      return sums(world).kinetic + body.mass().mass * kG * height;
    };
    hold(world, {}, 1);
    const double start = energy();
    double highest = start, late = -1e9;
    for (int i = 0; i < 60000; ++i) {
      hold(world, {}, 1);
      const double now = energy();
      highest = std::max(highest, now);
      if (i >= 50000) late = std::max(late, now);
    }
    const double swing = body.mass().mass * kG * 0.036;
    // (h w)^2 is 4e-4 at the most; the ball joint's energy wanders within that, the hinge's hardly.
    EXPECT_LE(highest - start, 4e-4 * swing) << hinge;
    EXPECT_GE(late - start, -4e-4 * swing) << hinge;
  }
}

TEST_F(JointedBodies, M12_redundant_joints_move_as_one) {
  std::vector<Vector3> ends;
  for (const int copies : {1, 2, 5}) {
    Scene scene = ground();
    const Vector3 pivot(0.0, 0.0, 1.0);
    const std::size_t a = add(scene, "cube.h5", pivot + Vector3(0.03, 0.0, 0.0));
    const std::size_t b = add(scene, "slab.h5", pivot + Vector3(0.07, 0.0, 0.0));
    for (int i = 0; i < copies; ++i) {
      join(scene, JointType::kHinge, a, kWorld, pivot + 0.02 * i * Vector3::UnitY());
      join(scene, JointType::kHinge, b, a, pivot + Vector3(0.05, 0.01 * i, 0.0));
    }
    SolidsWorld world(scene, nullptr);
    hold(world, {}, 400);
    ends.push_back(position(world, b));
  }
  // A double pendulum amplifies what the joints leave open, 1e-11 m, in 0.4 s by less than 100.
  EXPECT_LE((ends[1] - ends[0]).norm(), 1e-8);
  EXPECT_LE((ends[2] - ends[0]).norm(), 1e-8);
}

TEST_F(JointedBodies, M32_a_chain_of_boxes_swings_and_falls_to_the_ground_with_closed_hinges) {
  for (const bool falls : {false, true}) {
    Scene scene = ground();
    std::vector<std::size_t> boxes;
    for (int i = 0; i < 3; ++i) {
      boxes.push_back(add(scene, "cube.h5", {0.024 * i, 0.001 * i, 0.1},
                          {{0.0, 0.0, 0.0}, falls ? Vector3(0, 0, 0) : Vector3(0, 3.0, 0)}));
      if (i > 0) {
        join(scene, JointType::kHinge, boxes[boxes.size() - 2], boxes.back(),
             {0.024 * i - 0.012, 0.0, 0.1});
      }
      if (falls) touch(scene, boxes.back(), 0, 1e5, 0.5);
    }
    if (!falls) join(scene, JointType::kHinge, boxes[0], kWorld, {-0.012, 0.0, 0.1});
    scene.bodies[boxes[0]].pose.orientation = rotation_exponential({0.0, 0.2, 0.0});
    SolidsWorld world(scene, nullptr);
    double gap = 0.0, angle = 0.0, pressed = 0.0;
    for (int i = 0; i < 4000; ++i) {
      hold(world, {}, 1);
      pressed = std::max(pressed, state_value(world, "contact/points"));
      for (const SceneJoint& joint : solids_settings(scene).joints) {
        const auto [apart, askew] = error(scene, world, joint);
        gap = std::max(gap, apart);
        angle = std::max(angle, askew);
      }
    }
    EXPECT_EQ(pressed > 0.0, falls);
    // Each of the three rows may be open by 1e-9 of the bounding radius, 0.87 box lengths, and each
    // of the two by 1e-9 rad. The published figure is 1e-7 box lengths.
    EXPECT_LE(gap, 1.6e-9 * (2.0 * kHalf)) << falls;
    EXPECT_LE(angle, 1.5e-9) << falls;
  }
}

TEST_F(JointedBodies, M34_a_four_bar_loop_of_hinges_stays_closed) {
  Scene scene = ground();
  // A parallelogram that hangs from two pivots; three of the five equations of each hinge say the
  // same as the others.
  const Vector3 a(0.0, 0.0, 1.0), d(0.06, 0.0, 1.0);
  const Vector3 down = 0.04 * Vector3(std::sin(1.0), 0.0, -std::cos(1.0));
  const std::size_t crank = add(scene, "slab.h5", a + 0.5 * down);
  const std::size_t rocker = add(scene, "slab.h5", d + 0.5 * down);
  const std::size_t coupler = add(scene, "cube.h5", 0.5 * (a + d) + down);
  join(scene, JointType::kHinge, crank, kWorld, a);
  join(scene, JointType::kHinge, coupler, crank, a + down);
  join(scene, JointType::kHinge, rocker, coupler, d + down);
  join(scene, JointType::kHinge, rocker, kWorld, d);
  SolidsWorld world(scene, nullptr);
  double gap = 0.0, lowest = 1e9, highest = 0.0, turn = 0.0;
  for (int i = 0; i < 10000; ++i) {
    hold(world, {}, 1);
    for (const SceneJoint& joint : solids_settings(scene).joints) {
      gap = std::max(gap, std::get<0>(error(scene, world, joint)));
    }
    lowest = std::min(lowest, position(world, coupler).z());
    highest = std::max(highest, i > 5000 ? position(world, coupler).z() : 0.0);
    turn = std::max(turn, rotation_logarithm(world.poses()[coupler].orientation).norm());
  }
  EXPECT_LE(gap, 1e-8 * 2.0 * kHalf);
  EXPECT_LE(turn, 1e-7);  // a parallelogram: the coupler does not turn
  EXPECT_NEAR(lowest, 1.0 - 0.04, 1e-5);
  EXPECT_NEAR(highest, 1.0 - 0.04 * std::cos(1.0), 1e-4);
}

TEST_F(JointedBodies, M35_a_slide_moves_along_its_axis_only_and_falls_along_it_freely) {
  for (const bool published : {false, true}) {
    Scene scene = ground();
    const Vector3 axis = Vector3(1.0, 2.0, -2.0) / 3.0, start(0.0, 0.0, 1.0);
    const std::size_t body = add(scene, "slab.h5", start);
    scene.bodies[body].pose.orientation = rotation_exponential({0.3, -0.4, 0.5});
    join(scene, JointType::kPrismatic, kWorld, body, start + Vector3(0.02, 0.0, 0.01), axis)
        .published_form = published;
    SolidsWorld world(scene, nullptr);
    hold(world, {}, 500);
    const Vector3 moved = position(world, body) - start;
    const double a = kG * 2.0 / 3.0;
    EXPECT_NEAR(moved.dot(axis), 0.5 * a * 500.0 * 501.0 * kStep * kStep, 1e-9);
    // 1e-9 of the body, which is 2 cm.
    EXPECT_LE((moved - moved.dot(axis) * axis).norm(), 1e-10);
    EXPECT_LE(rotation_logarithm(world.poses()[body].orientation *
                                 scene.bodies[body].pose.orientation.conjugate())
                  .norm(),
              1e-9);
  }
}

TEST_F(JointedBodies, M35_a_slide_turns_with_the_body_that_carries_it) {
  for (const bool published : {false, true}) {
    Scene scene = ground(Vector3::Zero());
    const std::size_t a = add(scene, "heavy.h5", {0.0, 0.0, 1.0}, {{0, 0, 0}, {1.0, 4.0, 2.0}});
    const std::size_t b = add(scene, "cube.h5", {0.03, 0.0, 1.0});
    join(scene, JointType::kPrismatic, a, b, {0.02, 0.0, 1.0}, Vector3::UnitX()).published_form =
        published;
    SolidsWorld world(scene, nullptr);
    hold(world, {}, 1);
    const Sums start = sums(world);
    hold(world, {}, 300);
    const Pose &pose = world.poses()[a], other = world.poses()[b];
    const Vector3 offset = pose.to_material(other.position);
    EXPECT_GT(offset.x(), 0.033);  // it is thrown out
    EXPECT_LE(offset.tail<2>().norm(), 1e-9);
    EXPECT_LE(rotation_logarithm(other.orientation * pose.orientation.conjugate()).norm(), 1e-8);
    EXPECT_LE((sums(world).momentum - start.momentum).norm(), 1e-12);
    EXPECT_LE((sums(world).angular - start.angular).norm(), 1e-8 * start.angular.norm());
  }
}

TEST_F(JointedBodies, an_orientation_is_held_and_driven) {
  Scene scene = ground();
  const std::size_t body = add(scene, "slab.h5", {0.0, 0.0, 1.0}, {{0, 0, 0}, {1.0, 2.0, 3.0}});
  const Vector3 axis = Vector3(1.0, 1.0, 0.0).normalized();
  JointSettings& settings = join(scene, JointType::kOrientation, kWorld, body, {}, axis);
  settings.minimum = -1.0;
  settings.maximum = 2.0;
  SolidsWorld world(scene, nullptr);
  hold(world, {}, 100);
  EXPECT_LE(rotation_logarithm(world.poses()[body].orientation).norm(), 1e-9);
  const std::size_t target = parameter(world, "joint0.target");
  ASSERT_LT(target, world.parameters().size());
  EXPECT_TRUE(world.set_parameter(target, 1.5));
  hold(world, {}, 500);
  EXPECT_NEAR(world.parameter(target), 1.5, 1e-12);
  EXPECT_LE((rotation_logarithm(world.poses()[body].orientation) - 1.5 * axis).norm(), 1e-9);
  EXPECT_FALSE(world.set_parameter(target, 2.5));
  // Its centre falls freely.
  EXPECT_NEAR(position(world, body).z(), 1.0 - 0.5 * kG * 600.0 * 601.0 * kStep * kStep, 1e-9);
}

TEST_F(JointedBodies, M36_a_servo_of_any_stiffness_reaches_its_target_and_stays_within_its_limits) {
  for (const double stiffness : {2.0, 1e3, 1e8}) {
    Scene scene = ground();
    const Vector3 pivot(0.0, 0.0, 1.0);
    const std::size_t arm = add(scene, "cube.h5", pivot + Vector3(0.05, 0.0, 0.0));
    JointSettings& hinge = join(scene, JointType::kHinge, kWorld, arm, pivot);
    hinge.servo = ServoSettings{stiffness, 0.1, 1e9};
    hinge.minimum = -1.0;
    hinge.maximum = 1.0;
    SolidsWorld world(scene, nullptr);
    const std::size_t target = parameter(world, "joint0.target");
    ASSERT_LT(target, world.parameters().size());
    EXPECT_TRUE(world.set_parameter(target, -0.8));
    EXPECT_FALSE(world.set_parameter(target, -1.2));
    hold(world, {}, 3000);
    const double angle = rotation_logarithm(world.poses()[arm].orientation).y();
    // The weight turns it on by a torque of at most 0.2 N m.
    EXPECT_NEAR(angle, -0.8, 0.008 + 0.2 / stiffness) << stiffness;
    const double rest = angle;
    hold(world, {}, 100);
    EXPECT_NEAR(rotation_logarithm(world.poses()[arm].orientation).y(), rest, 1e-9);
    EXPECT_TRUE(world.set_parameter(target, 1.0));
    hold(world, {}, 3000);
    EXPECT_NEAR(rotation_logarithm(world.poses()[arm].orientation).y(), 1.0,
                0.01 + 0.2 / stiffness);
  }
}

TEST_F(JointedBodies, M36_a_servo_lifts_what_its_force_limit_carries) {
  for (const double share : {0.9, 1.1}) {
    Scene scene = ground();
    const std::size_t load = add(scene, "cube.h5", {0.0, 0.0, 1.0});
    JointSettings& slide =
        join(scene, JointType::kPrismatic, kWorld, load, {0.0, 0.0, 1.0}, Vector3::UnitZ());
    slide.servo = ServoSettings{1e5, 2e3, share * kMass * kG};
    slide.target = 0.02;
    SolidsWorld world(scene, nullptr);
    hold(world, {}, share < 1.0 ? 300 : 1000);
    const double moved = position(world, load).z() - 1.0;
    if (share < 1.0) {
      // It falls with what the servo does not carry.
      EXPECT_NEAR(moved, -0.1 * kG * 0.5 * 300.0 * 301.0 * kStep * kStep, 1e-9);
    } else {
      EXPECT_NEAR(moved, 0.02, 0.01 * 0.02);
    }
  }
}

TEST_F(JointedBodies, a_servo_counts_turns) {
  Scene scene = ground(Vector3::Zero());
  const std::size_t wheel = add(scene, "slab.h5", {0.0, 0.0, 1.0});
  JointSettings& hinge = join(scene, JointType::kHinge, kWorld, wheel, {0.0, 0.0, 1.0});
  hinge.servo = ServoSettings{1.0, 0.01, 1e9};
  hinge.target = 0.0;
  Scene turning = scene;
  edit_solids(turning).dynamics.material_ramp_s = 2.0;
  SolidsWorld world(turning, nullptr);
  EXPECT_TRUE(world.set_parameter(parameter(world, "joint0.target"), 20.0));
  hold(world, {}, 5000);
  EXPECT_NEAR(world.implicit_step()->joints().coordinate(0), 20.0, 1e-3);
  world.reset();
  hold(world, {}, 1);
  EXPECT_EQ(world.parameter(parameter(world, "joint0.target")), 20.0);
}

TEST_F(JointedBodies, the_hand_carries_one_and_feels_its_weight) {
  Scene scene = ground();
  scene.bodies[1].pose.position.z() = 0.5;
  const std::size_t cube = add(scene, "cube.h5", {0.0, 0.0, 0.46});
  join(scene, JointType::kBall, 1, cube, {0.0, 0.0, 0.48});
  SolidsWorld world(scene, nullptr);
  WorldOutput output;
  for (int i = 0; i < 3000; ++i) {
    output = hold(world, hand_at(1e-5 * std::min(i, 1000), 0.0, 0.0), 1);
    const Vector3 held = world.poses()[1].to_world({0.0, 0.0, -0.02});
    EXPECT_LE((world.poses()[cube].to_world({0.0, 0.0, 0.02}) - held).norm(), 1e-10) << i;
  }
  // It swings about the hand; the mean of its last swings of 0.4 s is its weight.
  double felt = 0.0, pulled = 0.0;
  for (int i = 0; i < 4000; ++i) {
    output = hold(world, hand_at(0.01, 0.0, 0.0), 1);
    felt += output.device_wrench.force.z() / 4000.0;
    pulled += output.contact_wrench.force.z() / 4000.0;
  }
  EXPECT_NEAR(felt, -kMass * kG, 0.02 * kMass * kG);
  EXPECT_NEAR(pulled, -kMass * kG, 0.02 * kMass * kG);
}

TEST_F(JointedBodies, what_the_hand_is_placed_away_from_follows_at_a_limited_speed) {
  Scene scene = ground(Vector3::Zero());
  const std::size_t cube = add(scene, "cube.h5", {0.0, 0.0, 1.96});
  join(scene, JointType::kBall, 1, cube, {0.0, 0.0, 1.98});
  SolidsWorld world(scene, nullptr);
  const DeviceState away = hand_at(0.1, 0.0, 0.0);
  double fastest = 0.0;
  for (int i = 0; i < 2000; ++i) {
    hold(world, away, 1);
    fastest = std::max(fastest, world.free_bodies()[0]->momentum().norm() / kMass);
  }
  EXPECT_LE(fastest, 1.0);  // 0.5 m/s of the joint's point, and the cube swings
  const Vector3 held = world.poses()[1].to_world({0.0, 0.0, -0.02});
  EXPECT_LE((world.poses()[cube].to_world({0.0, 0.0, 0.02}) - held).norm(), 1e-10);
}

TEST_F(JointedBodies, a_run_is_repeated_after_a_reset_and_no_step_allocates) {
  Scene scene = ground();
  const std::size_t a = add(scene, "cube.h5", {0.0, 0.0, 0.02}, {{0.1, 0, 0}, {3, 2, 1}});
  const std::size_t b = add(scene, "slab.h5", {0.03, 0.0, 0.02});
  join(scene, JointType::kHinge, a, b, {0.015, 0.0, 0.02}).servo = ServoSettings{1.0, 0.01, 0.05};
  join(scene, JointType::kPrismatic, a, b, {0.015, 0.0, 0.02}).published_form = true;
  touch(scene, a, 0, 1e5, 0.4);
  touch(scene, b, 0, 1e5, 0.4);
  SolidsWorld world(scene, nullptr);
  Vector3 ends[2];
  for (Vector3& end : ends) {
    world.reset();
    WorldOutput output;
    {
      NoAllocation guard;
      EXPECT_TRUE(world.set_parameter(world.parameters().size() - 1, 0.1));
      for (int i = 0; i < 500; ++i) EXPECT_EQ(world.step({}, output), WorldStatus::kOk);
    }
    end = position(world, b);
    EXPECT_TRUE(world.set_parameter(world.parameters().size() - 1, 0.0));
  }
  EXPECT_EQ(ends[0], ends[1]);
}

TEST_F(JointedBodies, what_cannot_be_is_refused_in_one_line) {
  const auto refusal = [](const Scene& scene) -> std::string {
    try {
      SolidsWorld world(scene, nullptr);
    } catch (const InputError& error) {
      return error.what();
    }
    return {};
  };
  using testing::HasSubstr;
  Scene scene = ground();
  const std::size_t cube = add(scene, "cube.h5", {0.0, 0.0, 1.0});
  scene.bodies.push_back({"cushion", folder_ / "soft.h5", BodyRole::kAnchored, {}});
  join(scene, JointType::kBall, cube, 3, {});
  EXPECT_THAT(refusal(scene), HasSubstr("\"cushion\", which deforms"));

  Scene held = ground();
  join(held, JointType::kPrismatic, 1, kWorld, {0.0, 0.0, 2.0}).servo = ServoSettings{1.0, 0.0};
  EXPECT_EQ(refusal(held), "");
  Scene explicitly = held;
  edit_solids(explicitly).dynamics.implicit_contact = false;
  EXPECT_THAT(refusal(explicitly), HasSubstr("a joint with dynamics.contact = \"explicit\""));
  Scene coupled = held;
  coupled.coupling.mode = CouplingMode::kCoupled;
  EXPECT_THAT(refusal(coupled), HasSubstr("joint0"));
  Scene twice = held;
  edit_solids(twice).joints.push_back(solids_settings(held).joints[0]);
  EXPECT_THAT(refusal(twice), HasSubstr("joint0.target a second time"));
}

}  // namespace
}  // namespace haptic
