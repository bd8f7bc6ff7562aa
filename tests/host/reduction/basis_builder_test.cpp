#include "host/reduction/basis_builder.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <filesystem>
#include <numbers>

#include "host/artifact/growing_dataset.h"
#include "host/reduction/mass_pca.h"
#include "shared/error.h"
#include "shared/math/pose.h"
#include "tests/host/reduction/beam.h"
#include "tests/host/reduction/modal_derivative_basis.h"

namespace haptic {
namespace {

Eigen::MatrixXd gram(const StvkModel& model, const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  return model.restrict_to_free(a).transpose() *
         multiply_mass(model.scalar_mass(), model.restrict_to_free(b));
}

double orthonormality_error(const StvkModel& model, const Eigen::MatrixXd& U) {
  return (gram(model, U, U) - Eigen::MatrixXd::Identity(U.cols(), U.cols())).cwiseAbs().maxCoeff();
}

/// Sine of the largest principal angle between two mass-orthonormal bases.
double largest_angle(const StvkModel& model, const Eigen::MatrixXd& A, const Eigen::MatrixXd& B) {
  const Eigen::MatrixXd rest = B - A * gram(model, A, B);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> square(gram(model, rest, rest));
  return std::sqrt(std::max(0.0, square.eigenvalues().maxCoeff()));
}

std::string refusal(const StvkModel& model, const BasisRequest& request) {
  try {
    build_basis(model, request);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(BasisBuilder, derivative_basis_is_the_scaled_mass_pca) {
  const StvkModel model = held_beam(10, 2, 3);
  BasisRequest request;
  request.modes = 4;
  request.dimension = 9;
  const ReducedBasis built = build_basis(model, request);
  const SparseFactorization rest = factor_rest_stiffness(model);
  const LinearModes modes = linear_modes(model, rest, 4);
  const MassPca pca =
      modal_derivative_basis(model, modes, modal_derivatives(model, rest, modes), 9);
  // The builder computes one mode more on the way, which moves the others by rounding.
  EXPECT_LE((built.basis - pca.basis).norm(), 1e-8 * pca.basis.norm());
}

TEST(BasisBuilder, every_kind_is_mass_orthonormal) {
  const StvkModel model = held_beam(10, 2, 3);
  for (const auto& [kind, dimension, expected] : {std::tuple{BasisKind::kDerivatives, 9, 9},
                                                  {BasisKind::kModes, 4, 4},
                                                  {BasisKind::kModes, 3, 3},
                                                  {BasisKind::kFullDerivatives, 0, 14},
                                                  {BasisKind::kFullDerivatives, 11, 11}}) {
    BasisRequest request;
    request.kind = kind;
    request.modes = 4;
    request.dimension = dimension;
    const ReducedBasis built = build_basis(model, request);
    EXPECT_EQ(built.basis.cols(), expected);
    EXPECT_LE(orthonormality_error(model, built.basis), 1e-12);
  }
}

// The span of mass-Gram-Schmidt contains that of mass-PCA of the same columns.
TEST(BasisBuilder, full_derivatives_contain_every_derivative_basis) {
  const StvkModel model = held_beam(10, 2, 3);
  BasisRequest request;
  request.modes = 4;
  request.dimension = 9;
  const Eigen::MatrixXd some = build_basis(model, request).basis;
  request.kind = BasisKind::kFullDerivatives;
  request.dimension = 0;
  EXPECT_LE(largest_angle(model, build_basis(model, request).basis, some), 1e-8);
}

TEST(BasisBuilder, blocks_in_any_order_give_the_same_bits) {
  for (const bool free : {false, true}) {
    const StvkModel model =
        free ? StvkModel(make_box_mesh(5, 2, 3, 0.05, kBeamMaterial), {}) : held_beam(6, 2, 3);
    BasisRequest request;
    request.free = free;
    request.modes = 6;  // two blocks of pairs
    const BasisModes modes = basis_modes(model, request);
    std::vector<Eigen::MatrixXd> forward, backward;
    const DerivativeBlocks one(model, modes, free), two(model, modes, free);
    ASSERT_GE(one.count(), 2);
    for (int b = 0; b < one.count(); ++b) forward.push_back(one.solve(b));
    for (int b = one.count() - 1; b >= 0; --b) backward.insert(backward.begin(), two.solve(b));
    const ModalDerivatives a = assemble_derivatives(model, modes, forward, free);
    const ModalDerivatives b = assemble_derivatives(model, modes, backward, free);
    EXPECT_EQ(a.shapes, b.shapes);
    EXPECT_EQ(a.shapes.cols(), free ? 36 : 21);
  }
}

// A beam of square section bends in both directions at the same frequency: the pair is known up to
// a rotation, and the basis must not depend on it.
TEST(BasisBuilder, rotation_within_a_cluster_does_not_change_the_basis) {
  const StvkModel model = held_beam(10, 2, 2);
  const SparseFactorization rest = factor_rest_stiffness(model);
  LinearModes modes = linear_modes(model, rest, 5);
  const std::vector<int> clusters = modal_clusters(modes.eigenvalues);
  ASSERT_EQ(clusters, (std::vector<int>{0, 0, 1, 2, 2})) << modes.eigenvalues.transpose();
  const auto derive = [&](int r) {
    return modal_derivative_basis(model, modes, modal_derivatives(model, rest, modes), r);
  };
  // If mass-PCA cuts between equal singular values, the span is not unique: cut elsewhere.
  const Eigen::VectorXd sigma = derive(1).singular_values;
  int r = 10;
  while (sigma[r] > 0.99 * sigma[r - 1]) ++r;
  const Eigen::MatrixXd basis = derive(r).basis;
  for (const int pair : {0, 3}) {
    const double angle = 0.4 + pair;
    Eigen::Matrix2d turn;
    turn << std::cos(angle), -std::sin(angle), std::sin(angle), std::cos(angle);
    modes.shapes.middleCols(pair, 2) = (modes.shapes.middleCols(pair, 2) * turn).eval();
  }
  EXPECT_LE(largest_angle(model, basis, derive(r).basis), 1e-6);
}

TEST(BasisBuilder, a_cut_cluster_is_reported) {
  const StvkModel model = held_beam(10, 2, 2);  // modes 1 and 2 are one pair
  BasisRequest request;
  request.dimension = 1;
  for (const int k : {1, 2}) {
    request.modes = k;
    const ReducedBasis built = build_basis(model, request);
    const bool told = !built.notes.empty() &&
                      built.notes.back().find("have the same frequency") != std::string::npos;
    EXPECT_EQ(told, k == 1);
  }
}

TEST(BasisBuilder, free_basis_has_no_rigid_motion_and_no_gap_of_rank) {
  const StvkModel model(make_box_mesh(6, 2, 3, 0.05, kBeamMaterial), {});
  BasisRequest request;
  request.free = true;
  request.modes = 5;
  request.dimension = 12;
  const ReducedBasis built = build_basis(model, request);
  EXPECT_EQ(built.basis.cols(), 12);
  EXPECT_LE(orthonormality_error(model, built.basis), 1e-12);
  // Linear and angular momentum of every basis vector vanish.
  Eigen::MatrixXd rigid(model.dof_count(), 6);
  for (int v = 0; v < model.vertex_count(); ++v) {
    rigid.middleRows<3>(3 * v) << Matrix3::Identity(), skew(model.mesh().vertex(v));
  }
  const Eigen::MatrixXd overlap = gram(model, rigid, built.basis);
  EXPECT_LE(overlap.cwiseAbs().maxCoeff(), 1e-9 * std::sqrt(gram(model, rigid, rigid).maxCoeff()));
  EXPECT_EQ(build_basis(model, request).basis, built.basis);
  request.kind = BasisKind::kModes;
  request.dimension = 5;
  EXPECT_LE(orthonormality_error(model, build_basis(model, request).basis), 1e-12);
}

TEST(BasisBuilder, impossible_requests_are_refused_in_one_line) {
  const StvkModel model = held_beam(6, 2, 3);
  BasisRequest request;
  request.where = "beam.toml";
  request.modes = 3;
  request.dimension = 10;  // 3 modes and 6 derivatives
  EXPECT_EQ(refusal(model, request),
            "beam.toml: reduction.dimension: found 10, expected 1..9, the rank of modes and modal "
            "derivatives");
  request.dimension = 0;
  EXPECT_NE(refusal(model, request).find("reduction.dimension: found 0"), std::string::npos);
  request.dimension = 3;
  request.modes = 0;
  EXPECT_NE(refusal(model, request).find("reduction.linear_modes: found 0"), std::string::npos);
  request.modes = 2;
  request.kind = BasisKind::kModes;
  EXPECT_NE(refusal(model, request).find("1..2, the rank of the linear modes"), std::string::npos);
  request.kind = BasisKind::kSketch;
  EXPECT_NE(refusal(model, request).find("reduction.forces: missing"), std::string::npos);
  request.kind = BasisKind::kSnapshots;
  EXPECT_NE(refusal(model, request).find("reduction.snapshots: missing"), std::string::npos);
  request.kind = BasisKind::kDerivatives;
  request.free = true;
  EXPECT_NE(refusal(model, request).find("reduction.free: found"), std::string::npos);
}

/// A log with snapshots, as `haptic simulate --unreduced` writes it.
class SnapshotFile : public testing::Test {
 protected:
  void write(const StvkModel& model, const Eigen::MatrixXd& snapshots) const {
    const Hdf5Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT),
                          H5Fclose, "create");
    const Hdf5Handle mesh = make_hdf5_group(file.get(), "/mesh");
    const Hdf5Handle group = make_hdf5_group(file.get(), "/snapshots");
    GrowingDataset vertices(file.get(), "/mesh/vertices", "m", "", 3);
    for (int v = 0; v < model.vertex_count(); ++v) {
      vertices.append(&model.mesh().vertices()[3 * static_cast<std::size_t>(v)]);
    }
    vertices.flush();
    GrowingDataset rows(file.get(), "/snapshots/displacement_m", "m", "",
                        static_cast<std::size_t>(model.dof_count()));
    for (Eigen::Index c = 0; c < snapshots.cols(); ++c) rows.append(snapshots.col(c).data());
    rows.flush();
  }
  void TearDown() override { std::filesystem::remove(path); }
  std::filesystem::path path =
      std::filesystem::path(testing::TempDir()) /
      (std::string("snapshots_") + testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(SnapshotFile, its_span_is_the_basis) {
  const StvkModel model = held_beam(6, 2, 3);
  const LinearModes modes = linear_modes(model, factor_rest_stiffness(model), 3);
  Eigen::MatrixXd snapshots(model.dof_count(), 5);
  for (int c = 0; c < 5; ++c)
    snapshots.col(c) = modes.shapes * Eigen::Vector3d(1.0 + c, c * c, 2.0);
  write(model, snapshots);
  BasisRequest request;
  request.kind = BasisKind::kSnapshots;
  request.modes = 2;
  request.dimension = 3;
  request.snapshots = {path};
  EXPECT_LE(largest_angle(model, build_basis(model, request).basis, modes.shapes), 1e-8);
  request.dimension = 4;
  EXPECT_NE(refusal(model, request).find("found 4, expected 1..3, the rank of the 5 snapshots"),
            std::string::npos);
}

/// Displacements of a body that swings by `swing` (3n) while it turns about the diagonal once and
/// moves away.
Eigen::MatrixXd tumbling(const StvkModel& model, const Eigen::VectorXd& swing, int count) {
  const Eigen::Map<const Eigen::Matrix3Xd> X(model.mesh().vertices().data(), 3,
                                             model.vertex_count());
  const double length = (model.mesh().upper() - model.mesh().lower()).maxCoeff();
  const Eigen::Map<const Eigen::Matrix3Xd> shape(swing.data(), 3, model.vertex_count());
  Eigen::MatrixXd u(model.dof_count(), count);
  for (int i = 0; i < count; ++i) {
    const double angle = 2.0 * std::numbers::pi * (i + 1) / count;
    const Matrix3 R =
        rotation_exponential(angle / std::sqrt(3.0) * Vector3::Ones()).toRotationMatrix();
    const Eigen::Matrix3Xd x = (R * (X + std::sin(5.0 * angle) * shape)).colwise() +
                               3.0 * length * angle * Vector3::UnitY();
    Eigen::Map<Eigen::Matrix3Xd>(u.col(i).data(), 3, model.vertex_count()) = x - X;
  }
  return u;
}

TEST_F(SnapshotFile, of_a_free_body_that_turns_keeps_its_deformation_only) {
  const StvkModel model(make_box_mesh(10, 2, 3, 0.05, kBeamMaterial), {});
  const LinearModes modes = free_linear_modes(model, 7);
  const Eigen::VectorXd mode = modes.shapes.col(6);
  write(model,
        tumbling(model, 0.005 / mode.cwiseAbs().maxCoeff() * mode, 40));  // 1 % of its length
  BasisRequest request;
  request.kind = BasisKind::kSnapshots;
  request.free = true;
  request.modes = 1;
  request.dimension = 1;
  request.snapshots = {path};
  const Eigen::MatrixXd basis = build_basis(model, request).basis;
  const Eigen::VectorXd U = model.restrict_to_free(basis);
  const double eigenvalue = U.dot(model.stiffness_at_rest() * U);
  // One deformation, so one vector: the mode and its frequency, to the rounding of the rotations.
  EXPECT_LE(largest_angle(model, mode, basis), 1e-8);
  EXPECT_NEAR(std::sqrt(eigenvalue / modes.eigenvalues[6]), 1.0, 1e-8);
  request.dimension = 2;
  EXPECT_NE(refusal(model, request).find("found 2, expected 1..1, the rank of the 40 snapshots"),
            std::string::npos)
      << refusal(model, request);
}

TEST_F(SnapshotFile, of_rigid_motion_only_is_refused) {
  const StvkModel model(make_box_mesh(4, 2, 3, 0.05, kBeamMaterial), {});
  write(model, tumbling(model, Eigen::VectorXd::Zero(model.dof_count()), 8));
  BasisRequest request;
  request.kind = BasisKind::kSnapshots;
  request.free = true;
  request.modes = 1;
  request.dimension = 1;
  request.snapshots = {path};
  EXPECT_NE(refusal(model, request).find("reduction.snapshots: found rigid motion only"),
            std::string::npos)
      << refusal(model, request);
}

TEST_F(SnapshotFile, of_another_mesh_or_without_shapes_is_refused) {
  const StvkModel model = held_beam(6, 2, 3), other = held_beam(6, 2, 3, 0.06);
  BasisRequest request;
  request.kind = BasisKind::kSnapshots;
  request.modes = 2;
  request.dimension = 1;
  request.snapshots = {path};
  EXPECT_NE(refusal(model, request).find("no such file, expected a log of"), std::string::npos);
  write(other, Eigen::MatrixXd::Ones(other.dof_count(), 2));
  EXPECT_NE(refusal(model, request).find("/mesh/vertices: found another mesh"), std::string::npos);
  write(model, Eigen::MatrixXd::Zero(model.dof_count(), 2));
  EXPECT_NE(refusal(model, request).find("found only zeros"), std::string::npos);
  write(model, Eigen::MatrixXd(model.dof_count(), 0));
  EXPECT_NE(refusal(model, request).find("found no row"), std::string::npos);
}

}  // namespace
}  // namespace haptic
