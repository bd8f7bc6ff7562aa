#include "rt/dynamics/viscous_damping.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <limits>

#include "lab/samples/random_energy.h"
#include "rt/dynamics/central_differences.h"
#include "rt/dynamics/newmark_integrator.h"
#include "rt/dynamics/truncation.h"
#include "shared/error.h"
#include "tests/support/no_allocation.h"

namespace haptic {
namespace {

/// Strain samples E_m = L_m q + q.N_m q with random L, N (6 r of them) and their Gram matrices.
struct RandomStrain {
  explicit RandomStrain(std::uint32_t dimension, std::uint32_t seed = 5) : r(dimension) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    const Eigen::Index samples = 6 * r;
    L = Eigen::MatrixXd::NullaryExpr(samples, r, [&] { return uniform(random); });
    for (Eigen::Index m = 0; m < samples; ++m) {
      const Eigen::MatrixXd half =
          Eigen::MatrixXd::NullaryExpr(r, r, [&] { return uniform(random); });
      N.push_back(0.5 * (half + half.transpose()));
    }
    const Eigen::Index pairs = r * (r + 1) / 2;
    Eigen::MatrixXd packed(samples, pairs);
    for (Eigen::Index m = 0; m < samples; ++m) {
      Eigen::Index at = 0;
      for (Eigen::Index i = 0; i < r; ++i) {
        for (Eigen::Index j = i; j < r; ++j) packed(m, at++) = N[std::size_t(m)](i, j);
      }
    }
    const auto upper = [](const Eigen::MatrixXd& X) {
      std::vector<double> values;
      for (Eigen::Index i = 0; i < X.rows(); ++i) {
        for (Eigen::Index j = i; j < X.cols(); ++j) values.push_back(X(i, j));
      }
      return values;
    };
    linear = upper(L.transpose() * L);
    quadratic = upper(packed.transpose() * packed);
    const Eigen::MatrixXd G2 = L.transpose() * packed;
    for (Eigen::Index l = 0; l < r; ++l) {
      for (Eigen::Index p = 0; p < pairs; ++p) mixed.push_back(G2(l, p));
    }
  }
  ViscousDamping damping() const { return {r, linear, mixed, quadratic}; }

  /// dE/dq, whose Gram matrix G(q) is.
  Eigen::MatrixXd slope(const Eigen::VectorXd& q) const {
    Eigen::MatrixXd B = L;
    for (Eigen::Index m = 0; m < B.rows(); ++m) B.row(m) += 2.0 * (N[std::size_t(m)] * q);
    return B;
  }

  std::uint32_t r;
  Eigen::MatrixXd L;
  std::vector<Eigen::MatrixXd> N;
  std::vector<double> linear, mixed, quadratic;
};

Eigen::MatrixXd matrix_at(const ViscousDamping& damping, const Eigen::VectorXd& q) {
  Eigen::MatrixXd G(q.size(), q.size());
  ViscousDamping::Workspace workspace(damping.dimension());
  damping.evaluate(view(q), {G.data(), std::size_t(G.size())}, workspace);
  return G;
}

TEST(ViscousDamping, reduced_matrix_is_the_gram_matrix_of_the_strain_rate) {
  for (std::uint32_t r : {1u, 2u, 3u, 4u, 5u, 7u, 8u, 12u, 15u, 21u}) {
    const RandomStrain strain(r);
    const ViscousDamping damping = strain.damping();
    for (std::uint32_t seed : {1u, 2u, 3u}) {
      const Eigen::VectorXd q = random_state(r, seed);
      const Eigen::MatrixXd B = strain.slope(q), expected = B.transpose() * B;
      const Eigen::MatrixXd G = matrix_at(damping, q);
      EXPECT_EQ(G, G.transpose());
      // Some r^4 / 8 terms, summed in another order.
      EXPECT_LE((G - expected).norm(), 1e-13 * expected.norm()) << "r = " << r;
    }
  }
}

// The dissipated power q'.G q' is never negative (acceptance test 9), whatever q and q'.
TEST(ViscousDamping, dissipates) {
  const ViscousDamping damping = RandomStrain(9).damping();
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    const Eigen::MatrixXd G = matrix_at(damping, random_state(9, seed, 2.0));
    const Eigen::VectorXd eigenvalues =
        Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(G).eigenvalues();
    EXPECT_GE(eigenvalues(0), -1e-12 * eigenvalues(8));
  }
}

