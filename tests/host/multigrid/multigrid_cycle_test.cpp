#include "host/multigrid/multigrid_cycle.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <Eigen/Eigenvalues>

#include "host/multigrid/cell_stiffness.h"
#include "tests/host/multigrid/cut_bar.h"

namespace haptic {
namespace {

Lanes<float> applied(const MultigridCycle& cycle, const Lanes<float>& R) {
  MultigridCycle::Workspace workspace = cycle.workspace();
  Lanes<float> Z(R.rows(), kLanes);
  cycle.apply(R, Z, workspace);
  return Z;
}

MultigridCycle cycle_of(const StvkModel& model) {
  const GridCells cells = *grid_cells_of(model.mesh());
  return {shifted_stiffness(model, cells, 0.0), cells, rows_of(model)};
}

TEST(MultigridCycle, is_symmetric_and_positive_definite) {
  const StvkModel model = cut_bar(24, 6, 5, 0.4);
  const MultigridCycle cycle = cycle_of(model);
  ASSERT_GE(cycle.level_count(), 2);
  const Lanes<float> R = Lanes<float>::Random(model.free_dof_count(), kLanes);
  const Eigen::MatrixXd G = R.cast<double>().transpose() * applied(cycle, R).cast<double>();
  // Rounding of single precision, 6e-8, over some sums.
  EXPECT_LE((G - G.transpose()).norm(), 1e-5 * G.norm());
  EXPECT_GT(Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(G).eigenvalues()[0], 0.0);
}

TEST(MultigridCycle, is_linear_and_treats_each_vector_by_itself) {
  const StvkModel model = cut_bar(16, 6, 5, 0.3);
  const MultigridCycle cycle = cycle_of(model);
  const Lanes<float> R = Lanes<float>::Random(model.free_dof_count(), kLanes);
  Lanes<float> moved = R;
  moved.col(0) = R.col(3);
  moved.col(5).setZero();
  const Lanes<float> Z = applied(cycle, R), of_moved = applied(cycle, moved);
  EXPECT_EQ(of_moved.col(0), Z.col(3));
  EXPECT_EQ(of_moved.col(5).norm(), 0.0F);
  EXPECT_EQ(applied(cycle, 2.0F * R), 2.0F * Z);
}

TEST(MultigridCycle, gives_the_same_bits_with_any_number_of_threads) {
  const StvkModel model = cut_bar(30, 8, 7, 0.3);
  const Lanes<float> R = Lanes<float>::Random(model.free_dof_count(), kLanes);
  const auto with = [&](std::size_t threads) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    return applied(cycle_of(model), R);
  };
  EXPECT_EQ(with(1), with(3));
}

}  // namespace
}  // namespace haptic
