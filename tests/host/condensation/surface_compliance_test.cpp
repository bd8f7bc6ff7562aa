#include "host/condensation/surface_compliance.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <vector>

#include "host/condensation/condensed_nodes.h"
#include "host/condensation/lumped_modes.h"
#include "tests/host/condensation/held_block.h"

namespace haptic {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// A block of 5 x 4 x 5 elements with inner nodes, its factor, and k modes.
struct Condensed {
  explicit Condensed(int k)
      : model(held_block(5, 4, 5)),
        stiffness(factor_rest_stiffness(model)),
        dofs(free_dofs_of(model, condensed_nodes(model, {}))),
        full(lumped_modes(model, stiffness, k)) {
    const MatrixXd free = model.restrict_to_free(full.shapes);
    modes.eigenvalues = full.eigenvalues;
    modes.shapes.resize(static_cast<Eigen::Index>(dofs.size()), k);
    for (std::size_t i = 0; i < dofs.size(); ++i) {
      modes.shapes.row(static_cast<Eigen::Index>(i)) = free.row(dofs[i]);
    }
  }

  MatrixXd compliance() const {
    const SurfaceCompliance C =
        surface_compliance(stiffness, dofs, modes, CompliancePrecision::kDouble);
    return Eigen::Map<const RowMajorMatrix>(C.full.data(), static_cast<Eigen::Index>(C.dof),
                                            static_cast<Eigen::Index>(C.dof));
  }
  MatrixXd modal_part() const {
    return modes.shapes * modes.eigenvalues.cwiseInverse().asDiagonal() * modes.shapes.transpose();
  }
  /// The rows and columns of a matrix on the free degrees of freedom that the surface keeps.
  MatrixXd surface_block(const MatrixXd& full_matrix) const { return full_matrix(dofs, dofs); }

  StvkModel model;
  SparseFactorization stiffness;
  std::vector<int> dofs;
  LinearModes full;
  SurfaceModes modes;
};

double largest(const MatrixXd& difference, const MatrixXd& of) {
  return difference.cwiseAbs().maxCoeff() / of.cwiseAbs().maxCoeff();
}

TEST(SurfaceCompliance, the_surface_block_of_the_inverse_is_that_of_the_schur_complement) {
  const Condensed body(3);
  const auto n = body.model.free_dof_count(), s = static_cast<int>(body.dofs.size());
  ASSERT_LT(s, n);  // there are inner nodes
  std::vector<int> inner;
  for (int i = 0; i < n; ++i) {
    if (!std::ranges::binary_search(body.dofs, i)) inner.push_back(i);
  }
  const MatrixXd K = body.model.stiffness_at_rest();
  const MatrixXd Kss = K(body.dofs, body.dofs), Ksi = K(body.dofs, inner), Kii = K(inner, inner);
  const MatrixXd Ks = Kss - Ksi * Kii.llt().solve(Ksi.transpose());
  // Condition of K_s, some 1e3, times rounding.
  EXPECT_LT(
      largest(Ks.llt().solve(MatrixXd::Identity(s, s)) - body.compliance(), body.compliance()),
      1e-10);
}

TEST(SurfaceCompliance, single_precision_has_the_rounded_entries_and_says_what_that_costs) {
  const Condensed body(10);
  const MatrixXd C = body.compliance();
  const SurfaceCompliance single =
      surface_compliance(body.stiffness, body.dofs, body.modes, CompliancePrecision::kSingle);
  ASSERT_EQ(single.single.size(), static_cast<std::size_t>(C.size()));
  EXPECT_TRUE(single.full.empty());
  double error2 = 0.0;
  for (Eigen::Index i = 0; i < C.rows(); ++i) {
    for (Eigen::Index j = 0; j < C.cols(); ++j) {
      const double value =
          static_cast<double>(single.single[static_cast<std::size_t>(i * C.cols() + j)]);
      ASSERT_EQ(value,
                static_cast<double>(single.single[static_cast<std::size_t>(j * C.cols() + i)]));
      ASSERT_NEAR(value, C(i, j), std::ldexp(1.001, -24) * std::abs(C(i, j)) + 1e-18);
      error2 += (value - C(i, j)) * (value - C(i, j));
    }
  }
  // Uniform rounding errors: 2^-24 / sqrt(3) of entries between powers of two, about 2.4e-8.
  EXPECT_NEAR(single.rounding, std::sqrt(error2) / C.norm(), 1e-11);
  EXPECT_LT(single.rounding, std::ldexp(1.0, -24));
  EXPECT_GT(single.rounding, std::ldexp(0.1, -24));
  // The contact's force: C2 at a node is smaller than C by the part of the modes.
  EXPECT_GT(single.contact_force_error, 1e-9);
  EXPECT_LT(single.contact_force_error, 1e-5);
  EXPECT_EQ(surface_compliance(body.stiffness, body.dofs, body.modes, CompliancePrecision::kDouble)
                .rounding,
            0.0);
}

TEST(SurfaceCompliance, modes_of_the_whole_mesh_give_the_same_surface_whatever_rows_are_kept) {
  const Condensed body(6);
  VectorXd q(6);
  q << 1.0, -0.5, 0.25, 2.0, -1.0, 0.125;
  const VectorXd full = body.model.restrict_to_free(body.full.shapes * q);
  const VectorXd kept = body.modes.shapes * q;
  // The rows are the same; their sums differ by rounding.
  EXPECT_LT((full(body.dofs) - kept).norm(), 1e-14 * kept.norm());
}

TEST(SurfaceCompliance, the_static_part_is_symmetric_positive_and_orthogonal_to_the_modes) {
  const Condensed body(8);
  const MatrixXd U = body.model.restrict_to_free(body.full.shapes);
  const auto n = U.rows();
  const MatrixXd C = MatrixXd(body.model.stiffness_at_rest()).llt().solve(MatrixXd::Identity(n, n));
  const MatrixXd C1 = U * body.full.eigenvalues.cwiseInverse().asDiagonal() * U.transpose();
  const MatrixXd C2 = C - C1;
  const MatrixXd M = body.model.mass();
  EXPECT_LT(largest(C2 - C2.transpose(), C2), 1e-9);
  const VectorXd values =
      Eigen::SelfAdjointEigenSolver<MatrixXd>(0.5 * (C2 + C2.transpose()), Eigen::EigenvaluesOnly)
          .eigenvalues();
  EXPECT_GT(values[0], -1e-9 * values[n - 1]);
  // Rank n - m: eight eigenvalues are zero, and no other.
  EXPECT_LT(std::abs(values[7]), 1e-9 * values[n - 1]);
  EXPECT_GT(values[8], 1e-6 * values[n - 1]);
  EXPECT_LT((U.transpose() * M * C2).norm(), 1e-9 * (U.transpose() * M * C).norm());
  // The surface build is the surface block of the full one.
  const MatrixXd surface = body.compliance() - body.modal_part();
  EXPECT_LT(largest(surface - body.surface_block(C2), surface), 1e-9);
  EXPECT_LT(largest(surface - surface.transpose(), surface), 1e-12);
  const VectorXd surface_values =
      Eigen::SelfAdjointEigenSolver<MatrixXd>(surface, Eigen::EigenvaluesOnly).eigenvalues();
  EXPECT_GT(surface_values[0], -1e-9 * surface_values[surface_values.size() - 1]);
}

}  // namespace
}  // namespace haptic
