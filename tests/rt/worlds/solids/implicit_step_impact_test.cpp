// Impacts with a coefficient of restitution: speeds after, energy, friction, rest.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/rt/worlds/solids/free_bodies_fixture.h"
#include "tests/rt/worlds/solids/spiral_ball.h"
#include "tests/support/no_allocation.h"

namespace haptic::solids {
namespace {

constexpr double kImpactRates[] = {100.0, 250.0, 1000.0, 4000.0};
constexpr double kRestitutions[] = {0.1, 0.5, 0.9};
constexpr double kImpactStiffness[] = {1e2, 1e4, 1e6};

class Impact : public FreeBodies {
 protected:
  static constexpr double kR = 0.02;

  static void SetUpTestSuite() {
    FreeBodies::SetUpTestSuite();
    RigidShape ball = spiral_ball(2000, kR);
    ball.distance = [](const Vector3& p) { return p.norm() - kR; };
    ball.half_width = 0.03;
    ball.boundary_minimum = 1e-3;
    write_rigid_shape(folder_ / "bouncer.h5", ball);
    write_solid_box(folder_ / "block.h5", {0.03, 0.03, 0.02}, 1000.0, 20);
    // As a scan: bumps of 15 % and 1,500 points.
    RigidShape scan = spiral_ball(1500, kR);
    for (std::size_t i = 0; i < scan.points.size(); ++i) {
      const Vector3 out = -scan.normals[i];
      scan.points[i] *= 1.0 + 0.15 * std::sin(3.0 * out.x() + 1.0) * std::cos(5.0 * out.y());
    }
    write_rigid_shape(folder_ / "scan.h5", scan);
  }
  static void bounce(Scene& scene, std::size_t points, std::size_t field, double k, double e,
                     double mu = 0.0) {
    touch(scene, points, field, k, 0.0, {mu, mu, {}});
    edit_solids(scene).contacts.back().restitution = e;
  }
  /// Turns a ball so that one of its points is ahead along `to`.
  static void point_along(Scene& scene, std::size_t ball, const Vector3& to) {
    const Vector3 last = spiral_ball(2000, 1.0).points.back();
    scene.bodies[ball].pose.orientation = Quaternion::FromTwoVectors(last, to);
  }
  static const FreeBody& body(const SolidsWorld& world, std::size_t i = 0) {
    return *world.free_bodies()[i];
  }
  static double energy(const SolidsWorld& world) {
    double sum = 0.0;
    for (const auto& free : world.free_bodies()) sum += free->energy();
    return sum;
  }
};

// Without gravity, the speed after the impact is e times that before, to the 1e-5 by which the
// rows of an impact give way, whatever the rate and the springs.
TEST_F(Impact, a_ball_returns_with_e_at_any_rate_and_stiffness) {
  for (const double rate : kImpactRates) {
    for (const double k : kImpactStiffness) {
      for (const double e : kRestitutions) {
        const double v = 1.0;
        Scene scene = ground(Vector3::Zero());
        scene.rate_hz = rate;
        const std::size_t ball =
            add(scene, "bouncer.h5", {0.0, 0.0, kR + 0.013}, {{0.0, 0.0, -v}, Vector3::Zero()});
        bounce(scene, ball, 0, k, e);
        point_along(scene, ball, -Vector3::UnitZ());
        SolidsWorld world(scene, nullptr);
        double created = 0.0;
        for (int i = 0; i < static_cast<int>(0.05 * rate) + 4; ++i) {
          hold(world, {}, 1);
          created = std::max(created, state_value(world, "contact/created_energy"));
        }
        EXPECT_NEAR(body(world).twist().linear.z(), e * v, 0.001 * v)
            << rate << " " << k << " " << e;
        EXPECT_EQ(created, 0.0) << rate << " " << k << " " << e;
        // Where it would be with an instant impact: within the way of one step of the points' row.
        const double time = (static_cast<int>(0.05 * rate) + 4) / rate;
        EXPECT_NEAR(position(world, ball).z() - kR, e * v * (time - 0.013 / v), 1e-4)
            << rate << " " << k << " " << e;
      }
    }
  }
}

// A box of 400 points below falls flat: no turn, e times the speed; with friction and a speed along
// the plane, which the impulse changes by mu (1 + e) v.
TEST_F(Impact, a_box_that_falls_flat_returns_without_a_turn) {
  for (const double rate : kImpactRates) {
    for (const double k : kImpactStiffness) {
      for (const double e : kRestitutions) {
        const double v = 1.0, along = 0.8, mu = 0.1;
        Scene scene = ground(Vector3::Zero());
        scene.rate_hz = rate;
        const std::size_t box =
            add(scene, "block.h5", {0.0, 0.0, 0.02 + 0.013}, {{0.0, 0.0, -v}, Vector3::Zero()});
        bounce(scene, box, 0, k, e);
        SolidsWorld world(scene, nullptr);
        hold(world, {}, static_cast<int>(0.05 * rate) + 4);
        const Twist after = body(world).twist();
        EXPECT_NEAR(after.linear.z(), e * v, 0.001 * v) << rate << " " << k << " " << e;
        EXPECT_LE(after.angular.norm(), 1e-3) << rate << " " << k << " " << e;
        EXPECT_EQ(state_value(world, "contact/created_energy"), 0.0);

        Scene oblique = ground(Vector3::Zero());
        oblique.rate_hz = rate;
        const std::size_t ball =
            add(oblique, "bouncer.h5", {0.0, 0.0, kR + 0.013}, {{along, 0.0, -v}, Vector3::Zero()});
        bounce(oblique, ball, 0, k, e, mu);
        point_along(oblique, ball, -Vector3::UnitZ());
        SolidsWorld slides(oblique, nullptr);
        hold(slides, {}, static_cast<int>(0.05 * rate) + 4);
        // A point beside the lowest one takes part where a step is long.
        EXPECT_NEAR(body(slides).twist().linear.z(), e * v, 0.02 * e * v) << rate << " " << e;
        EXPECT_NEAR(body(slides).twist().linear.x(), along - mu * (1.0 + e) * v, 0.03 * along)
            << rate << " " << k << " " << e;
      }
    }
  }
}

// With much friction, the point of contact stops: 5/7 of the speed along the plane is left. Not at
// 100 Hz, where the ball turns by 0.2 rad in the step of its impact.
TEST_F(Impact, a_ball_that_sticks_in_an_impact_rolls_away) {
  for (const double rate : {250.0, 1000.0, 4000.0}) {
    for (const double e : kRestitutions) {
      Scene scene = ground(Vector3::Zero());
      scene.rate_hz = rate;
      const std::size_t ball =
          add(scene, "bouncer.h5", {0.0, 0.0, kR + 0.013}, {{0.5, 0.0, -1.0}, Vector3::Zero()});
      bounce(scene, ball, 0, 1e4, e, 1.0);
      point_along(scene, ball, -Vector3::UnitZ());
      SolidsWorld world(scene, nullptr);
      hold(world, {}, static_cast<int>(0.05 * rate) + 4);
      const Twist after = body(world).twist();
      EXPECT_NEAR(after.linear.x(), 5.0 / 7.0 * 0.5, 0.03 * 0.5) << rate << " " << e;
      EXPECT_NEAR(after.linear.z(), e, 0.03) << rate << " " << e;
      EXPECT_NEAR(after.angular.y() * kR, after.linear.x(), 0.03 * 0.5) << rate << " " << e;
    }
  }
}

// Two free balls, one at rest: momentum is kept, and they part with e times the speed of approach.
TEST_F(Impact, two_free_bodies_part_with_e) {
  for (const double rate : kImpactRates) {
    for (const double k : kImpactStiffness) {
      for (const double e : kRestitutions) {
        Scene scene = ground(Vector3::Zero());
        scene.rate_hz = rate;
        const std::size_t one =
            add(scene, "bouncer.h5", {0.0, 0.0, 0.5}, {{1.0, 0.0, 0.0}, Vector3::Zero()});
        const std::size_t two = add(scene, "bouncer.h5", {2.0 * kR + 0.013, 0.0, 0.5});
        bounce(scene, one, two, k, e);
        point_along(scene, one, Vector3::UnitX());
        SolidsWorld world(scene, nullptr);
        double created = 0.0, most = energy(world);
        for (int i = 0; i < static_cast<int>(0.05 * rate) + 4; ++i) {
          hold(world, {}, 1);
          created = std::max(created, state_value(world, "contact/created_energy"));
          EXPECT_LE(energy(world), most * (1.0 + 1e-12)) << rate << " " << k << " " << e;
          most = std::min(most, energy(world));
        }
        const double a = body(world, 0).twist().linear.x(), b = body(world, 1).twist().linear.x();
        EXPECT_NEAR(a + b, 1.0, 1e-9) << rate << " " << k << " " << e;
        EXPECT_NEAR(b - a, e, 0.05 * e) << rate << " " << k << " " << e;
        EXPECT_EQ(created, 0.0) << rate << " " << k << " " << e;
      }
    }
  }
}

// In one step a ball goes into a wall across its way, and would without it go on to one aside:
// what is not reached gives no impulse.
TEST_F(Impact, a_body_meets_one_wall_after_the_other) {
  Scene scene = ground(Vector3::Zero());
  scene.rate_hz = 100.0;
  const Vector3 v(1.0, 0.3, 0.0);
  const std::size_t ball = add(scene, "bouncer.h5", {0.0, 0.0, 0.5}, {v, Vector3::Zero()});
  const auto wall = [&](const Vector3& normal, double away) {
    scene.bodies.push_back({"wall" + std::to_string(scene.bodies.size()),
                            AnalyticShape{ShapeKind::kPlane, {1.0, 0.0, 0.0}},
                            BodyRole::kAnchored,
                            {}});
    scene.bodies.back().pose.orientation = Quaternion::FromTwoVectors(Vector3::UnitZ(), normal);
    scene.bodies.back().pose.position = Vector3(0.0, 0.0, 0.5) - (kR + away) * normal;
    bounce(scene, ball, scene.bodies.size() - 1, 1e4, 0.5);
  };
  wall(-Vector3::UnitX(), 2e-3);    // after 2 ms
  wall(-Vector3::UnitY(), 2.7e-3);  // after 9 ms
  SolidsWorld world(scene, nullptr);
  hold(world, {}, 1);
  const Vector3 after = body(world).twist().linear;
  EXPECT_NEAR(after.x(), -0.5 * v.x(), 0.03);
  EXPECT_NEAR(after.y(), -0.5 * v.y(), 0.03);
  // 8 ms back from the wall across, 1 ms back from the one aside.
  EXPECT_NEAR(position(world, ball).x(), 2e-3 - 0.5 * 8e-3, 3e-4);
  EXPECT_NEAR(position(world, ball).y(), 2.7e-3 - 0.15 * 1e-3, 3e-4);
}

// A scanned body hits with the point that is lowest: there, the speed along the normal is -e times
// that before, and its momenta follow from one impulse.
TEST_F(Impact, a_scanned_body_turns_as_one_impulse_says) {
  RigidShape scan = spiral_ball(1500, kR);
  Vector3 lowest = Vector3::Zero();
  for (std::size_t i = 0; i < scan.points.size(); ++i) {
    const Vector3 out = -scan.normals[i];
    const Vector3 p =
        scan.points[i] * (1.0 + 0.15 * std::sin(3.0 * out.x() + 1.0) * std::cos(5.0 * out.y()));
    if (p.z() < lowest.z()) lowest = p;
  }
  for (const double rate : kImpactRates) {
    for (const double e : kRestitutions) {
      Scene scene = ground(Vector3::Zero());
      scene.rate_hz = rate;
      const double v = 0.2;
      const std::size_t body_index =
          add(scene, "scan.h5", {0.0, 0.0, -lowest.z() + 0.001}, {{0.0, 0.0, -v}, Vector3::Zero()});
      bounce(scene, body_index, 0, 1e4, e);
      SolidsWorld world(scene, nullptr);
      const double before = energy(world);
      int steps = 0;
      while (body(world).twist().angular.norm() < 1e-6 && steps++ < 1000) hold(world, {}, 1);
      const Vector3 arm = lowest.cross(Vector3::UnitZ());
      const double impulse =
          (1.0 + e) * v / (1.0 / scan.mass + arm.squaredNorm() / scan.inertia.x());
      // Points beside the lowest one that come in within the same step take a part.
      const double bound = 0.05 + (rate < 500.0 ? 0.1 : 0.0);
      EXPECT_NEAR(body(world).momentum().z(), impulse - scan.mass * v, bound * impulse)
          << rate << " " << e;
      EXPECT_LE((body(world).angular_momentum() - impulse * arm).norm(), bound * impulse * kR)
          << rate << " " << e;
      EXPECT_LE(energy(world), before * (1.0 + 1e-12)) << rate << " " << e;
    }
  }
}

// Dropped from 0.2 m, it rises to e^2 of it: gravity makes the parabola of a step shorter by
// g h / v, 2 % of the speed at 250 Hz before and after.
TEST_F(Impact, a_dropped_ball_rises_to_the_height_of_e_squared) {
  for (const double rate : {250.0, 1000.0, 4000.0}) {
    for (const double e : {0.5, 0.9}) {
      Scene scene = ground();
      scene.rate_hz = rate;
      const std::size_t ball = add(scene, "bouncer.h5", {0.0, 0.0, kR + 0.2});
      bounce(scene, ball, 0, 1e4, e, 0.5);
      SolidsWorld world(scene, nullptr);
      const double fall = std::sqrt(2.0 * 0.2 / kG);
      double top = 0.0;
      for (int i = 0; i < static_cast<int>((1.0 + 1.5 * e) * fall * rate); ++i) {
        hold(world, {}, 1);
        if (i > 1.05 * fall * rate) top = std::max(top, position(world, ball).z() - kR);
      }
      const double v = std::sqrt(2.0 * kG * 0.2);
      EXPECT_NEAR(std::sqrt(top / 0.2), e, (0.01 + 1.5 * kG / (rate * v)) * e) << rate << " " << e;
    }
  }
}

// It comes to rest in the sum of its bounces, 2 v e / (g (1 - e)), and the last ones; and a body at
// rest stays there. Bodies that rest fall asleep.
TEST_F(Impact, what_bounces_comes_to_rest) {
  for (const double rate : {250.0, 1000.0, 4000.0}) {
    for (const double k : {1e2, 1e4, 1e6}) {
      for (const char* const model : {"bouncer.h5", "block.h5"}) {
        Scene scene = ground();
        scene.rate_hz = rate;
        edit_solids(scene).dynamics.sleep_speed = 1e-3;
        const std::size_t ball = add(scene, model, {0.0, 0.0, kR + 0.05});
        bounce(scene, ball, 0, k, 0.5, 0.5);
        // Nothing else stops a ball that rolls or spins.
        edit_solids(scene).contacts.back().rolling_friction = 1e-3;
        edit_solids(scene).contacts.back().spinning_friction = 1e-3;
        SolidsWorld world(scene, nullptr);
        hold(world, {}, static_cast<int>(1.0 * rate));
        EXPECT_LE(body(world).twist().linear.norm(), 1e-3) << rate << " " << k << " " << model;
        hold(world, {}, static_cast<int>(1.0 * rate));
        EXPECT_EQ(state_value(world, "contact/asleep"), 1.0) << rate << " " << k << " " << model;
        EXPECT_EQ(state_value(world, "contact/created_energy"), 0.0) << rate << " " << k;
      }
    }
  }
}

TEST_F(Impact, a_box_at_rest_with_much_restitution_stays) {
  for (const double rate : {250.0, 1000.0, 4000.0}) {
    for (const double k : {1e2, 1e4, 1e6}) {
      Scene scene = ground();
      scene.rate_hz = rate;
      const double mass = 1000.0 * 8.0 * 0.03 * 0.03 * 0.02;
      const double depth = mass * kG / (400.0 * k);
      const std::size_t box = add(scene, "block.h5", {0.0, 0.0, 0.02 - depth});
      bounce(scene, box, 0, k, 0.9, 0.5);
      SolidsWorld world(scene, nullptr);
      double fastest = 0.0;
      for (int i = 0; i < static_cast<int>(rate); ++i) {
        hold(world, {}, 1);
        fastest = std::max(fastest, body(world).twist().linear.norm());
      }
      EXPECT_LE(fastest, 1e-4) << rate << " " << k;
      EXPECT_NEAR(position(world, box).z(), 0.02 - depth, 1e-6) << rate << " " << k;
    }
  }
}

// A heap of tumbling blocks and balls with friction never gains energy.
TEST_F(Impact, tumbling_bodies_never_gain_energy) {
  for (const double rate : {250.0, 1000.0, 4000.0}) {
    Scene scene = ground();
    scene.rate_hz = rate;
    std::size_t first = 0;
    for (int i = 0; i < 4; ++i) {
      const std::size_t body = add(scene, i % 2 == 0 ? "block.h5" : "bouncer.h5",
                                   {0.005 * i, 0.003 * i, 0.08 + 0.09 * i},
                                   {{0.1, -0.1 * i, -1.0}, {3.0, 5.0 - i, 2.0}});
      if (i == 0) first = body;
      bounce(scene, body, 0, 1e4, 0.8, 0.4);
      for (std::size_t other = first; other < body; ++other) {
        bounce(scene, body, other, 1e4, 0.8, 0.4);
      }
    }
    SolidsWorld world(scene, nullptr);
    double most = energy(world);
    const double start = most;
    const double time = rate > 2000.0 ? 0.5 : 2.0;
    for (int i = 0; i < static_cast<int>(time * rate); ++i) {
      hold(world, {}, 1);
      most = std::max(most, energy(world));
    }
    EXPECT_LE(most, start * (1.0 + 1e-9)) << rate;
    if (time > 1.0) {
      EXPECT_LE(energy(world), 0.6 * start) << rate;
    }
  }
}

TEST_F(Impact, no_step_allocates) {
  Scene scene = ground();
  const std::size_t one = add(scene, "block.h5", {0.0, 0.0, 0.03});
  const std::size_t two =
      add(scene, "bouncer.h5", {0.01, 0.0, 0.08}, {{0.2, 0.0, -1.0}, {1, 2, 3}});
  bounce(scene, one, 0, 1e4, 0.7, 0.4);
  bounce(scene, two, one, 1e4, 0.7, 0.4);
  edit_solids(scene).contacts.back().rolling_friction = 1e-3;
  edit_solids(scene).contacts.back().spinning_friction = 1e-3;
  SolidsWorld world(scene, nullptr);
  WorldOutput output;
  NoAllocation guard;
  for (int i = 0; i < 300; ++i) EXPECT_EQ(world.step({}, output), WorldStatus::kOk);
}

TEST_F(Impact, is_refused_where_a_body_deforms_or_is_held) {
  Scene held = ground();
  const std::size_t ball = add(held, "bouncer.h5", {0.0, 0.0, 0.1});
  bounce(held, ball, 1, 1e3, 0.5);
  EXPECT_NE(refusal(held).find("which the hand holds"), std::string::npos) << refusal(held);

  Scene soft = ground();
  soft.bodies.push_back({"soft", folder_ / "soft_ball.h5", BodyRole::kAnchored, {}});
  const std::size_t other = add(soft, "bouncer.h5", {0.0, 0.0, 0.1});
  bounce(soft, 2, other, 1e3, 0.5);
  EXPECT_NE(refusal(soft).find("which deforms"), std::string::npos) << refusal(soft);
}

}  // namespace
}  // namespace haptic::solids
