// Joints of bodies that deform: pendulums, pairs, bodies at rest.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "shared/error.h"
#include "tests/rt/worlds/solids/soft_bodies_fixture.h"
#include "tests/support/no_allocation.h"

namespace haptic::solids {
namespace {

using SoftJoints = SoftBodies;

/// The exact motion of a body of points, one of which does not move, by the classical Runge-Kutta
/// method with the accelerations of all points and the force of the pivot.
struct ExactPendulum {
  struct State {
    Quaternion R = Quaternion::Identity();
    Vector3 c = Vector3::Zero(), v = Vector3::Zero(), w = Vector3::Zero();  // w in the body's axes
    Eigen::VectorXd q, qdot;
  };
  struct Rate {
    Vector3 turn, c, v, w;
    Eigen::VectorXd q, qdot;
  };
  const FreePoints& body;
  int pin;
  Vector3 gravity;

  Rate rate(const State& s) const {
    const Eigen::Index r = s.q.size(), n = 6 + r;
    const FreePoints::Equations of = body.equations(s.w, s.q, s.qdot);
    const double mass = body.masses.sum();
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n + 3, n + 3);
    Eigen::VectorXd b(n + 3);
    A.topLeftCorner<3, 3>() = mass * Matrix3::Identity();
    A.block(3, 3, 3 + r, 3 + r) = of.A;
    A.block<3, 3>(n, 0).setIdentity();
    A.block(n, 3, 3, 3 + r) = body.jacobian(pin, s.q);
    A.topRightCorner(n, 3) = A.bottomLeftCorner(3, n).transpose();
    b << mass * (s.R.conjugate() * gravity), of.b, -body.convective(pin, s.w, s.q, s.qdot);
    const Eigen::VectorXd a = A.fullPivLu().solve(b);
    return {s.R * s.w, s.v, s.R * Vector3(a.head<3>()), a.segment<3>(3), s.qdot, a.segment(6, r)};
  }
  State moved(const State& s, const Rate& d, double h) const {
    return {(rotation_exponential(h * d.turn) * s.R).normalized(),
            s.c + h * d.c,
            s.v + h * d.v,
            s.w + h * d.w,
            s.q + h * d.q,
            s.qdot + h * d.qdot};
  }
  State run(State s, double seconds, int steps) const {
    const double h = seconds / steps;
    for (int i = 0; i < steps; ++i) {
      const Rate a = rate(s), b = rate(moved(s, a, 0.5 * h)), c = rate(moved(s, b, 0.5 * h)),
                 d = rate(moved(s, c, h));
      const auto mean = [](const auto& w, const auto& x, const auto& y, const auto& z) {
        return ((w + 2.0 * x + 2.0 * y + z) / 6.0).eval();
      };
      s = moved(s,
                {mean(a.turn, b.turn, c.turn, d.turn), mean(a.c, b.c, c.c, d.c),
                 mean(a.v, b.v, c.v, d.v), mean(a.w, b.w, c.w, d.w), mean(a.q, b.q, c.q, d.q),
                 mean(a.qdot, b.qdot, c.qdot, d.qdot)},
                h);
    }
    return s;
  }
};

TEST_F(SoftJoints, a_pendulum_swings_and_bends_as_all_its_points_do) {
  const FreePoints body = points();
  constexpr int kPin = 1;
  constexpr double kSeconds = 0.2;
  const Vector3 pivot(0.0, 0.0, 1.0), gravity(0.0, 0.0, -2.0 * kG);
  ExactPendulum exact{body, kPin, gravity};
  ExactPendulum::State start;
  start.q = start.qdot = Eigen::VectorXd::Zero(kModes);
  start.c = pivot - body.places.col(kPin);
  const ExactPendulum::State end = exact.run(start, kSeconds, 4000);
  // The reference keeps its pivot to the square of its step, and is no small motion.
  ASSERT_LE((end.c + end.R * body.position(kPin, end.q) - pivot).norm(), 1e-6);
  ASSERT_GT(end.q.norm(), 1e-4);
  ASSERT_GT(rotation_logarithm(end.R).norm(), 0.5);
  double last = 0.0;
  for (const double rate : {1000.0, 4000.0, 32000.0}) {
    Scene scene = ground(gravity);
    scene.rate_hz = rate;
    const std::size_t bob = add(scene, "points.h5", origin_for(body, kPin, pivot));
    join(scene, JointType::kBall, kWorld, bob, pivot);
    SolidsWorld world(scene, nullptr);
    for (int i = 0; i < static_cast<int>(kSeconds * rate); ++i) {
      hold(world, {}, 1);
      // 1e-9 of the body's radius, which is below 5 cm; the basis of the surface has floats.
      ASSERT_LE((place(world, bob, body, kPin) - pivot).norm(),
                5e-11 + 1e-7 * values(world.deformable(bob)->q()).norm() * body.basis.norm());
    }
    const double bent = (values(world.deformable(bob)->q()) - end.q).norm() / end.q.norm();
    const double turned =
        rotation_logarithm(world.poses()[bob].orientation * end.R.conjugate()).norm();
    // The joint's force is that of the step's end, of first order in the step.
    EXPECT_LE(bent, 0.1 * 1000.0 / rate) << rate;
    EXPECT_LE(turned, 0.02 * 1000.0 / rate) << rate;
    if (last > 0.0) {
      EXPECT_LE(turned, 0.3 * last) << rate;
    }
    last = turned;
  }
}

TEST_F(SoftJoints, a_pair_keeps_its_momenta_and_its_energy) {
  const FreePoints first = points(), second = other();
  Scene scene = ground(Vector3::Zero());
  const Vector3 at(0.0, 0.0, 1.0);
  const std::size_t a =
      add(scene, "points.h5", origin_for(first, 4, at), {{0.1, 0.2, 0.0}, {4.0, -6.0, 2.0}});
  const std::size_t b = add(scene, "other.h5", origin_for(second, 7, at));
  join(scene, JointType::kBall, a, b, at);
  SolidsWorld world(scene, nullptr);
  hold(world, {}, 1);  // closes the velocities, which the scene does not match
  const std::vector<FreePoints> bodies = {first, second};
  const Sums start = sums(world, bodies);
  double highest = 0.0, bent = 0.0;
  for (int i = 0; i < 5000; ++i) {
    hold(world, {}, 1);
    highest = std::max(highest, sums(world, bodies).energy);
    bent = std::max(bent, values(world.deformable(b)->q()).norm());
    // Both bodies' bases are stored as floats.
    ASSERT_LE((place(world, a, first, 4) - place(world, b, second, 7)).norm(), 1e-9) << i;
  }
  const Sums end = sums(world, bodies);
  EXPECT_GT(bent, 1e-4);
  EXPECT_LE((end.momentum - start.momentum).norm(), 1e-10 * start.momentum.norm());
  EXPECT_LE((end.angular - start.angular).norm(), 1e-7 * start.angular.norm());
  // In the first 5 s the joint damps the springs; it must not feed them.
  EXPECT_LE(highest, start.energy * (1.0 + 2e-3));
  EXPECT_GE(end.energy, 0.5 * start.energy);
}

TEST_F(SoftJoints, a_load_bends_an_anchored_body_as_far_as_its_springs_say) {
  FreePoints body = points();
  body.damping = 40.0;
  body.write(folder_ / "damped.h5");
  Scene scene = ground();
  constexpr int kPoint = 2;
  const Vector3 at(0.0, 0.0, 1.0);
  scene.bodies.push_back({"anchored", folder_ / "damped.h5", BodyRole::kAnchored, {}});
  scene.bodies.back().pose.position = origin_for(body, kPoint, at);
  const std::size_t anchored = scene.bodies.size() - 1;
  // Held at its centre, it does not swing.
  const std::size_t load = add(scene, "cube.h5", at);
  join(scene, JointType::kBall, load, anchored, at);
  SolidsWorld world(scene, nullptr);
  hold(world, {}, 3000);
  const Eigen::VectorXd q = values(world.deformable(anchored)->q());
  const Vector3 weight(0.0, 0.0, -kMass * kG);
  Eigen::VectorXd expected = body.basis.middleRows(3 * kPoint, 3).transpose() * weight;
  for (Eigen::Index j = 0; j < kModes; ++j) {
    expected[j] /= body.eigenvalues[static_cast<std::size_t>(j)];
  }
  EXPECT_LE((q - expected).norm(), 1e-6 * expected.norm());
  EXPECT_LE((place(world, anchored, body, kPoint) - position(world, load)).norm(), 1e-9);
}

TEST_F(SoftJoints, three_of_them_are_a_rigid_connection) {
  const FreePoints body = points();
  Scene scene = ground();
  const Vector3 at(0.0, 0.0, 1.0);
  const std::size_t soft = add(scene, "points.h5", origin_for(body, 0, at));
  Vector3 starts[3];
  for (int i = 0; i < 3; ++i) {
    starts[i] = at + body.places.col(i) - body.places.col(0);
    join(scene, JointType::kBall, kWorld, soft, starts[i]);
  }
  SolidsWorld world(scene, nullptr);
  double turned = 0.0;
  for (int i = 0; i < 2000; ++i) {
    hold(world, {}, 1);
    for (int k = 0; k < 3; ++k) {
      ASSERT_LE((place(world, soft, body, k) - starts[k]).norm(), 1e-9) << i;
    }
    turned = std::max(turned, rotation_logarithm(world.poses()[soft].orientation).norm());
  }
  // It hangs on them and vibrates, but cannot swing.
  EXPECT_LT(turned, 0.2);
  EXPECT_GT(values(world.deformable(soft)->q()).norm(), 1e-5);
}

TEST_F(SoftJoints, a_run_is_repeated_after_a_reset_and_no_step_allocates) {
  const FreePoints first = points(), second = other();
  Scene scene = ground();
  const Vector3 at(0.0, 0.0, 0.1);
  const std::size_t a = add(scene, "points.h5", origin_for(first, 4, at), {{0, 0, 0}, {9, 0, 4}});
  const std::size_t b = add(scene, "other.h5", origin_for(second, 7, at));
  join(scene, JointType::kBall, a, b, at);
  const std::size_t alone = add(scene, "points.h5", {0.3, 0.0, 0.06});
  for (const std::size_t body : {a, b, alone}) touch(scene, body, 0, 1e4, 20.0, {0.5, 0.5, {}});
  SolidsWorld world(scene, nullptr);
  const auto run = [&] {
    const NoAllocation none;
    hold(world, {}, 400);
    return std::pair(world.poses()[a].position, world.deformable(b)->q()[0]);
  };
  const auto start = run();
  EXPECT_NE(start.second, 0.0);
  world.reset();
  EXPECT_EQ(run(), start);
}

TEST_F(SoftJoints, what_cannot_be_is_refused_in_one_line) {
  using testing::HasSubstr;
  const FreePoints body = points();
  Scene scene = ground();
  const Vector3 at(0.0, 0.0, 1.0);
  const std::size_t soft = add(scene, "points.h5", origin_for(body, 4, at));
  const auto refused = [&](JointType type, std::size_t other, const Vector3& point) {
    Scene jointed = scene;
    join(jointed, type, soft, other, point);
    return refusal(jointed);
  };
  EXPECT_EQ(refused(JointType::kBall, kWorld, at), "");
  EXPECT_THAT(refused(JointType::kHinge, kWorld, at), HasSubstr("two such joints make a hinge"));
  const std::string far = refused(JointType::kBall, kWorld, {0.0, 0.0, 2.0});
  EXPECT_THAT(far, HasSubstr("from the surface of \"free2\""));
  EXPECT_THAT(far, HasSubstr("such as ["));
  // A joint between the world and a fixed point of an anchored body: neither end can move.
  FreePoints clamped = points();
  clamped.basis.middleRows(0, 3).setZero();
  clamped.write(folder_ / "clamped.h5");
  Scene fixed = ground();
  fixed.bodies.push_back({"clamped", folder_ / "clamped.h5", BodyRole::kAnchored, {}});
  fixed.bodies.back().pose.position = origin_for(clamped, 0, at);
  join(fixed, JointType::kBall, kWorld, 2, at);
  EXPECT_THAT(refusal(fixed), HasSubstr("which do not move there"));
  Scene button = scene;
  join(button, JointType::kHinge, kWorld, 1, at).servo = ServoSettings{1.0, 0.0};
  edit_solids(button).joints[0].settings.button = TargetButton{2, 0.1, 1.0};
  EXPECT_EQ(refusal(button), "");
  button.limits.enable_buttons = 1u << 2;
  EXPECT_THAT(refusal(button), HasSubstr("found button 2, which must be held to run"));

  scene.bodies.push_back({"cushion", folder_ / "soft.h5", BodyRole::kAnchored, {}});
  EXPECT_THAT(refused(JointType::kBall, 3, at), HasSubstr("/surface/basis"));
}

}  // namespace
}  // namespace haptic::solids
