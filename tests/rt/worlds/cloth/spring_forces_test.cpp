#include "rt/worlds/cloth/spring_forces.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "lab/samples/cloth_samples.h"
#include "tests/support/no_allocation.h"

namespace haptic::cloth {
namespace {

struct Pair {
  ParticleVectors x{0.3, -0.2, 0.1, 0, 0, 0}, v = ParticleVectors(6), f = ParticleVectors(6);

  /// Particle 1 at the distance `length` in the direction (1, 2, 2) / 3.
  explicit Pair(double length) { at(x, 1) = at(x, 0) + length * direction(); }
  static Vector3 direction() { return Vector3(1.0, 2.0, 2.0) / 3.0; }
};

TEST(SpringForces, a_spring_of_twice_its_rest_length_pulls_with_k_r) {
  const double k = 40.0, r = 0.25;
  Pair pair(2.0 * r);
  EXPECT_EQ(SpringForces(one_spring(r, k)).add_to(pair.x, pair.v, pair.f), 0u);
  const Vector3 l_hat = -Pair::direction();  // from particle 1 to particle 0
  EXPECT_LT((at(pair.f, 0) + k * r * l_hat).norm(), 1e-12);
  EXPECT_EQ((at(pair.f, 0) + at(pair.f, 1)).norm(), 0.0);
}

TEST(SpringForces, a_damper_ignores_velocity_across_it) {
  Pair pair(0.25);
  at(pair.v, 1) = 3.0 * Vector3(2.0, -1.0, 0.0);  // normal to (1, 2, 2)
  const SpringForces forces(one_spring(0.25, 0.0, 5.0));
  forces.add_to(pair.x, pair.v, pair.f);
  EXPECT_LT(at(pair.f, 0).norm(), 1e-12);
  EXPECT_LT(forces.dissipation(pair.x, pair.v), 1e-24);
  // Along it: k_d (v_j - v_i) . u on the particle that is behind.
  at(pair.v, 1) = 3.0 * Pair::direction();
  forces.add_to(pair.x, pair.v, pair.f);
  EXPECT_LT((at(pair.f, 0) - 15.0 * Pair::direction()).norm(), 1e-12);
  EXPECT_NEAR(forces.dissipation(pair.x, pair.v), 45.0, 1e-12);
}

TEST(SpringForces, a_spring_without_length_is_left_out_and_counted) {
  Pair pair(0.0);
  EXPECT_EQ(SpringForces(one_spring(0.25, 40.0, 5.0)).add_to(pair.x, pair.v, pair.f), 1u);
  for (const double value : pair.f) EXPECT_EQ(value, 0.0);
}

TEST(SpringForces, sequential_springs_only_pull_and_interlaced_ones_only_push) {
  Springs sequential = one_spring(0.25, 40.0, 0.0, SpringKind::kSequential);
  Springs interlaced = one_spring(0.25, 40.0, 0.0, SpringKind::kInterlaced);
  interlaced.bending = {1e-3};
  for (const double length : {0.1, 0.2, 0.3, 0.4}) {
    Pair a(length), b(length);
    SpringForces(sequential).add_to(a.x, a.v, a.f);
    SpringForces(interlaced).add_to(b.x, b.v, b.f);
    const double pull = at(a.f, 0).dot(Pair::direction());
    const double push = -at(b.f, 0).dot(Pair::direction());
    EXPECT_NEAR(pull, length > 0.25 ? 40.0 * (length - 0.25) : 0.0, 1e-12);
    if (length > 0.25) {
      EXPECT_EQ(push, 0.0);
    } else {
      EXPECT_GT(push, 0.0);
    }
  }
}

/// Forces are the negative gradient of the energy, of every kind: central differences of step
/// 1e-6 m of energies of 1 J leave 1e-16 / 1e-6 = 1e-10 of rounding, and the step's square.
TEST(SpringForces, are_the_gradient_of_their_energy) {
  for (const auto topology : {SpringTopology::kThreeKinds, SpringTopology::kChoiKo}) {
    SampleCloth cloth = square_cloth(4, 0.1, cloth_materials(100.0), weightless(), topology);
    ParticleVectors& x = cloth.state.x;
    disturb(x, 0.03, 7);
    ParticleVectors f(x.size());
    const SpringForces& springs = cloth.system.springs();
    springs.add_to(x, cloth.state.v, f);
    for (std::size_t k = 0; k < x.size(); ++k) {
      const double here = x[k];
      x[k] = here + 1e-6;
      const double above = springs.energy(x);
      x[k] = here - 1e-6;
      const double below = springs.energy(x);
      x[k] = here;
      EXPECT_NEAR(f[k], -(above - below) / 2e-6, 1e-6);
    }
  }
}

/// Gradients as dense 3n x 3n matrices.
Eigen::MatrixXd dense(const SpringForces& springs, const ParticleVectors& x, bool exact,
                      bool of_velocity) {
  const auto size = static_cast<Eigen::Index>(x.size());
  Eigen::MatrixXd K = Eigen::MatrixXd::Zero(size, size);
  for (std::size_t s = 0; s < springs.springs().size(); ++s) {
    const SpringForces::Gradient g = springs.gradient(x, s, exact);
    Eigen::Matrix3d J = g.damping * g.u * g.u.transpose();
    if (!of_velocity) {
      J = g.across * Eigen::Matrix3d::Identity() + (g.along - g.across) * g.u * g.u.transpose();
    }
    const Eigen::Index i = 3 * springs.springs().first[s], j = 3 * springs.springs().second[s];
    K.block<3, 3>(i, j) += J;
    K.block<3, 3>(j, i) += J;
    K.block<3, 3>(i, i) -= J;
    K.block<3, 3>(j, j) -= J;
  }
  return K;
}

TEST(SpringForces, gradients_equal_finite_differences) {
  const double k = 100.0;
  for (const auto topology : {SpringTopology::kThreeKinds, SpringTopology::kChoiKo}) {
    SampleCloth cloth = square_cloth(4, 0.1, cloth_materials(k, 0.5), weightless(), topology);
    ParticleVectors& x = cloth.state.x;
    ParticleVectors& v = cloth.state.v;
    disturb(x, 0.03, 11);
    const SpringForces& springs = cloth.system.springs();
    // At rest dampers are silent, so that the difference is of the elastic force alone.
    const Eigen::MatrixXd K = dense(springs, x, true, false), D = dense(springs, x, true, true);
    for (std::size_t column = 0; column < x.size(); ++column) {
      for (const bool of_velocity : {false, true}) {
        double& moved = of_velocity ? v[column] : x[column];
        const double here = moved;
        ParticleVectors above(x.size()), below(x.size());
        moved = here + 1e-6;
        springs.add_to(x, v, above);
        moved = here - 1e-6;
        springs.add_to(x, v, below);
        moved = here;
        for (std::size_t row = 0; row < x.size(); ++row) {
          const double difference = (above[row] - below[row]) / 2e-6;
          const auto& gradient = of_velocity ? D : K;
          EXPECT_NEAR(gradient(Eigen::Index(row), Eigen::Index(column)), difference, 1e-6 * k);
        }
      }
    }
    // What an implicit step takes is negative semi-definite; the exact one of this crumpled cloth
    // is not.
    using Solver = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>;
    EXPECT_LT(Solver(dense(springs, x, false, false)).eigenvalues().maxCoeff(), 1e-9 * k);
    EXPECT_GT(Solver(K).eigenvalues().maxCoeff(), 1e-3 * k);
  }
}

TEST(SpringForces, neither_allocate_nor_lock) {
  SampleCloth cloth = square_cloth(6, 0.1, cloth_materials(100.0, 1.0), weightless());
  ParticleVectors f(cloth.state.x.size());
  NoAllocation guard;
  cloth.system.forces(cloth.state.x, cloth.state.v, 0.0, f);
  (void)cloth.system.energy(cloth.state);
  (void)cloth.system.dissipation(cloth.state);
}

}  // namespace
}  // namespace haptic::cloth
