#include "rt/worlds/cloth/point_hand.h"

#include <gtest/gtest.h>

#include <cmath>

#include "lab/samples/touch_sheets.h"
#include "tests/support/no_allocation.h"

namespace haptic::cloth {
namespace {

/// A still, flat sheet at z = 0 that nothing moves, and a hand above it.
class Hand : public ::testing::Test {
 protected:
  static constexpr double kStep = 1e-3, kStiffness = 400.0, kRadius = 1e-4;
  static constexpr std::uint64_t kDown = 1;

  explicit Hand(double friction = 0.0)
      : sheet_(9, 0.02),
        scan_(sheet_.mesh.triangles),
        hand_(sheet_.mesh.triangles, sheet_.mesh.vertices.size(), scan_, settings(friction),
              kStep) {
    EXPECT_TRUE(hand_.place({0.003, 0.007, 0.01}, sheet_.x));
  }
  static PointHand::Settings settings(double friction) {
    PointHand::Settings s;
    s.touch = {kRadius, friction};
    s.grip.button = 0;
    return s;
  }
  void cycle(const Vector3& device, double fraction, int cycles, std::uint64_t buttons = 0) {
    for (int i = 0; i < cycles; ++i) {
      ASSERT_EQ(hand_.approach(device, buttons, fraction, kStiffness, sheet_.x),
                TouchResult::kDone);
      ASSERT_EQ(hand_.follow(sheet_.x, sheet_.x), TouchResult::kDone);
    }
  }
  static HeldBody::StepSystem system(double held_back = 0.0) {
    HeldBody::StepSystem s{};
    s.held_back.setConstant(held_back);
    return s;
  }
  static Vector6 way(const Vector3& d) {
    Vector6 all = Vector6::Zero();
    all.head<3>() = d;
    return all;
  }
  TouchSheet sheet_;
  ScannedTriangles scan_;
  PointHand hand_;
};

class RoughHand : public Hand {
 protected:
  RoughHand() : Hand(0.3) {}
};

TEST_F(Hand, in_free_space_it_goes_a_fraction_of_the_way) {
  cycle({0.003, 0.007, 0.03}, 0.25, 0);
  ASSERT_EQ(hand_.approach({0.003, 0.007, 0.03}, 0, 0.25, kStiffness, sheet_.x),
            TouchResult::kDone);
  EXPECT_NEAR(hand_.position().z(), 0.01 + 0.25 * 0.02, 1e-15);
  EXPECT_TRUE(hand_.contacts().empty());
}

// Whatever part of the way the point may go, the contact is the whole spring of the coupling.
TEST_F(Hand, contacts_are_the_spring_from_the_hand_to_the_point) {
  for (const double fraction : {0.1, 0.5, 1.0}) {
    SCOPED_TRACE(fraction);
    ASSERT_TRUE(hand_.place({0.003, 0.007, 0.01}, sheet_.x));
    const Vector3 device(0.003, 0.007, -0.01);
    cycle(device, fraction, 100);
    ASSERT_EQ(hand_.approach(device, 0, fraction, kStiffness, sheet_.x), TouchResult::kDone);
    ASSERT_EQ(hand_.contacts().size(), 1U);
    const ClothContact& contact = hand_.contacts()[0];
    EXPECT_LT((contact.normal + Vector3::UnitZ()).norm(), 1e-12) << "of the force on the cloth";
    EXPECT_NEAR(-contact.gap, hand_.position().z() - device.z(), 1e-12);
    EXPECT_NEAR(-contact.gap, 0.01 + kRadius, 1e-12);
    EXPECT_EQ(contact.stiffness, kStiffness);
    EXPECT_EQ(contact.last_normal_force, kStiffness * -contact.gap);
    EXPECT_LT(contact.stretch.norm(), 1e-12);
    Vector3 below = Vector3::Zero();
    for (std::size_t k = 0; k < 3; ++k) {
      below += contact.weights[k] * Vector3(at(sheet_.x, contact.particles[k]));
    }
    EXPECT_LT((below - Vector3(0.003, 0.007, 0.0)).norm(), 1e-12);
  }
}

TEST_F(Hand, the_step_gets_the_whole_way_and_the_planes) {
  EXPECT_EQ(hand_.point_contact(), nullptr);
  const Vector3 device(0.003, 0.007, -0.01);
  cycle(device, 0.5, 100);
  ASSERT_EQ(hand_.approach(device, 0, 0.5, kStiffness, sheet_.x), TouchResult::kDone);
  const PointContact* contact = hand_.point_contact();
  ASSERT_NE(contact, nullptr);
  ASSERT_EQ(contact->count, 1U);
  EXPECT_LT((contact->planes[0].normal - Vector3::UnitZ()).norm(), 1e-12);
  EXPECT_EQ(contact->planes[0].part, 1.0);
  EXPECT_EQ(contact->stiffness, kStiffness);
  // Planes give way a little, and the lag makes up for that.
  EXPECT_LT((contact->held({}).spring - (hand_.position() - device)).norm(), 1e-9);
}

// Coulomb's cone about the normal from the device: 5.1 mm of depth hold 1.53 mm of lag, to the skin
// of the contact, 1e-3 of the radius.
TEST_F(RoughHand, friction_holds_up_to_its_share_of_the_depth) {
  const double depth = 0.005 + kRadius;
  for (const double fraction : {0.3, 1.0}) {
    SCOPED_TRACE(fraction);
    ASSERT_TRUE(hand_.place({0.0, 0.0, 0.001}, sheet_.x));
    cycle({0.0, 0.0, -0.005}, fraction, 200);
    cycle({0.001, 0.0, -0.005}, fraction, 200);
    ASSERT_EQ(hand_.contacts().size(), 1U);
    EXPECT_NEAR(hand_.position().x(), 0.0, 1e-9);
    EXPECT_NEAR(hand_.contacts()[0].stretch.x(), -0.001, 1e-9);
    EXPECT_EQ(hand_.contacts()[0].friction, 0.3);
    cycle({0.004, 0.0, -0.005}, fraction, 200);
    ASSERT_EQ(hand_.approach({0.004, 0.0, -0.005}, 0, fraction, kStiffness, sheet_.x),
              TouchResult::kDone);
    ASSERT_EQ(hand_.contacts().size(), 1U);
    EXPECT_NEAR(hand_.position().x(), 0.004 - 0.3 * depth, 1e-7);
    const ClothContact& contact = hand_.contacts()[0];
    EXPECT_NEAR(contact.stretch.norm(), 0.3 * -contact.gap, 1e-7);
  }
}

TEST_F(Hand, a_grab_changes_the_force_by_a_step_of_its_time_constant) {
  const Vector3 device(0.003, 0.007, -0.005);
  cycle(device, 0.5, 100);
  const Vector3 felt = kStiffness * (hand_.position() - device);
  ASSERT_EQ(hand_.approach(device, kDown, 0.5, kStiffness, sheet_.x), TouchResult::kDone);
  ASSERT_TRUE(hand_.grabbed());
  const Vector3 particle = at(sheet_.x, *hand_.grabbed());
  EXPECT_LT((particle - Vector3(0.0, 0.0, 0.0)).norm(), 1e-12) << "the nearest";
  EXPECT_TRUE(hand_.contacts().empty());
  // 1 ms of 0.1 s: a hundredth of the way to the particle.
  const Vector3 now = kStiffness * (hand_.position() - device);
  const double way = (particle - Vector3(0.003, 0.007, kRadius)).norm();
  EXPECT_LT((now - felt).norm(), 0.01 * kStiffness * way);
  // The particle feels the same force the other way.
  ASSERT_TRUE(hand_.spring());
  const Vector3 on_cloth = hand_.spring()->stiffness * (hand_.spring()->target - particle);
  EXPECT_LT((on_cloth + now).norm(), 1e-12);
  // In a second the particle is at the hand's point, to e^-10 of the way.
  cycle(device, 0.5, 1000, kDown);
  EXPECT_LT((hand_.position() - particle).norm(), 5e-5 * way);
}

TEST_F(Hand, what_is_let_go_leaves_the_point_free_on_the_hands_side) {
  for (const double side : {1.0, -1.0}) {
    SCOPED_TRACE(side);
    ASSERT_TRUE(hand_.place({0.001, 0.001, 0.01}, sheet_.x));
    cycle({0.001, 0.001, 0.005}, 0.5, 50);
    cycle({0.001, 0.001, side * 0.005}, 0.5, 1000, kDown);
    ASSERT_TRUE(hand_.grabbed());
    TouchResult result;
    {
      NoAllocation guard;
      result = hand_.approach({0.001, 0.001, side * 0.005}, 0, 0.5, kStiffness, sheet_.x);
    }
    ASSERT_EQ(result, TouchResult::kDone);
    EXPECT_FALSE(hand_.grabbed());
    EXPECT_FALSE(hand_.spring());
    EXPECT_GE(side * hand_.position().z(), kRadius * (1.0 - 1e-12));
    cycle({0.001, 0.001, side * 0.005}, 0.5, 100);
    // The last move is shorter than the skin of the contact.
    EXPECT_NEAR(hand_.position().z(), side * 0.005, 1e-7);
  }
}

TEST_F(Hand, a_response_goes_along_the_plane_and_not_into_it) {
  const Vector3 device(0.003, 0.007, -0.005);
  cycle(device, 1.0, 100);
  Pose manipulandum;
  manipulandum.position = device;
  const HeldResponse response =
      hand_.response(manipulandum, system(0.2), CouplingSettings{}, Matrix3::Zero());
  // A fifth is late, of a way of 0.1 mm.
  const Vector6 aside = way({1e-4, 0.0, 0.0});
  EXPECT_LT((response.motion(aside) - aside).norm(), 1e-12);
  EXPECT_LT((response.late.head<3>() - Vector3::Constant(0.2)).norm(), 1e-12);
  EXPECT_LT(response.motion(way({0.0, 0.0, -1e-4})).norm(), 1e-12);
  EXPECT_LT(response.motion(way({0.0, 0.0, 1e-4})).norm(), 1e-12) << "it presses still";
  // Out by more than the depth: it goes along with the rest.
  EXPECT_GT(response.motion(way({0.0, 0.0, 0.0105}))[2], 1e-5);
  // At most as far as the point may go in a step.
  EXPECT_LE(response.motion(way({1.0, 0.0, 0.0})).head<3>().norm(),
            CouplingSettings{}.max_step * (1.0 + 1e-12));
}

TEST_F(RoughHand, a_response_with_friction_sticks_and_slides_at_the_limit) {
  const Vector3 device(0.003, 0.007, -0.005);
  cycle(device, 1.0, 100);
  Pose manipulandum;
  manipulandum.position = device;
  const HeldResponse response =
      hand_.response(manipulandum, system(), CouplingSettings{}, Matrix3::Zero());
  EXPECT_LT(response.motion(way({1e-4, 0.0, 0.0})).norm(), 1e-12);
  EXPECT_GT(response.motion(way({4e-3, 0.0, 0.0}))[0], 1e-5);
}

TEST_F(Hand, a_response_goes_with_a_cloth_that_gives_way) {
  const Vector3 device(0.003, 0.007, -0.005);
  cycle(device, 1.0, 100);
  Pose manipulandum;
  manipulandum.position = device;
  const HeldResponse response = hand_.response(manipulandum, system(), CouplingSettings{},
                                               Vector3(0.1, 0.1, 0.4).asDiagonal());
  // Without friction its motion along the plane is the hand's, not the cloth's.
  EXPECT_LT((response.motion(way({1e-4, 0.0, 0.0})) - way({1e-4, 0.0, 0.0})).norm(), 1e-12);
  EXPECT_LT((response.motion(way({0.0, 0.0, -1e-4})) - way({0.0, 0.0, -0.4e-4})).norm(), 1e-12);
}

TEST_F(Hand, a_grabbed_particle_does_not_move_between_two_steps) {
  cycle({0.003, 0.007, 0.002}, 0.5, 50, kDown);
  ASSERT_TRUE(hand_.grabbed());
  const HeldResponse response =
      hand_.response(Pose{}, system(), CouplingSettings{}, Matrix3::Zero());
  EXPECT_EQ(response.motion(way({1e-3, 1e-3, 1e-3})).head<3>().norm(), 0.0);
}

TEST_F(Hand, a_device_that_is_not_finite_is_said) {
  EXPECT_EQ(hand_.approach({0.0, std::nan(""), 0.0}, 0, 1.0, kStiffness, sheet_.x),
            TouchResult::kNotFinite);
  EXPECT_LT((hand_.position() - Vector3(0.003, 0.007, 0.01)).norm(), 1e-12);
}

}  // namespace
}  // namespace haptic::cloth
