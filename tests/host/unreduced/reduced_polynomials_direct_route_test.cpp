// The direct subspace route against the polynomial one: same basis, same scheme, same motion.
#include <gtest/gtest.h>

#include "host/reduction/reduced_polynomials.h"
#include "lab/oracle/subspace_newmark.h"
#include "rt/dynamics/newmark_integrator.h"
#include "shared/error.h"
#include "tests/host/reduction/beam.h"
#include "tests/host/reduction/modal_derivative_basis.h"

namespace haptic {
namespace {

struct Fixture {
  Fixture() : model(held_beam(8, 2, 3, 0.1)) {
    const SparseFactorization rest = factor_rest_stiffness(model);
    modes = linear_modes(model, rest, 4);
    basis = modal_derivative_basis(model, modes, modal_derivatives(model, rest, modes), 8).basis;
    load = Eigen::VectorXd::Zero(model.dof_count());
    load(3 * (model.vertex_count() - 1) + 1) = 400.0;  // bends the beam by a third of its length
  }

  StvkModel model;
  LinearModes modes;
  Eigen::MatrixXd basis;
  Eigen::VectorXd load;
};

TEST(SubspaceNewmark, moves_as_the_polynomials_do) {
  const Fixture f;
  const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rows = f.basis;
  const ReducedPolynomials p = reduced_polynomials(
      f.model.mesh(), {{rows.data(), static_cast<std::size_t>(rows.size())}, 8});
  const ReducedEnergy energy(p.dimension, p.quadratic, p.cubic, p.quartic);
  const double dt = 0.002;
  const RayleighDamping damping{0.1, 0.001};
  NewmarkIntegrator polynomial(energy, dt, damping);
  SubspaceNewmark direct(f.model, f.basis, dt, damping);
  const Eigen::VectorXd force = f.basis.transpose() * f.load;
  double largest = 0.0;
  for (int step = 0; step < 100; ++step) {
    const double fraction = step < 40 ? 1.0 : 0.0;
    const Eigen::VectorXd now = fraction * force;
    ASSERT_EQ(polynomial.step({now.data(), static_cast<std::size_t>(now.size())}), StepResult::kOk);
    direct.step(fraction * f.load);
    const Eigen::Map<const Eigen::VectorXd> q(polynomial.state().q.data(), 8);
    largest = std::max(largest, q.norm());
    // The two evaluations agree to 1e-10 (acceptance test 11); a hundred steps may add that up.
    EXPECT_LE((direct.coordinates() - q).norm(), 1e-8 * largest) << step;
  }
  EXPECT_GT((f.basis * direct.coordinates()).cwiseAbs().maxCoeff(), 0.02);
  EXPECT_NEAR(direct.strain_energy(), energy.energy(polynomial.state().q),
              1e-8 * energy.energy(polynomial.state().q));
}

TEST(SubspaceNewmark, starts_from_a_given_state) {
  const Fixture f;
  SubspaceNewmark direct(f.model, f.basis, 0.001);
  const Eigen::VectorXd q = Eigen::VectorXd::LinSpaced(8, 0.01, 0.02);
  const Eigen::VectorXd none = Eigen::VectorXd::Zero(f.model.dof_count());
  direct.set_state(f.basis * q, f.basis * (2.0 * q), none);
  EXPECT_LE((direct.coordinates() - q).norm(), 1e-12);
  EXPECT_LE((direct.velocity() - f.basis * (2.0 * q)).norm(), 1e-10);
  // Mass-orthonormal: half of |q'|^2.
  EXPECT_NEAR(direct.kinetic_energy(), 2.0 * q.squaredNorm(), 1e-12);
}

TEST(SubspaceNewmark, refuses_bad_sizes_and_settings) {
  const Fixture f;
  EXPECT_THROW(SubspaceNewmark(f.model, f.basis.topRows(6), 0.001), InputError);
  EXPECT_THROW(SubspaceNewmark(f.model, f.basis, 0.0), InputError);
  EXPECT_THROW(SubspaceNewmark(f.model, f.basis, 0.001, {}, {0, 1e-8}), InputError);
  SubspaceNewmark direct(f.model, f.basis, 0.001);
  EXPECT_THROW(direct.step(Eigen::VectorXd::Zero(3)), InputError);
}

}  // namespace
}  // namespace haptic
