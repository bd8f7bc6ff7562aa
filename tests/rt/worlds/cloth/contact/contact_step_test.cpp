#include "rt/worlds/cloth/contact/contact_step.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <limits>

#include "shared/error.h"
#include "tests/rt/worlds/cloth/contact/contact_samples.h"
#include "tests/rt/worlds/cloth/dense_cloth.h"
#include "tests/rt/worlds/cloth/integrator_samples.h"
#include "tests/support/no_allocation.h"

namespace haptic::cloth {
namespace {

double ground(const Vector3& x, Vector3& normal) {
  normal = Vector3::UnitZ();
  return x.z();
}

/// Falls from 1 cm on the ground and comes to rest m g / k deep, at any stiffness: without contact
/// in the matrix the limit at 1 kHz is 4 m / h^2 = 400 N/m.
TEST(ContactStep, a_particle_comes_to_rest_on_any_stiffness) {
  const double mass = 1e-4, h = 1e-3;
  for (const double k : {1.0, 1e2, 1e4, 1e6, 1e9}) {
    SampleCloth one = one_particle(mass);
    one.state.x[2] = 0.01;
    ContactStep step(one.system, h, tight_contact());
    StillSurface surface(k, 0.0, 1);
    double energy = one.system.energy(one.state);
    NoAllocation guard;
    // Backward Euler takes out what k h^2 / m does not: the softest spring swings longest.
    for (int n = 0; n < 10000; ++n) {
      surface.add(step, one.state, 0.1, ground);
      ASSERT_EQ(step.step(one.state), ClothStepResult::kOk);
      surface.settle(step);
      const double now = one.system.energy(one.state) + surface.energy(one.state, ground);
      ASSERT_LE(now, energy + 1e-15 * 1e-4) << k << " N/m, step " << n;
      energy = now;
      ASSERT_GE(step.force(0).normal, 0.0);
    }
    const double force = mass * 9.81;
    EXPECT_NEAR(step.force(0).normal, force, 1e-6 * force) << k;
    EXPECT_NEAR(one.state.x[2], -force / k, 1e-6 * force / k + 1e-12) << k;
  }
}

TEST(ContactStep, stiffness_zero_is_no_contact) {
  SampleCloth one = one_particle(1e-4);
  one.state.x[2] = -0.01;
  ContactStep step(one.system, 1e-3, tight_contact());
  StillSurface surface(0.0, 0.5, 1);
  surface.add(step, one.state, 0.1, ground);
  ASSERT_EQ(step.step(one.state), ClothStepResult::kOk);
  EXPECT_NEAR(one.state.v[2], -9.81e-3, 1e-15);
  EXPECT_EQ(step.force(0).force.norm(), 0.0);
}

/// Without contacts it is backward Euler, to the solvers' tolerance.
TEST(ContactStep, without_contacts_it_is_ImplicitEuler) {
  SampleCloth cloth = square_cloth(6, 0.1, cloth_materials(200.0, 0.05));
  cloth.system.constraints().pin(0, at(cloth.state.x, 0));
  ClothState other = cloth.state;
  ContactStep step(cloth.system, 0.02, tight_contact());
  ImplicitEuler euler(cloth.system, 0.02, {.most_iterations = 500, .tolerance = 1e-12});
  for (int k = 0; k < 100; ++k) {
    ASSERT_EQ(step.step(cloth.state), ClothStepResult::kOk);
    ASSERT_EQ(euler.step(other), ClothStepResult::kOk);
  }
  EXPECT_LT((as_vector(cloth.state.x) - as_vector(other.x)).norm(), 1e-9);
}

/// One step with contacts of every kind of site, against a dense factorisation of the equation.
TEST(ContactStep, a_step_solves_the_equation) {
  const double h = 0.01;
  SampleCloth cloth = square_cloth(5, 0.1, cloth_materials(100.0, 0.2));
  disturb(cloth.state.x, 0.02, 1);
  disturb(cloth.state.v, 0.1, 2);
  cloth.system.constraints().keep_in_plane(12, at(cloth.state.x, 12), Vector3(1, 2, 2) / 3.0);
  ContactStep step(cloth.system, h, tight_contact());
  std::vector<ClothContact> contacts(3);
  contacts[0] = {.particles = {12}, .gap = -0.05, .stiffness = 1e4};
  contacts[1] = {.particles = {3, 4, 9},
                 .weights = {0.2, 0.3, 0.5},
                 .count = 3,
                 .normal = Vector3(0, 3, 4) / 5.0,
                 .gap = -0.04,
                 .stiffness = 300.0,
                 .surface_velocity = Vector3(0.1, 0, 0.2)};
  contacts[2] = {.particles = {20, 21},
                 .weights = {0.5, 0.5},
                 .count = 2,
                 .gap = -0.03,
                 .stiffness = 1e3,
                 .friction = 100.0,  // sticks
                 .stretch = Vector3(0.01, -0.02, 0.0)};
  contacts[2].last_normal_force = 1.0;
  const ParticleVectors x = cloth.state.x, v = cloth.state.v;
  const auto size = static_cast<Eigen::Index>(x.size());
  ParticleVectors f(x.size());
  cloth.system.forces(x, v, 0.0, f);
  Eigen::MatrixXd A = dense_matrix(cloth.system, x, {1.0, h, h * h});
  const Eigen::MatrixXd minus_K = dense_matrix(cloth.system, x, {0.0, 0.0, 1.0});
  Eigen::VectorXd right = h * (as_vector(f) - h * minus_K * as_vector(v));
  for (const ClothContact& c : contacts) {
    ASSERT_TRUE(step.add(c));
    Eigen::MatrixXd J = Eigen::MatrixXd::Zero(3, size);
    for (std::uint32_t k = 0; k < c.count; ++k) {
      J.middleCols<3>(3 * c.particles[k]) = c.weights[k] * Matrix3::Identity();
    }
    const Matrix3 along = c.normal * c.normal.transpose();
    const double sticks = c.friction > 0.0 ? c.stiffness : 0.0;
    const Matrix3 K = c.stiffness * along + sticks * (Matrix3::Identity() - along);
    A += h * h * J.transpose() * K * J;
    const Vector3 d = h * (J * as_vector(v) - c.surface_velocity);
    right -= h * J.transpose() * (c.stiffness * c.gap * c.normal + sticks * c.stretch + K * d);
  }
  Eigen::MatrixXd S = Eigen::MatrixXd::Identity(size, size);
  const Vector3 n = Vector3(1, 2, 2) / 3.0;
  S.block<3, 3>(36, 36) -= n * n.transpose();
  const Eigen::VectorXd dv =
      S * (S * A * S + Eigen::MatrixXd::Identity(size, size) - S).ldlt().solve(S * right);
  ASSERT_EQ(step.step(cloth.state), ClothStepResult::kOk);
  EXPECT_EQ(step.outcome().unsettled, 0u);
  EXPECT_EQ(step.outcome().kept, 1.0);
  // The particle in the plane starts with a velocity that the plane does not allow.
  Eigen::VectorXd found = as_vector(cloth.state.v) - as_vector(v);
  found.segment<3>(36) = dv.segment<3>(36);
  EXPECT_LT((found - dv).norm(), 1e-8 * dv.norm());
}

/// A cloth that lies on a slope: below the angle of friction it does not creep in 10 s.
TEST(ContactStep, friction_holds_below_its_angle_without_creep) {
  const double angle = 0.4, mu = 0.5;  // tan 0.4 = 0.42
  const Vector3 n(-std::sin(angle), 0.0, std::cos(angle));
  const auto slope = [&](const Vector3& x, Vector3& normal) {
    normal = n;
    return n.dot(x);
  };
  SampleCloth cloth = square_cloth(5, 0.05, cloth_materials(100.0, 0.05));
  for (std::size_t i = 0; i < cloth.system.size(); ++i) {
    const Vector3 flat = at(cloth.state.x, i);
    at(cloth.state.x, i) =
        Vector3(std::cos(angle) * flat.x(), flat.y(), std::sin(angle) * flat.x());
  }
  ContactStep step(cloth.system, 1e-3, tight_contact());
  StillSurface surface(1e4, mu, cloth.system.size());
  const auto run_for = [&](int steps) {
    for (int k = 0; k < steps; ++k) {
      surface.add(step, cloth.state, 0.01, slope);
      ASSERT_EQ(step.step(cloth.state), ClothStepResult::kOk);
      surface.settle(step);
    }
  };
  run_for(2000);
  const ParticleVectors before = cloth.state.x;
  run_for(10000);
  EXPECT_LT((as_vector(cloth.state.x) - as_vector(before)).cwiseAbs().maxCoeff(), 1e-12);
}

/// Above the angle it slides with g (sin - mu cos).
TEST(ContactStep, friction_brakes_above_its_angle) {
  const double angle = 0.6, mu = 0.3, h = 1e-3;
  const Vector3 n(-std::sin(angle), 0.0, std::cos(angle));
  const Vector3 down(-std::cos(angle), 0.0, -std::sin(angle));
  const auto slope = [&](const Vector3& x, Vector3& normal) {
    normal = n;
    return n.dot(x);
  };
  SampleCloth cloth = square_cloth(4, 0.05, cloth_materials(100.0, 0.05));
  for (std::size_t i = 0; i < cloth.system.size(); ++i) {
    const Vector3 flat = at(cloth.state.x, i);
    at(cloth.state.x, i) =
        Vector3(std::cos(angle) * flat.x(), flat.y(), std::sin(angle) * flat.x());
  }
  ContactStep step(cloth.system, h, tight_contact());
  StillSurface surface(1e4, mu, cloth.system.size());
  const double mass = cloth.system.masses()[0] * double(cloth.system.size());
  double start = 0.0;
  for (int k = 0; k < 1500; ++k) {
    surface.add(step, cloth.state, 0.01, slope);
    ASSERT_EQ(step.step(cloth.state), ClothStepResult::kOk);
    surface.settle(step);
    if (k == 499) start = down.dot(momentum(cloth.system, cloth.state.v)) / mass;
  }
  const double gained = down.dot(momentum(cloth.system, cloth.state.v)) / mass - start;
  // One pass ends with friction within a hundredth.
  const double expected = 9.81 * (std::sin(angle) - mu * std::cos(angle));
  EXPECT_NEAR(gained, expected, 2e-3 * expected);
}

/// Dropped on a sphere with friction: mechanical energy never grows, with few iterations, too.
TEST(ContactStep, energy_of_a_cloth_on_a_sphere_never_grows) {
  const double radius = 0.15;
  const auto sphere = [&](const Vector3& x, Vector3& normal) {
    const Vector3 from = x - Vector3(0.22, 0.23, -0.2);
    normal = from.normalized();
    return from.norm() - radius;
  };
  for (const std::size_t iterations : {2u, 5u, 100u}) {
    for (const double k : {100.0, 1e4, 1e8}) {
      SampleCloth cloth = square_cloth(10, 0.05, cloth_materials(100.0, 0.02));
      ContactStep step(cloth.system, 1e-3,
                       {.solver = {.most_iterations = iterations}, .most_passes = 3});
      StillSurface surface(k, 0.3, cloth.system.size());
      double energy = cloth.system.energy(cloth.state);
      const double scale = 0.05;  // J, kinetic at impact
      double worst = 0.0;
      for (int n = 0; n < 3000; ++n) {
        surface.add(step, cloth.state, 0.02, sphere);
        ASSERT_EQ(step.step(cloth.state), ClothStepResult::kOk);
        surface.settle(step);
        const double now = cloth.system.energy(cloth.state) + surface.energy(cloth.state, sphere);
        worst = std::max(worst, now - energy);
        energy = now;
      }
      EXPECT_LE(worst, 1e-6 * scale) << iterations << " iterations, " << k << " N/m";
    }
  }
}

TEST(ContactStep, a_number_that_is_not_finite_leaves_the_state) {
  SampleCloth cloth = square_cloth(4, 0.1, cloth_materials(100.0));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  ContactStep step(cloth.system, 1e-3);
  for (int which = 0; which < 3; ++which) {
    const ClothState before = cloth.state;
    step.clear();
    ClothContact contact{.gap = -0.01, .stiffness = 1e3};
    (which == 0 ? contact.gap : which == 1 ? contact.normal.x() : contact.stretch.y()) = nan;
    ASSERT_TRUE(step.add(contact));
    EXPECT_EQ(step.step(cloth.state), ClothStepResult::kDiverged);
    EXPECT_EQ(cloth.state.x, before.x);
    EXPECT_EQ(cloth.state.v, before.v);
    EXPECT_EQ(cloth.state.time, before.time);
  }
  step.clear();
  EXPECT_EQ(step.step(cloth.state), ClothStepResult::kOk);
}

TEST(ContactStep, a_partner_that_is_not_positive_definite_leaves_the_state) {
  SampleCloth cloth = square_cloth(4, 0.1, cloth_materials(100.0));
  const std::uint32_t one[] = {1};
  ContactStep step(cloth.system, 1e-3, {}, one);
  const double load[] = {0.0};
  for (const double value : {-1.0, 0.0, std::nan("")}) {
    const ClothState before = cloth.state;
    step.set_partner(0, {&value, 1}, load);
    EXPECT_EQ(step.step(cloth.state), ClothStepResult::kDiverged) << value;
    EXPECT_EQ(cloth.state.x, before.x);
    EXPECT_EQ(cloth.state.time, before.time);
  }
}

TEST(ContactStep, more_contacts_than_places_are_refused) {
  SampleCloth cloth = square_cloth(4, 0.1, cloth_materials(100.0));
  ContactStep step(cloth.system, 1e-3, {.contact_capacity = 2});
  EXPECT_TRUE(step.add({.stiffness = 1.0}));
  EXPECT_TRUE(step.add({.stiffness = 1.0}));
  EXPECT_FALSE(step.add({.stiffness = 1.0}));
  EXPECT_EQ(step.contacts(), 2u);
}

TEST(ContactStep, settings_out_of_range_are_refused) {
  SampleCloth cloth = square_cloth(4, 0.1, cloth_materials(100.0));
  EXPECT_THROW(ContactStep(cloth.system, 1e-3, {.solver = {.tolerance = 0.0}}), InputError);
  EXPECT_THROW(ContactStep(cloth.system, 1e-3, {.most_passes = 0}), InputError);
  EXPECT_THROW(ContactStep(cloth.system, 0.0), InputError);
}

}  // namespace
}  // namespace haptic::cloth
