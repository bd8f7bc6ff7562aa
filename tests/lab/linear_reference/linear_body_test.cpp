#include "lab/linear_reference/linear_body.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <Eigen/Eigenvalues>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "shared/error.h"
#include "tests/lab/linear_reference/poked_block.h"
#include "tests/support/condensed_box.h"

namespace haptic::lab {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// One element of 2 cm with nothing to hold it but what the test takes: its 24 x 24 stiffness.
TEST(LinearBody, an_element_has_six_zero_modes_and_the_rest_are_positive) {
  const StvkModel element(make_box_mesh(1, 1, 1, 0.02, kTissue), {}, {.mass = MassKind::kLumped});
  const MatrixXd K = element.stiffness_at_rest();
  ASSERT_EQ(K.rows(), 24);
  const double largest = K.cwiseAbs().maxCoeff();
  EXPECT_LT((K - K.transpose()).cwiseAbs().maxCoeff(), 1e-14 * largest);
  const VectorXd values =
      Eigen::SelfAdjointEigenSolver<MatrixXd>(K, Eigen::EigenvaluesOnly).eigenvalues();
  for (int i = 0; i < 6; ++i) EXPECT_LT(std::abs(values[i]), 1e-12 * values[23]);
  EXPECT_GT(values[6], 1e-3 * values[23]);
}

TEST(LinearBody, patch_test_of_constant_strain) {
  // Displacements of the outer nodes as u = A x: the inner ones follow, and stress is constant.
  const SolidMesh mesh = make_box_mesh(3, 3, 3, 0.02, kTissue);
  Eigen::Matrix3d A;
  A << 0.01, 0.02, -0.03, 0.015, -0.02, 0.01, 0.0, 0.025, 0.03;
  std::vector<std::uint32_t> outer, inner;
  for (int v = 0; v < mesh.vertex_count(); ++v) {
    const Eigen::Array3d x = mesh.vertex(v).array();
    const bool inside = (x > 1e-9).all() && (x < 0.06 - 1e-9).all();
    (inside ? inner : outer).push_back(static_cast<std::uint32_t>(v));
  }
  ASSERT_EQ(inner.size(), 8u);
  const StvkModel free(mesh, {}, {.mass = MassKind::kLumped});
  const MatrixXd K = free.stiffness_at_rest();
  VectorXd u = VectorXd::Zero(free.dof_count());
  for (const std::uint32_t v : outer) u.segment<3>(3 * v) = A * mesh.vertex(static_cast<int>(v));
  const StvkModel held(mesh, outer, {.mass = MassKind::kLumped});
  const LinearBody body(held);
  const VectorXd f = K * u;
  VectorXd load(body.size());
  for (std::size_t i = 0; i < inner.size(); ++i) {
    load.segment<3>(3 * static_cast<Eigen::Index>(i)) = -f.segment<3>(3 * inner[i]);
  }
  const VectorXd solved = body.factor.solve(load);
  for (std::size_t i = 0; i < inner.size(); ++i) {
    EXPECT_LT((solved.segment<3>(3 * static_cast<Eigen::Index>(i)) -
               A * mesh.vertex(static_cast<int>(inner[i])))
                  .norm(),
              1e-10 * 0.06 * A.norm());
  }
}

TEST(LinearBody, the_lumped_mass_is_an_eighth_of_each_element_at_each_of_its_nodes) {
  const LinearBody body = poked_block();
  const double element = 1000.0 * 0.025 * 0.025 * 0.025;
  const auto mass_at = [&](int vertex) { return body.mass[3 * body.model.free_index(vertex)]; };
  EXPECT_NEAR(mass_at(block_vertex(2, 2, 2)), element, 1e-12 * element);
  EXPECT_NEAR(mass_at(block_vertex(0, 2, 2)), element / 2, 1e-12 * element);
  EXPECT_NEAR(mass_at(block_vertex(0, 0, 2)), element / 4, 1e-12 * element);
  EXPECT_NEAR(mass_at(block_vertex(0, 0, 4)), element / 8, 1e-12 * element);
}

TEST(LinearBody, a_model_file_has_the_body_and_its_damping) {
  const auto folder = std::filesystem::path(testing::TempDir()) /
                      ("haptic_linear_body_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  CondensedBoxSettings settings;
  settings.resolution = 3;
  settings.damping_ratios = {0.5, 0.5};
  bake_condensed_box(folder / "cube.h5", settings);
  {
    const ModelFile file(folder / "cube.h5");
    const LinearBody body = read_linear_body(file);
    EXPECT_EQ(body.size(), 3 * 48);
    EXPECT_GT(body.damping.alpha, 0.0);
    EXPECT_EQ(body.damping.alpha, file.doubles("/condensed/damping")[0]);
    // That of the cube, whose voxels are larger by 1.001 (VoxelSettings).
    EXPECT_NEAR(body.model.mesh().mass(), 1.0, 1e-9);
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace haptic::lab
