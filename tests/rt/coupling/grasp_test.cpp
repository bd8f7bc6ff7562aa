#include "rt/coupling/grasp.h"

#include <gtest/gtest.h>

#include <cmath>

#include "rt/coupling/hand_coupling.h"
#include "tests/rt/coupling/random_poses.h"

namespace haptic {
namespace {

HandCoupling coupling_at(const Vector3& grasp) {
  HandCoupling law;
  law.home = {{0.3, -0.2, 0.1}, rotation_exponential({0.4, -0.3, 0.8})};
  law.grasp = Grasp(grasp);
  law.length_scale = 2.0;
  law.stiffness = 400.0;
  law.rotational_stiffness = 1.0;
  return law;
}

Pose moved(const Pose& pose, const Vector3& by, const Vector3& turn) {
  return {pose.position + by, rotation_exponential(turn) * pose.orientation};
}

TEST(Grasp, at_the_origin_is_the_body_to_the_last_bit) {
  RandomPoses random(1);
  for (int i = 0; i < 100; ++i) {
    const Pose body{random.number(0.0, 1.0) * random.direction(),
                    rotation_exponential(random.number(0.0, 3.0) * random.direction())};
    const Grasp grasp(Vector3::Zero());
    EXPECT_EQ(grasp.frame(body).position, body.position);
    EXPECT_EQ(grasp.body(body).position, body.position);
    const Twist twist{random.direction(), random.direction()};
    EXPECT_EQ(grasp.body(twist, body.orientation).linear, twist.linear);
  }
}

TEST(Grasp, frame_and_body_are_inverse) {
  RandomPoses random(2);
  for (int i = 0; i < 100; ++i) {
    const Pose body{random.direction(),
                    rotation_exponential(random.number(0.0, 3.0) * random.direction())};
    const Grasp grasp(0.1 * random.direction());
    const Pose frame = grasp.frame(body);
    EXPECT_LE((frame.position - body.to_world(grasp.point())).norm(), 1e-16);
    // Two roundings of numbers up to 1.1.
    EXPECT_LE((grasp.body(frame).position - body.position).norm(), 1e-15);
  }
}

TEST(Grasp, the_origin_s_velocity_is_that_of_a_rigid_motion) {
  RandomPoses random(3);
  for (int i = 0; i < 20; ++i) {
    const Pose frame{random.direction(), rotation_exponential(random.direction())};
    const Grasp grasp(0.1 * random.direction());
    const Twist twist{random.direction(), random.direction()};
    const double h = 1e-6;
    const auto at = [&](double t) {
      return grasp.body(moved(frame, t * twist.linear, t * twist.angular)).position;
    };
    // Central differences: h² |w|³ |g| / 6 and the rounding of positions over 2 h, 1e-10.
    EXPECT_LE((grasp.body(twist, frame.orientation).linear - (at(h) - at(-h)) / (2.0 * h)).norm(),
              1e-9);
  }
}

TEST(Grasp, the_manipulandum_begins_at_home_and_turns_about_the_grasp) {
  RandomPoses random(4);
  for (int i = 0; i < 50; ++i) {
    const HandCoupling law = coupling_at(0.1 * random.direction());
    const Pose start = law.manipulandum(Pose{});
    EXPECT_LE((start.position - law.home.position).norm(), 1e-15);
    EXPECT_LE(start.orientation.angularDistance(law.home.orientation), 1e-7);
    const Vector3 held = law.home.to_world(law.grasp.point());
    Pose hand;
    hand.orientation = rotation_exponential(random.number(0.0, 3.0) * random.direction());
    EXPECT_LE((law.manipulandum(hand).to_world(law.grasp.point()) - held).norm(), 1e-15);
    hand.position = 0.05 * random.direction();
    EXPECT_LE((law.manipulandum(hand).to_world(law.grasp.point()) - held -
               law.length_scale * hand.position)
                  .norm(),
              1e-15);
  }
}

// The coupling takes out what it was given on any path if its wrench is the gradient of an energy
// that depends on the two poses alone, on the hand and on the body.
TEST(Grasp, the_wrench_is_the_gradient_of_the_stored_energy) {
  RandomPoses random(5);
  const double h = 1e-6;
  for (int i = 0; i < 100; ++i) {
    const HandCoupling law = coupling_at(random.number(0.01, 0.2) * random.direction());
    const Pose hand{0.02 * random.direction(),
                    rotation_exponential(random.number(0.0, 1.0) * random.direction())};
    const Pose held =
        moved(law.home, 0.03 * random.direction(), random.number(0.0, 1.0) * random.direction());
    const Wrench felt = law.wrench(law.manipulandum(hand), {}, held, {});
    // Of an energy of 1 J, rounding over 2 h: 1e-10 N; third derivatives times h²: less.
    const double tolerance = 1e-8;
    // The body turns about its origin, where the force on its grasp has a lever arm.
    const Vector3 arm = rotated(held.orientation, law.grasp.point());
    const Vector3 lever = -arm.cross(felt.force);
    for (int k = 0; k < 3; ++k) {
      const Vector3 e = h * Vector3::Unit(k);
      const auto of_hand = [&](const Vector3& by, const Vector3& turn) {
        return law.stored(law.manipulandum(moved(hand, by, turn)), held);
      };
      const auto of_body = [&](const Vector3& by, const Vector3& turn) {
        return law.stored(law.manipulandum(hand), moved(held, by, turn));
      };
      const Vector3 o = Vector3::Zero();
      EXPECT_NEAR(felt.force[k], (of_hand(-e, o) - of_hand(e, o)) / (2.0 * h), tolerance);
      EXPECT_NEAR(felt.torque[k], (of_hand(o, -e) - of_hand(o, e)) / (2.0 * h), tolerance);
      // The energy is that of the hand, for which simulated lengths are length_scale times longer.
      EXPECT_NEAR(-felt.force[k], law.length_scale * (of_body(-e, o) - of_body(e, o)) / (2.0 * h),
                  tolerance);
      EXPECT_NEAR(lever[k] / law.length_scale - felt.torque[k],
                  (of_body(o, -e) - of_body(o, e)) / (2.0 * h), tolerance);
    }
  }
}

}  // namespace
}  // namespace haptic
