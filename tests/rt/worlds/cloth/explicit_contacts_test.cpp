#include "rt/worlds/cloth/explicit_contacts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "rt/worlds/cloth/particle_vectors.h"
#include "tests/support/no_allocation.h"

namespace haptic::cloth {
namespace {

class Explicit : public ::testing::Test {
 protected:
  static constexpr double kStep = 1e-3, kStiffness = 100.0;

  static ClothContact pressed(double depth, double friction = 0.0) {
    ClothContact contact;
    contact.gap = -depth;
    contact.stiffness = kStiffness;
    contact.friction = friction;
    return contact;
  }
  Explicit() : contacts_(2), v_(9, 0.0), applied_(9, 0.0) {}
  ContactForce apply(const ClothContact& contact) {
    contacts_.clear();
    std::ranges::fill(applied_, 0.0);
    EXPECT_TRUE(contacts_.add(contact));
    contacts_.apply(v_, kStep, applied_);
    return contacts_.force(0);
  }
  ExplicitContacts contacts_;
  ParticleVectors v_, applied_;
};

TEST_F(Explicit, the_normal_force_is_k_times_the_overlap_at_the_start) {
  v_[2] = -3.0;  // has no influence
  const ContactForce force = apply(pressed(0.002));
  EXPECT_NEAR(force.normal, 0.2, 1e-15);
  EXPECT_NEAR(force.force.z(), 0.2, 1e-15);
  EXPECT_NEAR(force.gap, -0.002 - 3.0 * kStep, 1e-15);
  EXPECT_EQ(apply(pressed(-0.001)).force, Vector3::Zero());
}

TEST_F(Explicit, the_force_is_spread_by_the_weights) {
  ClothContact contact = pressed(0.01);
  contact.particles = {2, 0, 1};
  contact.weights = {0.5, 0.3, 0.2};
  contact.count = 3;
  apply(contact);
  EXPECT_NEAR(applied_[8], 0.5, 1e-15);
  EXPECT_NEAR(applied_[2], 0.3, 1e-15);
  EXPECT_NEAR(applied_[5], 0.2, 1e-15);
}

TEST_F(Explicit, friction_is_a_spring_up_to_its_limit) {
  // Sticks: 100 N/m times 1 mm of stretch and 0.5 mm of way is less than 0.5 x 1 N.
  v_[0] = 0.5;
  ClothContact contact = pressed(0.01, 0.5);
  contact.stretch = {0.001, 0.0, 0.0};
  ContactForce force = apply(contact);
  EXPECT_FALSE(force.slides);
  EXPECT_NEAR(force.force.x(), -0.15, 1e-15);
  EXPECT_EQ(force.slip, Vector3::Zero());
  // Slides: the anchor is dragged by what is too much.
  contact.stretch = {0.008, 0.0, 0.0};
  force = apply(contact);
  EXPECT_TRUE(force.slides);
  EXPECT_NEAR(force.force.x(), -0.5, 1e-15);
  EXPECT_NEAR(force.slip.x(), 0.0085 - 0.005, 1e-15);
  EXPECT_NEAR(force.stretch.x(), 0.005, 1e-15);
  // Without pressure there is none.
  contact.gap = 0.001;
  EXPECT_EQ(apply(contact).force, Vector3::Zero());
}

TEST_F(Explicit, a_moving_surface_drags) {
  ClothContact contact = pressed(0.01, 10.0);
  contact.surface_velocity = {0.0, 2.0, 7.0};
  EXPECT_NEAR(apply(contact).force.y(), kStiffness * 2.0 * kStep, 1e-15);
}

TEST_F(Explicit, capacity_is_fixed) {
  NoAllocation guard;
  EXPECT_TRUE(contacts_.add(pressed(0.001)));
  EXPECT_TRUE(contacts_.add(pressed(0.001)));
  EXPECT_FALSE(contacts_.add(pressed(0.001)));
  contacts_.apply(v_, kStep, applied_);
  EXPECT_EQ(contacts_.size(), 2U);
  contacts_.clear();
  EXPECT_EQ(contacts_.size(), 0U);
}

// A particle that is pressed on a wall swings about its rest: v, then x, a Verlet method. Its
// amplitude grows by 1 / sqrt(1 - k h^2 / 4 m), 1.155 at the largest stiffness, and without end
// above k h^2 = 4 m.
TEST_F(Explicit, at_the_largest_stiffness_a_particle_on_a_wall_is_stable) {
  const double mass = 1e-4, largest = ExplicitContacts::largest_stiffness(mass, kStep);
  EXPECT_NEAR(largest, 100.0, 1e-12);
  const auto amplitude = [&](double k) {
    const double press = 1e-3 * k, rest = -1e-3;
    double z = rest - 1e-4, v = 0.0, most = 0.0;
    for (int i = 0; i < 1000; ++i) {
      ClothContact contact = pressed(-z);
      contact.stiffness = k;
      v_[2] = v;
      v += kStep / mass * (apply(contact).force.z() - press);
      z += kStep * v;
      most = std::max(most, std::abs(z - rest));
    }
    return most;
  };
  EXPECT_LT(amplitude(largest), 1.155e-4);
  EXPECT_GT(amplitude(4.1 * largest), 1e-3);
}

}  // namespace
}  // namespace haptic::cloth
