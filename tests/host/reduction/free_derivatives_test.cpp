// Modal derivatives of a free body (docs/methods/reduced-dynamics.md, "Free bodies").
#include "host/reduction/free_derivatives.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <random>

#include "host/reduction/mass_pca.h"
#include "host/reduction/modal_pairs.h"
#include "shared/error.h"
#include "tests/host/reduction/beam.h"

namespace haptic {
namespace {

constexpr double kRelativeStep = 1e-4;

/// Block of 6 x 3 x 2 cubes without fixed vertices.
StvkModel free_block() {
  return {make_box_mesh(6, 3, 2, 0.05, kBeamMaterial), {}};
}

/// The k lowest mass-normalised modes of K(u0) x = lambda M x about a deformed pose (tangent modes,
/// Barbic 2007, eq 2.43) of a body without fixed vertices, by a dense solver.
Eigen::MatrixXd tangent_modes(const StvkModel& model, const Eigen::VectorXd& u0, int k) {
  const Eigen::MatrixXd stiffness = model.stiffness(u0), mass = model.mass();
  const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> solver(stiffness, mass);
  return solver.eigenvectors().leftCols(k);
}

Eigen::VectorXd mass_times(const StvkModel& model, const Eigen::VectorXd& x) {
  return multiply_mass(model.scalar_mass(), x);
}

class FreeBlock : public testing::Test {
 protected:
  FreeBlock()
      : model(lopsided_block()), modes(free_linear_modes(model, 14)), free(model, modes, 6, 4) {}
  StvkModel model;
  LinearModes modes;
  FreeDerivatives free;
};

TEST(FreeDerivatives, by_multigrid_are_those_by_a_factor) {
  const StvkModel block = free_block();
  const LinearModes modes = free_linear_modes(block, 14);
  const FreeDerivatives factored(block, modes, 6, 4), iterated(block, modes, 6, 4, 0);
  for (int i = 0; i < 4; ++i) {
    const Eigen::MatrixXd exact = factored.solve(i);
    EXPECT_LE((iterated.solve(i) - exact).norm(), 1e-8 * exact.norm()) << i;
  }
}

TEST_F(FreeBlock, six_eigenvalues_vanish) {
  EXPECT_LE(modes.eigenvalues.head(6).cwiseAbs().maxCoeff(), 1e-8 * modes.eigenvalues[6]);
}

TEST_F(FreeBlock, residual_and_mass_orthogonality) {
  const SparseMatrix K = model.stiffness_at_rest();
  for (int i = 0; i < 4; ++i) {
    const double lambda = modes.eigenvalues[6 + i];
    const Eigen::VectorXd mass_mode = mass_times(model, modes.shapes.col(6 + i));
    const Eigen::MatrixXd derivatives = free.solve(i);
    for (int j = 0; j < 4; ++j) {
      const Eigen::VectorXd h =
          model.hessian_product(modes.shapes.col(6 + j), modes.shapes.col(6 + i));
      const Eigen::VectorXd load = mass_mode * modes.shapes.col(6 + i).dot(h) - h;
      const Eigen::VectorXd x = derivatives.col(j);
      const Eigen::VectorXd residual = K * x - lambda * mass_times(model, x) - load;
      EXPECT_LE(residual.norm(), 1e-8 * load.norm()) << i << " " << j;
      EXPECT_LE(std::abs(mass_mode.dot(x)), 1e-8 * std::sqrt(x.dot(mass_times(model, x))));
    }
  }
}

TEST_F(FreeBlock, derivatives_of_a_free_body_are_not_symmetric) {
  const Eigen::VectorXd a = free.solve(0).col(1), b = free.solve(1).col(0);
  EXPECT_GT((a - b).norm(), 0.01 * a.norm());
  RecordProperty("asymmetry", std::to_string((a - b).norm() / a.norm()));
}

TEST_F(FreeBlock, matches_the_difference_of_tangent_modes) {
  const double size = modes.shapes.cwiseAbs().maxCoeff();
  for (const auto& [i, j] : {std::pair{0, 0}, {0, 1}, {1, 0}, {2, 1}}) {
    const Eigen::VectorXd psi = modes.shapes.col(6 + i);
    const Eigen::VectorXd mass_psi = mass_times(model, psi);
    // 1e-4 of the block's length: the error is the step's square, the rounding 1e-13 over the step.
    const double step = kRelativeStep * 0.3 / size;
    const auto mode_at = [&](double p) {
      const Eigen::MatrixXd tangent = tangent_modes(model, p * modes.shapes.col(6 + j), 14);
      // The tangent mode that is nearest to Psi_i, of its sign.
      const Eigen::VectorXd overlaps = tangent.transpose() * mass_psi;
      Eigen::Index best;
      overlaps.cwiseAbs().maxCoeff(&best);
      return Eigen::VectorXd(tangent.col(best) * (overlaps[best] > 0.0 ? 1.0 : -1.0));
    };
    const Eigen::VectorXd difference = (mode_at(step) - mode_at(-step)) / (2.0 * step);
    const Eigen::VectorXd derivative = free.solve(i).col(j);
    EXPECT_LE((difference - derivative).norm(), 1e-3 * derivative.norm()) << i << " " << j;
  }
}

// A block of square section has pairs of equal bending frequencies: Psi_i alone leaves the system
// unsolvable, the whole cluster does not.
TEST(FreeDerivatives, a_repeated_eigenvalue_is_deflated_whole) {
  const StvkModel model(make_box_mesh(5, 2, 2, 0.05, kBeamMaterial), {});
  const LinearModes modes = free_linear_modes(model, 14);
  const std::vector<int> clusters = modal_clusters(modes.eigenvalues.tail(8));
  int i = 0;
  while (i < 7 &&
         clusters[static_cast<std::size_t>(i)] != clusters[static_cast<std::size_t>(i) + 1]) {
    ++i;
  }
  ASSERT_LT(i, 6) << "the block has no repeated eigenvalue";
  // Cut through the cluster: the partner beyond the range is deflated too.
  const FreeDerivatives free(model, modes, 6, i + 1);
  const Eigen::MatrixXd derivatives = free.solve(i);
  const SparseMatrix K = model.stiffness_at_rest();
  const Eigen::VectorXd self = modes.shapes.col(6 + i), twin = modes.shapes.col(6 + i + 1);
  const Eigen::VectorXd mass_self = mass_times(model, self), mass_twin = mass_times(model, twin);
  for (int j = 0; j <= i; ++j) {
    const Eigen::VectorXd h = model.hessian_product(modes.shapes.col(6 + j), self);
    const Eigen::VectorXd load = mass_self * self.dot(h) + mass_twin * twin.dot(h) - h;
    const Eigen::VectorXd x = derivatives.col(j);
    const Eigen::VectorXd residual = K * x - modes.eigenvalues[6 + i] * mass_times(model, x) - load;
    EXPECT_LE(residual.norm(), 1e-8 * load.norm());
    const double norm = std::sqrt(x.dot(mass_times(model, x)));
    EXPECT_LE(std::abs(mass_self.dot(x)), 1e-8 * norm);
    EXPECT_LE(std::abs(mass_twin.dot(x)), 1e-8 * norm);
  }
}

TEST(FreeDerivatives, rigid_modes_and_unknown_modes_are_refused) {
  const StvkModel model = free_block();
  const LinearModes modes = free_linear_modes(model, 10);
  EXPECT_THROW(FreeDerivatives(model, modes, 6, 0), InputError);
  EXPECT_THROW(FreeDerivatives(model, modes, 6, 5), InputError);
  EXPECT_THROW(FreeDerivatives(model, modes, -1, 2), InputError);
}

}  // namespace
}  // namespace haptic
