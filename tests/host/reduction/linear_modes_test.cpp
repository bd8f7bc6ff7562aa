#include "host/reduction/linear_modes.h"

#include <Spectra/MatOp/SparseSymMatProd.h>
#include <Spectra/MatOp/SymShiftInvert.h>
#include <Spectra/SymGEigsShiftSolver.h>
#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <Eigen/Eigenvalues>

#include "host/reduction/block_lanczos.h"
#include "shared/error.h"
#include "tests/host/reduction/beam.h"

namespace haptic {
namespace {

double orthonormality_error(const StvkModel& model, const Eigen::MatrixXd& shapes) {
  const Eigen::MatrixXd X = model.restrict_to_free(shapes);
  return (X.transpose() * (model.mass() * X) - Eigen::MatrixXd::Identity(X.cols(), X.cols()))
      .cwiseAbs()
      .maxCoeff();
}

double residual(const StvkModel& model, const LinearModes& modes) {
  const Eigen::MatrixXd X = model.restrict_to_free(modes.shapes);
  const Eigen::MatrixXd MXL = model.mass() * X * modes.eigenvalues.asDiagonal();
  const Eigen::MatrixXd difference = model.stiffness_at_rest() * X - MXL;
  return difference.colwise().norm().cwiseQuotient(MXL.colwise().norm()).maxCoeff();
}

TEST(LinearModes, agree_with_the_dense_spectrum) {
  const StvkModel model = held_beam(6, 2, 3);
  const LinearModes modes = linear_modes(model, factor_rest_stiffness(model), 20);
  const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> dense(
      Eigen::MatrixXd(model.stiffness_at_rest()), Eigen::MatrixXd(model.mass()));
  for (int i = 0; i < 20; ++i) {
    EXPECT_NEAR(modes.eigenvalues[i], dense.eigenvalues()[i], 1e-10 * dense.eigenvalues()[i]);
    const Eigen::VectorXd mine = model.restrict_to_free(modes.shapes.col(i));
    EXPECT_NEAR(std::abs(mine.dot(model.mass() * dense.eigenvectors().col(i))), 1.0, 1e-9);
  }
  EXPECT_LE(orthonormality_error(model, modes.shapes), 1e-12);
  // Rounding of the solves: eps times the condition number of K, 1e5 here.
  EXPECT_LE(residual(model, modes), 1e-9);
}

TEST(LinearModes, agree_with_an_independent_lanczos) {
  const StvkModel model = held_beam(20, 2, 3);
  const LinearModes modes = linear_modes(model, factor_rest_stiffness(model), 10);
  const SparseMatrix K = model.stiffness_at_rest(), M = model.mass();
  using Op = Spectra::SymShiftInvert<double, Eigen::Sparse, Eigen::Sparse>;
  using BOp = Spectra::SparseSymMatProd<double>;
  Op op(K, M);
  BOp mass_op(M);
  Spectra::SymGEigsShiftSolver<Op, BOp, Spectra::GEigsMode::ShiftInvert> solver(op, mass_op, 10, 30,
                                                                                0.0);
  solver.init();
  ASSERT_EQ(
      solver.compute(Spectra::SortRule::LargestMagn, 1000, 1e-12, Spectra::SortRule::SmallestAlge),
      10);
  const Eigen::VectorXd values = solver.eigenvalues();
  for (int i = 0; i < 10; ++i) {
    // The slender beam's K has a condition number near 1e6.
    EXPECT_NEAR(modes.eigenvalues[i], values[i], 1e-9 * values[i]);
  }
  EXPECT_LE(residual(model, modes), 1e-8);
}

TEST(LinearModes, equal_eigenvalues_come_in_full_and_axis_by_axis) {
  const StvkModel model = held_beam(20, 3, 3);
  const LinearModes modes = linear_modes(model, factor_rest_stiffness(model), 6);
  EXPECT_LE(orthonormality_error(model, modes.shapes), 1e-12);
  // The two lowest are the bending pair of the square section; the secondary form splits them into
  // bending along y and bending along z.
  EXPECT_NEAR(modes.eigenvalues[0], modes.eigenvalues[1], 1e-8 * modes.eigenvalues[1]);
  const Eigen::Map<const Eigen::Matrix3Xd> first(modes.shapes.col(0).data(), 3,
                                                 model.vertex_count());
  const Eigen::Map<const Eigen::Matrix3Xd> second(modes.shapes.col(1).data(), 3,
                                                  model.vertex_count());
  // The remaining transverse part is the contraction of the section, 3e-3 here.
  EXPECT_LE(first.row(2).norm(), 1e-2 * first.row(1).norm());
  EXPECT_LE(second.row(1).norm(), 1e-2 * second.row(2).norm());
  EXPECT_LE(residual(model, modes), 1e-7);
}

TEST(LinearModes, are_the_same_bit_for_bit_every_time) {
  const auto shapes = [](std::size_t threads) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    const StvkModel model = held_beam(20, 3, 3);
    return linear_modes(model, factor_rest_stiffness(model), 6).shapes;
  };
  EXPECT_EQ(shapes(1), shapes(3));
}

TEST(LinearModes, signs_make_the_largest_component_positive) {
  const StvkModel model = held_beam(20, 2, 3);
  const LinearModes modes = linear_modes(model, factor_rest_stiffness(model), 8);
  for (int i = 0; i < 8; ++i) {
    const double largest = modes.shapes.col(i).cwiseAbs().maxCoeff();
    EXPECT_GE(modes.shapes.col(i).maxCoeff(), (1.0 - 1e-6) * largest);
  }
}

TEST(LinearModes, a_free_body_has_six_rigid_modes_first) {
  const StvkModel model(make_box_mesh(6, 3, 2, 0.05, kBeamMaterial), {});
  const LinearModes modes = free_linear_modes(model, 10);
  for (int i = 0; i < 6; ++i) {
    EXPECT_LE(std::abs(modes.eigenvalues[i]), 1e-8 * modes.eigenvalues[6]);
  }
  EXPECT_GT(modes.eigenvalues[6], 0.0);
  EXPECT_LE(orthonormality_error(model, modes.shapes), 1e-11);
}

TEST(LinearModes, all_modes_of_a_small_body_are_found) {
  const StvkModel model(make_box_mesh(1, 1, 1, 0.1, kBeamMaterial),
                        std::vector<std::uint32_t>{0, 1, 2, 3, 4});
  const LinearModes modes = linear_modes(model, factor_rest_stiffness(model), 9);
  EXPECT_LE(orthonormality_error(model, modes.shapes), 1e-12);
  EXPECT_LE(residual(model, modes), 1e-11);
  EXPECT_THROW(linear_modes(model, factor_rest_stiffness(model), 10), InputError);
  EXPECT_THROW(linear_modes(model, factor_rest_stiffness(model), 0), InputError);
}

TEST(LinearModes, loose_bodies_are_refused) {
  const SolidMesh mesh = make_box_mesh(3, 2, 2, 0.1, kBeamMaterial);
  EXPECT_THROW(factor_rest_stiffness(StvkModel(mesh, {})), InputError);
  EXPECT_THROW(factor_rest_stiffness(StvkModel(mesh, std::vector<std::uint32_t>{0, 1})),
               InputError);
}

// Two cubes that share an edge only: the second one rotates about it like a door.
TEST(LinearModes, a_hinge_in_the_mesh_is_refused) {
  const SolidMesh block = make_box_mesh(2, 2, 1, 0.1, kBeamMaterial);
  std::vector<double> vertices;
  std::vector<std::uint32_t> elements,
      renumbered(static_cast<std::size_t>(block.vertex_count()), 99);
  for (int e : {0, 3}) {
    for (const std::uint32_t v : block.element(e)) {
      if (renumbered[v] == 99) {
        renumbered[v] = static_cast<std::uint32_t>(vertices.size() / 3);
        const Vector3 x = block.vertex(static_cast<int>(v));
        vertices.insert(vertices.end(), {x.x(), x.y(), x.z()});
      }
      elements.push_back(renumbered[v]);
    }
  }
  const StvkModel model(SolidMesh(vertices, elements, kBeamMaterial),
                        std::vector<std::uint32_t>{0, 1, 3, 4});
  EXPECT_EQ(model.free_rigid_motions(), 0);
  EXPECT_THROW(factor_rest_stiffness(model), OperationError);
  EXPECT_THROW(linear_modes(model, *rest_stiffness(model, 0.0, 0), 2), OperationError);
}

// Both masses err by O(h^2). Cubes of 1/4 and 1/8 of the width: from 1/2 to 1/4 the twist is not
// yet in that range, with a ratio of 3.2.
TEST(LinearModes, modes_of_lumped_mass_converge_to_the_consistent_ones) {
  constexpr int kModes = 4;
  const auto difference = [](int cubes) {
    const SolidMesh mesh = make_box_mesh(4 * cubes, cubes, cubes, 0.2 / cubes, kBeamMaterial);
    std::vector<std::uint32_t> fixed;
    for (int v = 0; v < mesh.vertex_count(); ++v) {
      if (mesh.vertex(v).x() < 1e-9) fixed.push_back(static_cast<std::uint32_t>(v));
    }
    const auto frequencies = [&](MassKind mass) -> Eigen::VectorXd {
      const StvkModel model(mesh, fixed, {.mass = mass});
      return linear_modes(model, factor_rest_stiffness(model), kModes).eigenvalues.cwiseSqrt();
    };
    const Eigen::VectorXd consistent = frequencies(MassKind::kConsistent);
    return Eigen::VectorXd(1.0 - frequencies(MassKind::kLumped).cwiseQuotient(consistent).array());
  };
  const Eigen::VectorXd coarse = difference(4), fine = difference(8);
  for (int i = 0; i < kModes; ++i) {
    EXPECT_GT(fine[i], 0.0) << "lumping lowers the frequency";
    EXPECT_NEAR(coarse[i] / fine[i], 4.0, 0.5) << i;
  }
}

}  // namespace
}  // namespace haptic
