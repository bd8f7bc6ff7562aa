// Friction with anchors: Coulomb's cone, sticking, sliding, what the coupling feels of it.

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <vector>

#include "rt/contact/contact_pair.h"
#include "tests/rt/contact/plane_scene.h"

namespace haptic {
namespace {

using namespace oracle;

constexpr double kSheetStiffness = 200.0;
constexpr double kStatic = 0.6, kDynamic = 0.4;

ContactSettings with_friction(double mu_s = kStatic, double mu_d = kDynamic) {
  ContactSettings settings;
  settings.stiffness = kSheetStiffness;
  settings.friction = {mu_s, mu_d, {}};
  return settings;
}

double along(const Contact& c) {
  return c.force.dot(c.normal);
}
double across(const Contact& c) {
  return (c.force - along(c) * c.normal).norm();
}

TEST(Friction, a_sticking_point_hangs_on_a_spring_and_a_sliding_one_drags_it) {
  const PlaneScene scene(single_point());
  ContactSettings settings = with_friction();
  settings.friction.stiffness = 500.0;
  ContactPair pair = scene.pair(settings);
  const double depth = 1e-3, normal = kSheetStiffness * depth;
  const auto force = [&](double x) {
    pair.evaluate(standing_at({x, 0.0, -depth}), BodyMotion());
    return pair.contacts()[0].force;
  };
  EXPECT_EQ(force(0.1), Vector3(0.0, 0.0, normal));  // a fresh anchor
  const double reach = kStatic * normal / 500.0;
  for (const double part : {0.3, 0.9, 0.999, -0.5}) {
    EXPECT_NEAR(force(0.1 + part * reach).x(), -part * kStatic * normal, 1e-12);
    EXPECT_EQ(pair.contacts()[0].grip, ContactGrip::kSticks);
  }
  // Beyond, it slides at the dynamic limit however far it goes ...
  for (const double x : {0.1 + 1.001 * reach, 0.1 + 3.0 * reach, 0.3}) {
    EXPECT_NEAR(force(x).x(), -kDynamic * normal, 1e-12);
    EXPECT_EQ(pair.contacts()[0].grip, ContactGrip::kSlides);
  }
  // ... and sticks where it stops, as stretched as it was.
  EXPECT_NEAR(force(0.3).x(), -kDynamic * normal, 1e-12);
  EXPECT_EQ(pair.contacts()[0].grip, ContactGrip::kSticks);
  // Now static friction bears again: 0.1 reach further needs kDynamic + 0.1 kStatic < kStatic.
  EXPECT_NEAR(force(0.3 + 0.1 * reach).x(), -(kDynamic + 0.1 * kStatic) * normal, 1e-12);
  EXPECT_EQ(pair.contacts()[0].grip, ContactGrip::kSticks);
}

TEST(Friction, at_the_end_of_a_step_springs_keep_their_length_and_the_step_moves_the_anchor) {
  const PlaneScene scene(single_point());
  ContactPair pair = scene.pair(with_friction());
  pair.set_end_of_step(true);
  const double depth = 1e-3, normal = kSheetStiffness * depth;
  const auto force = [&](double x, double y = 0.0) {
    const ContactResult& result = pair.evaluate(standing_at({x, y, -depth}), BodyMotion());
    EXPECT_EQ(result.gradient.norm(), 0.0);
    return pair.contacts()[0].force;
  };
  const auto grip = [&] { return pair.contacts()[0].grip; };
  EXPECT_EQ(force(0.1), Vector3(0.0, 0.0, normal));
  EXPECT_EQ(grip(), ContactGrip::kSlides);  // fresh
  pair.settle(0, {Vector3::Zero(), false, 0.3, 0.02 * kSheetStiffness});
  // Far beyond every limit, and it stays so until the step has dragged the anchor.
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(force(0.12).x(), -kSheetStiffness * 0.02, 1e-12);
    EXPECT_EQ(grip(), ContactGrip::kSticks);
  }
  pair.settle(0,
              {Vector3(0.015, 0.001, 0.0), true, 0.1, kSheetStiffness * std::hypot(0.005, 0.001)});
  EXPECT_NEAR(force(0.12).x(), -kSheetStiffness * 0.005, 1e-12);
  EXPECT_NEAR(force(0.12).y(), kSheetStiffness * 0.001, 1e-12);
  EXPECT_EQ(grip(), ContactGrip::kSlides);
  pair.settle(0, {Vector3::Zero(), false, 0.3, kSheetStiffness * std::hypot(0.005, 0.001)});
  EXPECT_NEAR(force(0.12).x(), -kSheetStiffness * 0.005, 1e-12);
  EXPECT_EQ(grip(), ContactGrip::kSticks);
  // What has stretched the spring since the last step is left out, in its direction and for good.
  const double held = kSheetStiffness * 0.5 * std::hypot(0.003, 0.001);
  pair.settle(0, {Vector3::Zero(), false, 0.3, held});
  for (int i = 0; i < 2; ++i) {
    EXPECT_NEAR(force(0.118).x(), -kSheetStiffness * 0.0015, 1e-12);
    EXPECT_NEAR(force(0.118).y(), kSheetStiffness * 0.0005, 1e-12);
  }
  EXPECT_NEAR(force(0.1175).x(), -kSheetStiffness * 0.001, 1e-12);
  // Out of contact for a cycle.
  pair.evaluate(standing_at({0.12, 0.0, depth}), BodyMotion());
  EXPECT_EQ(force(0.13), Vector3(0.0, 0.0, normal));
  EXPECT_EQ(grip(), ContactGrip::kSlides);
}

TEST(Friction, a_drag_in_world_axes_moves_an_anchor_of_a_turned_field) {
  const PlaneScene scene(single_point());
  ContactPair pair = scene.pair(with_friction());
  pair.set_end_of_step(true);
  Pose turned;
  turned.orientation = Quaternion(Eigen::AngleAxisd(1.2, Vector3::UnitZ()));
  const BodyMotion field{.pose = turned};
  const auto force = [&] {
    pair.evaluate(standing_at({0.1, 0.0, -1e-3}), field);
    return pair.contacts()[0].force;
  };
  force();
  pair.settle(0, {Vector3(0.002, -0.003, 0.0), true, 0.1, 1e3});
  EXPECT_NEAR(force().x(), kSheetStiffness * 0.002, 1e-12);
  EXPECT_NEAR(force().y(), -kSheetStiffness * 0.003, 1e-12);
}

TEST(Friction, an_anchor_is_lost_with_the_contact) {
  const PlaneScene scene(single_point());
  ContactPair pair = scene.pair(with_friction());
  const auto evaluate = [&](double x, double z) {
    return pair.evaluate(standing_at({x, 0.0, z}), BodyMotion()).on_held.force.x();
  };
  evaluate(0.0, -1e-3);
  EXPECT_LT(evaluate(1e-4, -1e-3), -1e-3);
  evaluate(1e-4, 1e-3);
  EXPECT_EQ(evaluate(2e-4, -1e-3), 0.0);
  EXPECT_LT(evaluate(3e-4, -1e-3), -1e-3);
  pair.clear_history();
  EXPECT_EQ(evaluate(3e-4, -1e-3), 0.0);
}

TEST(Friction, anchors_live_in_the_material_of_the_field) {
  // Shell and field moved and turned together: nothing rubs. A field that carries its material
  // along by its own reduced coordinates drags the point.
  Random random(3);
  PlaneScene scene(single_point(), 3, 2.0);
  ContactPair pair = scene.pair(with_friction());
  std::vector<double> q(3, 0.0);
  const auto evaluate = [&](const Pose& world, const Vector3& p) {
    scene.field.deform(q);
    const BodyMotion shell = {.pose = {world.to_world(p), world.orientation}};
    pair.evaluate(shell, {.pose = world, .q = q});
    return Vector3(world.orientation.conjugate() * pair.contacts()[0].force);
  };
  const Vector3 p(0.2, 0.1, -1e-3);
  evaluate(Pose(), p);
  for (int i = 0; i < 50; ++i) {
    const Vector3 force = evaluate(random_pose(random, 0.5), p);
    ASSERT_LE(force.head<2>().norm(), 1e-10);
    ASSERT_NEAR(force.z(), kSheetStiffness * 1e-3, 1e-10);
  }
  q = {1e-4, 0.0, 0.0};  // 0.2 mm of its material
  EXPECT_NEAR(evaluate(Pose(), p).x(), kSheetStiffness * 2e-4, 1e-10);
  q = {0.0, 0.0, 1e-4};  // deeper, not sideways
  EXPECT_NEAR(evaluate(Pose(), p).x(), 0.0, 1e-10);
}

TEST(Friction, the_friction_force_stays_within_the_coulomb_cone) {
  EXPECT_TRUE(rc::check("a random walk of a random patch", [] {
    const double mu_s = 1e-3 * *rc::gen::inRange(0, 1500);
    const double mu_d = mu_s * (*rc::gen::inRange(0, 101) / 100.0);  // 100: mu_s exactly
    Random random(*rc::gen::arbitrary<std::uint64_t>());
    ContactSettings settings = with_friction(mu_s, mu_d);
    settings.damping = *rc::gen::element(0.0, 0.5, 20.0);
    settings.scaling = *rc::gen::element(ContactScaling::kPublished, ContactScaling::kSmooth,
                                         ContactScaling::kNone);
    const PlaneScene scene(cube_face(0.05, 5));
    ContactPair pair = scene.pair(settings, HeldSide::kField);
    Pose shell = {{0.0, 0.0, 0.05}, Quaternion::Identity()}, field;
    for (int i = 0; i < 60; ++i) {
      const Vector3 dx = random_vector(random, 4e-4), dw = random_vector(random, 4e-3);
      shell.position += dx;
      shell.position.z() = std::clamp(shell.position.z(), 0.045, 0.052);
      shell.orientation = (rotation_exponential(dw) * shell.orientation).normalized();
      pair.evaluate({shell, {1e3 * dx, 1e3 * dw}}, {.pose = field});
      for (const Contact& c : pair.contacts()) {
        // Force on the field: against the normal, never pulling.
        RC_ASSERT(along(c) <= 0.0);
        // Without friction, what is left across is the rounding of the normal's components.
        RC_ASSERT(across(c) <= -along(c) * (mu_s * (1.0 + 1e-9) + 1e-14));
        if (c.grip == ContactGrip::kSlides) {
          RC_ASSERT(std::abs(across(c) - mu_d * -along(c)) <= 1e-12);
        }
      }
    }
  }));
}

/// A block of unit mass on a plane, tilted gravity; semi-implicit Euler, rotation locked.
struct InclinedBlock {
  InclinedBlock(double tilt, const ContactSettings& settings)
      : scene(cube_face(0.02, 4)), pair(scene.pair(settings)), angle(tilt) {
    body.pose.position.z() = 0.02;
  }