// With d of r values it is the matrix of the first d basis vectors, bit for bit.
TEST(ViscousDamping, of_fewer_coordinates_is_that_of_the_leading_coefficients) {
  for (const std::uint32_t r : {1u, 4u, 7u, 9u, 12u}) {
    const RandomStrain strain(r);
    const ViscousDamping whole = strain.damping();
    ViscousDamping::Workspace workspace(r);
    for (std::uint32_t d = r; d >= 1; --d) {
      const ViscousDamping leading(d, leading_entries(strain.linear, r, 2, d),
                                   leading_mixed(strain.mixed, r, d),
                                   leading_pair_triangle(strain.quadratic, r, d));
      const Eigen::VectorXd q = random_state(d, r);
      const Eigen::MatrixXd expected = matrix_at(leading, q);
      Eigen::MatrixXd G(d, d);
      whole.evaluate(view(q), view(G), workspace);
      ASSERT_EQ(G, expected) << r << " " << d;
      const std::uint32_t n = (d + 1) / 2;
      Eigen::MatrixXd corner(n, n);
      whole.evaluate(view(q), view(corner), workspace);
      ASSERT_EQ(corner, expected.topLeftCorner(n, n)) << r << " " << d;
    }
  }
}

TEST(ViscousDamping, integrators_agree_and_lose_energy_in_every_step) {
  const StrainLikeCoefficients coefficients(5, 0.3);
  const ReducedEnergy energy = coefficients.energy();
  const ViscousDamping viscosity = RandomStrain(5).damping();
  const ReducedSystem system{
      .energy = &energy, .damping = {0.1, 0.002}, .viscosity = &viscosity, .viscosity_scale = 0.01};
  const Eigen::VectorXd q = random_state(5, 3, 0.3), none = Eigen::VectorXd::Zero(5);
  const auto difference = [&](int steps) {
    CentralDifferences central(system, 1.0 / steps);
    NewmarkIntegrator newmark(system, 1.0 / steps, {3, 0.0});
    EXPECT_EQ(central.set_state(view(q), view(none), view(none)), StepResult::kOk);
    EXPECT_EQ(newmark.set_state(view(q), view(none), view(none)), StepResult::kOk);
    double before = energy.energy(newmark.state().q);
    for (int i = 0; i < steps; ++i) {
      EXPECT_EQ(central.step(view(none)), StepResult::kOk);
      EXPECT_EQ(newmark.step(view(none)), StepResult::kOk);
      const double now =
          energy.energy(newmark.state().q) + 0.5 * vector_of(newmark.state().qdot).squaredNorm();
      EXPECT_LE(now, before * (1.0 + 1e-12));
      before = now;
    }
    return (vector_of(central.state().q) - vector_of(newmark.state().q)).norm();
  };
  // Both are of second order, and so is their difference.
  EXPECT_NEAR(difference(1000) / difference(2000), 4.0, 0.2);
}

TEST(ViscousDamping, step_does_not_allocate) {
  const ReducedEnergy energy = StrainLikeCoefficients(12, 0.3).energy();
  const ViscousDamping viscosity = RandomStrain(12).damping();
  const Eigen::MatrixXd mass = 2.0 * Eigen::MatrixXd::Identity(12, 12);
  const ReducedSystem system{.energy = &energy,
                             .damping = {0.1, 0.002},
                             .viscosity = &viscosity,
                             .mass = {mass.data(), 144}};
  NewmarkIntegrator newmark(system, 1e-3);
  CentralDifferences central(system, 1e-4);
  const Eigen::VectorXd f = random_state(12, 2);
  int failures = 0;
  {
    NoAllocation guard;
    for (int i = 0; i < 5; ++i) {
      failures += newmark.step(view(f)) != StepResult::kOk;
      failures += central.step(view(f)) != StepResult::kOk;
    }
    newmark.set_system(system);
    failures += newmark.set_state(view(f), view(f), view(f)) != StepResult::kOk;
    failures += central.set_state(view(f), view(f), view(f)) != StepResult::kOk;
  }
  EXPECT_EQ(failures, 0);
}

TEST(ViscousDamping, bad_sizes_and_values_are_refused) {
  const RandomStrain strain(3);
  EXPECT_THROW(ViscousDamping(4, strain.linear, strain.mixed, strain.quadratic), InputError);
  std::vector<double> nan = strain.mixed;
  nan[2] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(ViscousDamping(3, strain.linear, nan, strain.quadratic), InputError);
  const ReducedEnergy energy = StrainLikeCoefficients(4).energy();
  const ViscousDamping viscosity = strain.damping();
  EXPECT_THROW(NewmarkIntegrator(ReducedSystem{.energy = &energy, .viscosity = &viscosity}, 1e-3),
               InputError);
}

}  // namespace
}  // namespace haptic
