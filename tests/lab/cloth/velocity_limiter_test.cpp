#include "lab/cloth/velocity_limiter.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "lab/samples/cloth_samples.h"
#include "shared/error.h"
#include "tests/support/no_allocation.h"

namespace haptic::lab {
namespace {

/// A spring along x, of rest length 1, with ends that part and move across it as well.
struct Parting {
  cloth::ClothSystem system{{1.0, 1.0}, cloth::one_spring(1.0, 0.0), {}, cloth::weightless()};
  cloth::ParticleVectors x{0, 0, 0, 2, 0, 0}, v{-1.0, 0.5, 0.25, 3.0, -0.5, 0.75};

  std::size_t limit(const Vector3& v_other, double most = 1.1) {
    const VelocityLimiter limiter(system, most);
    NoAllocation guard;
    return limiter.apply(system.constraints(), v_other, {}, x, v);
  }
  double along(std::size_t i) const { return v[3 * i]; }
};

/// A direction with d . v_dir / |v_dir| = c for the spring along x.
Vector3 direction(double c) {
  return 4.0 * Vector3(c, 0.0, -std::sqrt(1.0 - c * c));
}

TEST(VelocityLimiter, across_the_motion_both_ends_get_the_mean) {
  for (const double c : {-0.29, 0.0, 0.29}) {
    Parting pair;
    const Vector3 before = momentum(pair.system, pair.v);
    EXPECT_EQ(pair.limit(direction(c)), 1u);
    EXPECT_NEAR(pair.along(1) - pair.along(0), 0.0, 1e-12);
    EXPECT_LT((momentum(pair.system, pair.v) - before).norm(), 1e-12);
    // Normal velocities stay.
    EXPECT_EQ(pair.v[1], 0.5);
    EXPECT_EQ(pair.v[5], 0.75);
  }
  Parting still;
  EXPECT_EQ(still.limit(Vector3::Zero()), 1u);
  EXPECT_EQ(still.along(0), 1.0);
  EXPECT_EQ(still.along(1), 1.0);
}

TEST(VelocityLimiter, a_spring_within_its_limit_or_that_shortens_is_left_alone) {
  Parting within;
  const cloth::ParticleVectors v = within.v;
  EXPECT_EQ(within.limit(direction(0.0), 2.0), 0u);
  EXPECT_EQ(within.v, v);
  Parting closing;
  closing.v = {3.0, 0.5, 0.25, -1.0, -0.5, 0.75};
  const cloth::ParticleVectors before = closing.v;
  EXPECT_EQ(closing.limit(direction(0.0)), 0u);
  EXPECT_EQ(closing.v, before);
}

TEST(VelocityLimiter, the_rear_particle_gets_the_velocity_of_the_front) {
  Parting forward;
  forward.limit(direction(0.9));
  EXPECT_NEAR(forward.along(0), 3.0, 1e-15);  // i is behind
  EXPECT_EQ(forward.along(1), 3.0);
  Parting backward;
  backward.limit(direction(-0.9));
  EXPECT_EQ(backward.along(0), -1.0);
  EXPECT_NEAR(backward.along(1), -1.0, 1e-15);
  // Errata: with vectors that are not of unit length the cosine is 2 * 4 times as large, and 0.1
  // would count as a direction of motion.
  Parting across;
  across.limit(direction(0.1));
  EXPECT_NEAR(across.along(0), 1.0, 1e-15);
  EXPECT_GT(2.0 * 4.0 * 0.1, VelocityLimiter::kAcross);
}

TEST(VelocityLimiter, an_object_below_the_cloth_gives_the_direction_too) {
  Parting pair;
  cloth::ParticleVectors object(6);
  cloth::at(object, 0) = cloth::at(object, 1) = Vector3(-50.0, 0.0, 0.0);
  VelocityLimiter(pair.system, 1.1)
      .apply(pair.system.constraints(), direction(0.9), object, pair.x, pair.v);
  EXPECT_EQ(pair.along(0), -1.0);  // j is behind
  EXPECT_NEAR(pair.along(1), -1.0, 1e-15);
}

TEST(VelocityLimiter, a_fixed_end_keeps_its_velocity_and_gives_it_to_the_other) {
  Parting pair;
  pair.system.constraints().pin(0, Vector3::Zero());
  pair.v[0] = pair.v[1] = pair.v[2] = 0.0;
  pair.limit(direction(-0.0));
  EXPECT_EQ(pair.along(0), 0.0);
  EXPECT_EQ(pair.along(1), 0.0);
  EXPECT_EQ(pair.v[4], -0.5);
  Parting other;
  other.system.constraints().pin(1, Vector3(2.0, 0.0, 0.0));
  other.v[3] = 0.0;
  other.limit(direction(-0.9));
  EXPECT_EQ(other.along(0), 0.0);
  Parting both;
  both.system.constraints().pin(0, Vector3::Zero());
  both.system.constraints().pin(1, Vector3(2.0, 0.0, 0.0));
  EXPECT_EQ(both.limit(direction(0.0)), 0u);
}

TEST(VelocityLimiter, a_limit_below_one_is_refused) {
  Parting pair;
  EXPECT_THROW(VelocityLimiter(pair.system, 0.99), InputError);
  EXPECT_THROW(VelocityLimiter(pair.system, std::nan("")), InputError);
}

}  // namespace
}  // namespace haptic::lab