  void run(int steps) {
    const Vector3 gravity = 9.81 * Vector3(std::sin(angle), 0.0, -std::cos(angle));
    for (int i = 0; i < steps; ++i) {
      const Vector3 force = pair.evaluate(body, BodyMotion()).on_held.force;
      body.twist.linear += dt * (force + gravity);
      body.pose.position += dt * body.twist.linear;
    }
  }

  PlaneScene scene;
  ContactPair pair;
  double angle, dt = 1e-4;
  BodyMotion body;
};

TEST(Friction, a_block_sticks_below_the_angle_of_static_friction) {
  ContactSettings settings = with_friction();
  settings.stiffness = 5e3;
  settings.damping = 20.0;
  const double limit = std::atan(kStatic);
  InclinedBlock block(0.9 * limit, settings);
  // The block is put down on a level plane that then tilts, so that the springs of friction load up
  // without a swing beyond what they bear.
  const double angle = block.angle;
  for (int i = 0; i <= 1000; ++i) {
    block.angle = angle * i / 1000;
    block.run(20);
  }
  block.body.twist = Twist{};
  const double x = block.body.pose.position.x();
  block.run(20000);
  EXPECT_NEAR(block.body.pose.position.x(), x, 1e-4);
  for (const Contact& c : block.pair.contacts()) EXPECT_EQ(c.grip, ContactGrip::kSticks);
}

TEST(Friction, a_block_slides_above_it_with_the_acceleration_of_dynamic_friction) {
  ContactSettings settings = with_friction();
  settings.stiffness = 5e3;
  settings.damping = 20.0;
  const double angle = 1.15 * std::atan(kStatic);
  InclinedBlock block(angle, settings);
  block.run(5000);  // half a second: it has settled into the plane and slides
  const double v = block.body.twist.linear.x();
  block.run(10000);
  const double acceleration = block.body.twist.linear.x() - v;
  const double expected = 9.81 * (std::sin(angle) - kDynamic * std::cos(angle));
  EXPECT_NEAR(acceleration, expected, 1e-6 * expected);
  for (const Contact& c : block.pair.contacts()) EXPECT_EQ(c.grip, ContactGrip::kSlides);
  // Between the two coefficients: it sticks from rest, but does not stop once it slides.
  InclinedBlock between(std::atan(0.5), settings);
  between.run(3000);
  between.body.twist.linear.x() = 0.2;
  between.run(5000);
  EXPECT_GT(between.body.twist.linear.x(), 0.2);
}

/// The gradient of an evaluation with a given history: anchors set at `before`, then moved.
Matrix6 pose_differences(const PlaneScene& scene, const ContactSettings& settings, HeldSide held,
                         const BodyMotion (&before)[2], const BodyMotion (&now)[2]) {
  Matrix6 m;
  const double step = 1e-7;
  for (int c = 0; c < 6; ++c) {
    Vector6 difference = Vector6::Zero();
    for (const double sign : {1.0, -1.0}) {
      ContactPair pair = scene.pair(settings, held);
      pair.evaluate(before[0], before[1]);
      BodyMotion s = now[0], f = now[1];
      Pose& pose = held == HeldSide::kShell ? s.pose : f.pose;
      const Vector6 z = sign * step * Vector6::Unit(c);
      pose.position += z.head<3>();
      pose.orientation = rotation_exponential(z.tail<3>()) * pose.orientation;
      Wrench w = pair.evaluate(s, f).on_held;
      if (settings.gradient == ContactGradient::kMirror) {
        const Quaternion back = rotation_exponential(-z.tail<3>());
        w = {back * w.force, back * w.torque};
      }
      difference.head<3>() += sign * w.force;
      difference.tail<3>() += sign * w.torque;
    }
    m.col(c) = difference / (2.0 * step);
  }
  return m;
}

TEST(Friction, gradient_with_friction_matches_central_differences) {
  // Field gradient and normals agree on a plane, so the gradient is exact there.
  Random random(38);
  const PlaneScene scene(cube_face(0.125, 4));
  for (const HeldSide held : {HeldSide::kField, HeldSide::kShell}) {
    for (const ContactGradient gradient : {ContactGradient::kMirror, ContactGradient::kDirect}) {
      for (const bool slides : {false, true}) {
        for (int trial = 0; trial < 10; ++trial) {
          ContactSettings settings = with_friction(slides ? 0.05 : 50.0, slides ? 0.03 : 50.0);
          settings.friction.stiffness = 350.0;
          settings.gradient = gradient;
          const Pose world = random_pose(random, 0.5);
          const auto placed = [&](const Vector3& p, const Vector3& turn) {
            return BodyMotion{
                .pose = {world.to_world(p), world.orientation * rotation_exponential(turn)}};
          };
          // The patch stays parallel to the plane, shifted and spun about the normal.
          const BodyMotion before[2] = {placed({0.1, 0.0, 0.125 - 1.0 / 512.0}, Vector3::Zero()),
                                        {.pose = world}};
          const BodyMotion now[2] = {
              placed({0.1 + 2e-3, -3e-3, 0.125 - 1.0 / 256.0}, {0.0, 0.0, 4e-3}), {.pose = world}};
          ContactPair pair = scene.pair(settings, held);
          pair.evaluate(before[0], before[1]);
          const Matrix6 analytic = pair.evaluate(now[0], now[1]).gradient;
          for (const Contact& c : pair.contacts()) {
            ASSERT_EQ(c.grip, slides ? ContactGrip::kSlides : ContactGrip::kSticks);
          }
          const Matrix6 expected = pose_differences(scene, settings, held, before, now);
          ASSERT_LE((analytic - expected).norm(), 1e-6 * expected.norm());
        }
      }
    }
  }
}

TEST(Friction, scale_and_shares_do_not_change_the_friction_limit_of_a_point) {
  // Of sixteen points at one depth, scaled by 10/16, each hangs and slides as one alone does.
  const PlaneScene one(single_point()), many(cube_face(0.125, 4));
  ContactPair alone = one.pair(with_friction()), together = many.pair(with_friction());
  for (int i = 0; i < 100; ++i) {
    const double x = 1e-5 * i * i, z = -1.0 / 1024.0;
    alone.evaluate(standing_at({x, 0.0, z}), BodyMotion());
    together.evaluate(standing_at({x, 0.0, 0.125 + z}), BodyMotion());
    const Contact& a = alone.contacts()[0];
    for (const Contact& c : together.contacts()) {
      ASSERT_EQ(c.grip, a.grip);
      ASSERT_LE((c.force - 10.0 / 16.0 * a.force).norm(), 1e-12);
    }
  }
}

}  // namespace
}  // namespace haptic
