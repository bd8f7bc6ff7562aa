#include "host/reduction/modal_basis.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include "tests/host/reduction/beam.h"
#include "tests/host/reduction/modal_derivative_basis.h"

namespace haptic {
namespace {

struct Basis {
  LinearModes modes;
  MassPca pca;
};

Basis basis_of(const StvkModel& model, int k, int r) {
  const SparseFactorization factor = factor_rest_stiffness(model);
  LinearModes modes = linear_modes(model, factor, k);
  const ModalDerivatives derivatives = modal_derivatives(model, factor, modes);
  MassPca pca = modal_derivative_basis(model, modes, derivatives, r);
  return {std::move(modes), std::move(pca)};
}

TEST(ModalBasis, basis_is_mass_orthonormal_and_vanishes_at_fixed_vertices) {
  const StvkModel model = held_beam(20, 2, 3);
  const Basis basis = basis_of(model, 6, 20);
  EXPECT_EQ(basis.pca.basis.cols(), 20);
  const Eigen::MatrixXd U = model.restrict_to_free(basis.pca.basis);
  EXPECT_LE((U.transpose() * (model.mass() * U) - Eigen::MatrixXd::Identity(20, 20))
                .cwiseAbs()
                .maxCoeff(),
            1e-12);
  for (const std::uint32_t v : model.fixed_vertices()) {
    EXPECT_EQ(basis.pca.basis.middleRows(3 * v, 3).norm(), 0.0);
  }
}

TEST(ModalBasis, scaled_modes_alone_return_the_modes) {
  const StvkModel model = held_beam(20, 2, 3);
  const LinearModes modes = linear_modes(model, factor_rest_stiffness(model), 8);
  ModalDerivatives none;
  none.shapes.resize(model.dof_count(), 0);
  const Eigen::MatrixXd columns =
      modes.shapes * (modes.eigenvalues[0] * modes.eigenvalues.cwiseInverse()).asDiagonal();
  const SparseMatrix mass = model.scalar_mass();
  const MassPca pca = mass_pca(mass, model.restrict_to_free(columns), 8);
  for (int i = 0; i < 8; ++i) {
    const double weight = modes.eigenvalues[0] / modes.eigenvalues[i];
    EXPECT_NEAR(pca.singular_values[i], weight, 1e-10 * weight);
    const Eigen::VectorXd mode = model.restrict_to_free(modes.shapes.col(i));
    const double sine =
        (pca.basis.col(i) - mode * mode.dot(multiply_mass(mass, pca.basis.col(i)).col(0))).norm() /
        pca.basis.col(i).norm();
    // Rounding of the large first columns, 1e-16, against the weight of the small last ones, 1e-3.
    EXPECT_LE(sine, 1e-10);
  }
}

double largest_angle(const SparseMatrix& mass, const Eigen::MatrixXd& A, const Eigen::MatrixXd& B) {
  // sin of the largest principal angle: norm of the part of B outside span(A), in the metric.
  const Eigen::MatrixXd rest = B - A * (A.transpose() * multiply_mass(mass, B));
  const Eigen::MatrixXd gram = rest.transpose() * multiply_mass(mass, rest);
  return std::sqrt(Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(gram).eigenvalues().maxCoeff());
}

TEST(ModalBasis, basis_does_not_change_with_the_scale_of_stiffness_or_density) {
  const StvkModel model = held_beam(20, 2, 3);
  const SparseMatrix mass = model.scalar_mass();
  const auto unit_span = [&](const Material& material) {
    const StvkModel scaled = held_beam(20, 2, 3, 0.05, material);
    const Eigen::MatrixXd U = scaled.restrict_to_free(basis_of(scaled, 6, 12).pca.basis);
    // Orthonormal in the reference mass: M scales with the density.
    return Eigen::MatrixXd(U * std::sqrt(material.density / kBeamMaterial.density));
  };
  const Eigen::MatrixXd reference = unit_span(kBeamMaterial);
  Material stiffer = kBeamMaterial, denser = kBeamMaterial;
  stiffer.youngs_modulus *= 7.0;
  denser.density *= 5.0;
  EXPECT_LE(largest_angle(mass, reference, unit_span(stiffer)), 1e-6);
  EXPECT_LE(largest_angle(mass, reference, unit_span(denser)), 1e-6);
  // The test distinguishes another subspace.
  EXPECT_GE(
      largest_angle(mass, reference, model.restrict_to_free(basis_of(model, 4, 12).pca.basis)),
      1e-2);
}

TEST(ModalBasis, a_short_rank_gives_fewer_columns) {
  const StvkModel model = held_beam(20, 2, 3);
  const Basis basis = basis_of(model, 3, 40);
  EXPECT_EQ(basis.pca.rank, 9);  // 3 modes and 6 derivatives
  EXPECT_EQ(basis.pca.basis.cols(), 9);
}

}  // namespace
}  // namespace haptic
