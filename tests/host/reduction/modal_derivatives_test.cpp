#include "host/reduction/modal_derivatives.h"

#include <gtest/gtest.h>

#include "host/fem/static_solver.h"
#include "host/reduction/mass_pca.h"
#include "tests/host/reduction/beam.h"

namespace haptic {
namespace {

TEST(ModalDerivatives, residual_and_symmetry) {
  const StvkModel model = held_beam(20, 2, 3);
  const SparseFactorization factor = factor_rest_stiffness(model);
  const LinearModes modes = linear_modes(model, factor, 6);
  const ModalDerivatives derivatives = modal_derivatives(model, factor, modes);
  const SparseMatrix K = model.stiffness_at_rest();
  for (int i = 0; i < 6; ++i) {
    for (int j = i; j < 6; ++j) {
      const int pair = modal_pair_index(i, j, 6);
      ASSERT_GT(derivatives.norms[pair], 0.0);
      const Eigen::VectorXd raw =
          model.restrict_to_free(derivatives.shapes.col(pair)) * derivatives.norms[pair];
      const Eigen::VectorXd load =
          -model.restrict_to_free(model.hessian_product(modes.shapes.col(j), modes.shapes.col(i)));
      EXPECT_LE((K * raw - load).norm(), 1e-10 * load.norm());
      const Eigen::VectorXd unit = model.restrict_to_free(derivatives.shapes.col(pair));
      EXPECT_NEAR(unit.dot(model.mass() * unit), 1.0, 1e-12);
    }
  }
  // PhiU_ij from (H:Psi_j) Psi_i against PhiU_ji from (H:Psi_i) Psi_j: modes in reverse order.
  LinearModes reversed;
  reversed.eigenvalues = modes.eigenvalues.reverse();
  reversed.shapes = modes.shapes.rowwise().reverse();
  const ModalDerivatives swapped = modal_derivatives(model, factor, reversed);
  for (int i = 0; i < 6; ++i) {
    for (int j = i; j < 6; ++j) {
      const int pair = modal_pair_index(i, j, 6), mirror = modal_pair_index(5 - j, 5 - i, 6);
      const Eigen::VectorXd raw = derivatives.norms[pair] * derivatives.shapes.col(pair);
      const Eigen::VectorXd other = swapped.norms[mirror] * swapped.shapes.col(mirror);
      EXPECT_LE((raw - other).norm(), 1e-12 * raw.norm());
    }
  }
}

TEST(ModalDerivatives, are_the_second_order_terms_of_the_static_response) {
  const StvkModel model = held_beam(20, 2, 3);
  const SparseFactorization factor = factor_rest_stiffness(model);
  const int k = 3;
  const LinearModes modes = linear_modes(model, factor, k);
  const ModalDerivatives derivatives = modal_derivatives(model, factor, modes);
  const SparseMatrix scalar_mass = model.scalar_mass();

  // p moves the tip by some 5 % of the length at full size.
  Eigen::VectorXd p(k);
  p << 0.03, -0.02, 0.01;
  const double tip = (modes.shapes * p).cwiseAbs().maxCoeff();
  p *= 0.05 / tip;

  const auto errors = [&](double scale) {
    const Eigen::VectorXd q = scale * p;
    const Eigen::MatrixXd psi = model.restrict_to_free(modes.shapes);
    const Eigen::VectorXd load =
        multiply_mass(scalar_mass, psi * modes.eigenvalues.cwiseProduct(q));
    StaticOptions options;
    options.load_steps = 1;
    options.tolerance = 1e-12;
    const Eigen::VectorXd u = solve_static(model, model.expand(load), options).u;
    const Eigen::VectorXd first = modes.shapes * q;
    Eigen::VectorXd second = first;
    for (int i = 0; i < k; ++i) {
      for (int j = i; j < k; ++j) {
        const int pair = modal_pair_index(i, j, k);
        second += (i == j ? 0.5 : 1.0) * q[i] * q[j] * derivatives.norms[pair] *
                  derivatives.shapes.col(pair);
      }
    }
    return std::pair((u - first).norm(), (u - second).norm());
  };
  // Small enough that the next order is below the tolerance, large enough that rounding of u, 1e-12
  // |u|, stays below the cubic term.
  const auto [first_whole, second_whole] = errors(0.25);
  const auto [first_half, second_half] = errors(0.125);
  EXPECT_NEAR(first_whole / first_half, 4.0, 0.1);
  EXPECT_NEAR(second_whole / second_half, 8.0, 0.3);
}

TEST(ModalDerivatives, pair_index_counts_through) {
  int expected = 0;
  for (int i = 0; i < 7; ++i) {
    for (int j = i; j < 7; ++j) EXPECT_EQ(modal_pair_index(i, j, 7), expected++);
  }
}

}  // namespace
}  // namespace haptic
