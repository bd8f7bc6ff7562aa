#include "host/condensation/lumped_modes.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>

#include "tests/host/condensation/held_block.h"

namespace haptic {
namespace {

using Eigen::MatrixXd;

void expect_modes(const StvkModel& model, const LinearModes& modes) {
  const MatrixXd U = model.restrict_to_free(modes.shapes);
  const MatrixXd K = model.stiffness_at_rest(), M = model.mass();
  const MatrixXd L = modes.eigenvalues.asDiagonal();
  EXPECT_LT((U.transpose() * M * U - MatrixXd::Identity(U.cols(), U.cols())).cwiseAbs().maxCoeff(),
            1e-9);
  EXPECT_LT((U.transpose() * K * U - L).cwiseAbs().maxCoeff(), 1e-9 * L.maxCoeff());
}

TEST(LumpedModes, modes_are_orthonormal_and_have_the_frequencies_of_the_full_problem) {
  const StvkModel model = held_block(4, 3, 4);
  const SparseFactorization stiffness = factor_rest_stiffness(model);
  const MatrixXd K = model.stiffness_at_rest(), M = model.mass();
  const Eigen::VectorXd all =
      Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd>(K, M, Eigen::EigenvaluesOnly)
          .eigenvalues();
  const int n = model.free_dof_count();
  for (const int k : {1, 12, n / 2, n}) {  // both ways to compute them
    const LinearModes modes = lumped_modes(model, stiffness, k);
    expect_modes(model, modes);
    for (int i = 0; i < k; ++i) EXPECT_NEAR(modes.eigenvalues[i], all[i], 1e-9 * all[i]) << k;
  }
}

TEST(LumpedModes, a_slender_beam_has_the_first_bending_frequency_of_euler_bernoulli) {
  // Four elements across, twenty times as long: the text's bound of 10 % holds the error of the
  // elements (1 / 16 of the bending stiffness at most) and of shear (1 / 400).
  const double edge = 0.01, length = 0.8, width = 4 * edge;
  const StvkModel beam = held_at_bottom(make_box_mesh(4, 4, 80, edge, Material{1e6, 0.0, 1000.0}));
  const LinearModes modes = lumped_modes(beam, factor_rest_stiffness(beam), 2);
  // omega = 1.8751^2 sqrt(E I / (rho A L^4)), I / A = w^2 / 12
  const double omega =
      1.875104 * 1.875104 * std::sqrt(1e6 * width * width / 12.0 / 1000.0) / (length * length);
  EXPECT_NEAR(std::sqrt(modes.eigenvalues[0]), omega, 0.1 * omega);
  EXPECT_NEAR(modes.eigenvalues[1], modes.eigenvalues[0], 1e-8 * modes.eigenvalues[0]);
}

}  // namespace
}  // namespace haptic
