#include "host/reduction/lobpcg.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <Eigen/Eigenvalues>

#include "host/reduction/mass_pca.h"
#include "host/reduction/rest_stiffness.h"
#include "tests/host/reduction/beam.h"

namespace haptic {
namespace {

SystemModes modes_by_multigrid(const StvkModel& model, int k, const Eigen::MatrixXd& known,
                               double shift = 0.0) {
  const SparseMatrix mass = model.scalar_mass();
  const auto A = rest_stiffness(model, shift, 0);
  EXPECT_FALSE(A->is_exact());
  return lobpcg(
      *A, [&](const Eigen::MatrixXd& X) { return multiply_mass(mass, X); }, known, k);
}

Eigen::MatrixXd none(const StvkModel& model) {
  return Eigen::MatrixXd(model.free_dof_count(), 0);
}

TEST(Lobpcg, finds_the_lowest_modes_also_where_frequencies_repeat) {
  // A square beam bends alike along y and z.
  for (const StvkModel& model : {held_beam(16, 3, 3), held_beam(16, 2, 3)}) {
    constexpr int k = 9;
    const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> exact(
        Eigen::MatrixXd(model.stiffness_at_rest()), Eigen::MatrixXd(model.mass()));
    const SystemModes modes = modes_by_multigrid(model, k, none(model));
    ASSERT_EQ(modes.eigenvalues.size(), k);
    for (int i = 0; i < k; ++i) {
      // Quadratic in the error of the vectors, 1e-9; what is left is rounding of the dense solver.
      EXPECT_NEAR(modes.eigenvalues[i], exact.eigenvalues()[i], 1e-10 * exact.eigenvalues()[k]);
    }
    const Eigen::MatrixXd M = model.mass(), K = model.stiffness_at_rest();
    EXPECT_LE(
        (modes.shapes.transpose() * M * modes.shapes - Eigen::MatrixXd::Identity(k, k)).norm(),
        1e-12);
    const Eigen::MatrixXd R = K * modes.shapes - M * modes.shapes * modes.eigenvalues.asDiagonal();
    // |r| in the norm of K^-1, relative to the energy of the mode.
    const Eigen::MatrixXd Z = K.llt().solve(R);
    for (int i = 0; i < k; ++i) {
      EXPECT_LE(std::sqrt(R.col(i).dot(Z.col(i)) / modes.eigenvalues[i]), 3e-9) << i;
    }
  }
}

TEST(Lobpcg, known_vectors_are_left_out) {
  const StvkModel model = held_beam(16, 2, 3);
  const SystemModes all = modes_by_multigrid(model, 6, none(model));
  const SystemModes rest = modes_by_multigrid(model, 4, all.shapes.leftCols(2));
  for (int i = 0; i < 4; ++i) {
    EXPECT_NEAR(rest.eigenvalues[i], all.eigenvalues[2 + i], 1e-9 * all.eigenvalues[2 + i]);
  }
  const Eigen::MatrixXd overlap =
      all.shapes.leftCols(2).transpose() * multiply_mass(model.scalar_mass(), rest.shapes);
  EXPECT_LE(overlap.cwiseAbs().maxCoeff(), 1e-12);
}

TEST(Lobpcg, gives_the_same_bits_with_any_number_of_threads) {
  const StvkModel model = held_beam(40, 8, 8, 0.02);
  const auto with = [&](std::size_t threads) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    return modes_by_multigrid(model, 4, none(model)).shapes;
  };
  EXPECT_EQ(with(1), with(3));
}

TEST(Lobpcg, a_body_with_fewer_dofs_than_vectors) {
  const StvkModel model(make_box_mesh(1, 1, 1, 0.1, kBeamMaterial),
                        std::vector<std::uint32_t>{0, 1, 2, 3, 4});
  const SystemModes modes = modes_by_multigrid(model, 9, none(model));
  const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> exact(
      Eigen::MatrixXd(model.stiffness_at_rest()), Eigen::MatrixXd(model.mass()));
  EXPECT_LE((modes.eigenvalues - exact.eigenvalues()).norm(), 1e-10 * exact.eigenvalues().norm());
}

}  // namespace
}  // namespace haptic
