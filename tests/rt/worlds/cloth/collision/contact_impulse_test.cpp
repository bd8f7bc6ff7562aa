#include "rt/worlds/cloth/collision/contact_impulse.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "rt/worlds/cloth/collision/impact_zones.h"
#include "rt/worlds/cloth/particle_vectors.h"

namespace haptic::cloth {
namespace {

constexpr double kDt = 0.01;

/// A vertex 0 of 1 kg above the middle of a triangle of 2, 3 and 4 kg, in the plane z = 0.
class ImpulsePair : public testing::Test {
 protected:
  ImpulsePair() {
    at(x_, 0) = Vector3(0.25, 0.25, 0.01);
    at(x_, 2) = Vector3(1.0, 0.0, 0.0);
    at(x_, 3) = Vector3(0.0, 1.0, 0.0);
    where_ = distance_between(pair_.kind, gather(pair_, x_));
  }
  void set_velocity(std::size_t particle, const Vector3& v) {
    at(velocities_, particle) = v;
    at(moves_, particle) = kDt * v;
  }
  Vector3 momentum() const {
    Vector3 sum = Vector3::Zero();
    for (std::size_t i = 0; i < 4; ++i) sum += masses_[i] * at(velocities_, i);
    return sum;
  }
  double energy() const {
    double sum = 0.0;
    for (std::size_t i = 0; i < 4; ++i) sum += 0.5 * masses_[i] * at(velocities_, i).squaredNorm();
    return sum;
  }
  Vector3 relative(const ParticleVectors& vectors) const {
    return difference(where_.weights, gather(pair_, vectors));
  }

  const FeaturePair pair_{{0, 1, 2, 3}, FeaturePair::Kind::kVertexTriangle};
  const std::array<double, 4> masses_{1.0, 2.0, 3.0, 4.0};
  ParticleConstraints constraints_{masses_};
  ParticleVectors x_ = ParticleVectors(12, 0.0), moves_ = x_, velocities_ = x_;
  std::array<unsigned char, 4> changed_{};
  PairDistance where_;
  PairMotion motion_{constraints_, masses_, moves_, velocities_, changed_, kDt};
};

TEST_F(ImpulsePair, an_approach_ends_by_the_inverse_masses) {
  set_velocity(0, {0.0, 0.0, -2.0});
  ASSERT_TRUE(separate(pair_, where_, 0.0, 0.0, motion_));
  // Weights 1; 1/2, 1/4, 1/4: J = 2 / (1 + 1/8 + 1/48 + 1/64).
  const double impulse = 2.0 / (1.0 + 0.25 / 2.0 + 0.0625 / 3.0 + 0.0625 / 4.0);
  EXPECT_NEAR(velocities_[2], -2.0 + impulse, 1e-14);
  EXPECT_NEAR(velocities_[5], -0.25 * impulse, 1e-14);
  EXPECT_NEAR(velocities_[8], -0.25 / 3.0 * impulse, 1e-14);
  EXPECT_NEAR(velocities_[11], -0.0625 * impulse, 1e-14);
  EXPECT_NEAR(relative(velocities_)[2], 0.0, 1e-14);
  for (std::size_t k = 0; k < 12; ++k) EXPECT_NEAR(moves_[k], kDt * velocities_[k], 1e-16);
  for (const unsigned char changed : changed_) EXPECT_EQ(changed, 1);
}

TEST_F(ImpulsePair, an_approach_may_go_on_to_what_is_wanted) {
  set_velocity(0, {0.0, 0.0, -2.0});
  ASSERT_TRUE(separate(pair_, where_, -0.008, 0.0, motion_));
  EXPECT_NEAR(relative(moves_)[2], -0.008, 1e-15);
  EXPECT_NEAR(relative(velocities_)[2], -0.8, 1e-13);
  // It does so already.
  EXPECT_FALSE(separate(pair_, where_, -0.0081, 0.0, motion_));
}

TEST_F(ImpulsePair, a_push_moves_and_gives_no_velocity) {
  set_velocity(0, {0.3, 0.0, 0.1});
  const ParticleVectors before = velocities_;
  ASSERT_TRUE(separate(pair_, where_, 0.004, 0.5, motion_));
  EXPECT_EQ(velocities_, before);
  EXPECT_NEAR(relative(moves_)[2], 0.004, 1e-16);
  Vector3 centre = Vector3::Zero();
  for (std::size_t i = 0; i < 4; ++i) centre += masses_[i] * at(moves_, i);
  EXPECT_LT((centre - kDt * momentum()).norm(), 1e-16);
}

TEST_F(ImpulsePair, friction_is_within_its_cone_and_ends_at_rest) {
  for (const double friction : {0.1, 100.0}) {
    set_velocity(0, {0.6, 0.8, -2.0});
    const Vector3 before = momentum();
    const double energy_before = energy();
    ASSERT_TRUE(separate(pair_, where_, 0.0, friction, motion_));
    EXPECT_LT((momentum() - before).norm(), 1e-14);
    EXPECT_LT(energy(), energy_before);
    const Vector3 sliding = relative(velocities_);
    // The normal relative velocity has changed by 2 m/s.
    const double expected = friction == 0.1 ? 1.0 - 0.1 * 2.0 : 0.0;
    EXPECT_NEAR(sliding[0], 0.6 * expected, 1e-13);
    EXPECT_NEAR(sliding[1], 0.8 * expected, 1e-13);
    for (std::size_t k = 0; k < 12; ++k) EXPECT_NEAR(moves_[k], kDt * velocities_[k], 1e-15);
    for (std::size_t i = 0; i < 4; ++i) set_velocity(i, Vector3::Zero());
  }
}

TEST_F(ImpulsePair, what_cannot_move_is_not_moved) {
  for (std::size_t i = 1; i < 4; ++i) constraints_.pin(i, at(x_, i));
  constraints_.keep_in_plane(0, at(x_, 0), Vector3::UnitZ());
  set_velocity(0, {0.3, 0.0, 0.0});
  EXPECT_FALSE(separate(pair_, where_, 0.004, 0.5, motion_));
  constraints_.keep_on_line(0, at(x_, 0), Vector3(1.0, 0.0, -1.0).normalized());
  set_velocity(0, {0.3, 0.0, -0.3});
  ASSERT_TRUE(separate(pair_, where_, 0.0, 0.0, motion_));
  EXPECT_LT(at(velocities_, 0).norm(), 1e-15);
}

TEST_F(ImpulsePair, zones_keep_momentum_and_stand_still_where_one_is_held) {
  ImpactZones zones(4);
  for (std::size_t i = 0; i < 4; ++i) set_velocity(i, {0.1 * static_cast<double>(i), 1.0, -0.5});
  const Vector3 before = momentum();
  const double energy_before = energy();
  EXPECT_EQ(zones.move_as_one(motion_), 0u);
  EXPECT_EQ(energy(), energy_before);
  EXPECT_TRUE(zones.join(pair_));
  EXPECT_FALSE(zones.join(pair_));
  EXPECT_EQ(zones.move_as_one(motion_), 4u);
  EXPECT_LT((momentum() - before).norm(), 1e-14);
  EXPECT_LT(energy(), energy_before);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(Vector3(at(velocities_, i)), Vector3(at(velocities_, 0)));
    EXPECT_LT((at(moves_, i) - kDt * before / 10.0).norm(), 1e-15);
  }
  constraints_.keep_in_plane(2, at(x_, 2), Vector3::UnitZ());
  EXPECT_EQ(zones.move_as_one(motion_), 4u);
  for (const double value : velocities_) EXPECT_EQ(value, 0.0);
  for (const double value : moves_) EXPECT_EQ(value, 0.0);
}

TEST(ImpactZones, zones_that_meet_are_one_and_others_are_not) {
  const std::vector<double> masses(10, 1.0);
  const ParticleConstraints constraints(masses);
  ParticleVectors moves(30, 0.0), velocities(30, 0.0);
  std::vector<unsigned char> changed(10, 0);
  PairMotion motion{constraints, masses, moves, velocities, changed, kDt};
  for (std::size_t i = 0; i < 10; ++i) velocities[3 * i] = static_cast<double>(i);
  ImpactZones zones(10);
  EXPECT_TRUE(zones.join({{0, 1, 2, 3}, FeaturePair::Kind::kEdges}));
  EXPECT_TRUE(zones.join({{5, 6, 7, 8}, FeaturePair::Kind::kEdges}));
  EXPECT_EQ(zones.move_as_one(motion), 8u);
  EXPECT_EQ(velocities[3], 1.5);
  EXPECT_EQ(velocities[12], 4.0);
  EXPECT_EQ(velocities[21], 6.5);
  EXPECT_EQ(changed[4], 0);
  EXPECT_TRUE(zones.join({{3, 5, 6, 7}, FeaturePair::Kind::kEdges}));
  EXPECT_EQ(zones.move_as_one(motion), 8u);
  EXPECT_EQ(velocities[0], 4.0);
  EXPECT_EQ(velocities[24], 4.0);
  zones.join_all();
  EXPECT_EQ(zones.move_as_one(motion), 10u);
  EXPECT_EQ(velocities[27], 4.5);
  zones.clear();
  EXPECT_EQ(zones.move_as_one(motion), 0u);
}

}  // namespace
}  // namespace haptic::cloth
