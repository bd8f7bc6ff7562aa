#include "host/sampling/modal_blocks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "host/mesh/voxel_mesh.h"
#include "host/sampling/point_shell_builder.h"
#include "lab/samples/field_shapes.h"
#include "shared/error.h"

namespace haptic {
namespace {

struct Scene {
  VoxelMesh voxels;
  SampledShell shell;
  std::vector<EmbeddedPoint> embedding;
};

Scene make_scene() {
  const TriangleMesh box = box_mesh(Vector3::Zero(), Vector3(0.2, 0.1, 0.1));
  Scene scene;
  scene.voxels = voxelize(box, {.resolution = 8});
  scene.shell = build_point_shell(SurfaceDistance(box), {.points = 300});
  scene.embedding = Embedding(scene.voxels).embed(scene.shell.points);
  return scene;
}

TEST(ModalBlocks, affine_modes_are_reproduced_exactly) {
  const Scene scene = make_scene();
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  const std::uint32_t r = 6;
  std::vector<Matrix3> gradients;
  std::vector<Vector3> shifts;
  for (std::uint32_t j = 0; j < r; ++j) {
    gradients.push_back(Matrix3::NullaryExpr([&] { return normal(random); }));
    shifts.push_back(Vector3::NullaryExpr([&] { return normal(random); }));
  }
  std::vector<double> basis(scene.voxels.vertices.size() * 3 * r);
  for (std::size_t v = 0; v < scene.voxels.vertices.size(); ++v) {
    for (std::uint32_t j = 0; j < r; ++j) {
      const Vector3 u = gradients[j] * scene.voxels.vertices[v] + shifts[j];
      for (std::size_t axis = 0; axis < 3; ++axis) {
        basis[(3 * v + axis) * r + j] = u[static_cast<Eigen::Index>(axis)];
      }
    }
  }
  const ModalBlocks blocks = build_modal_blocks(basis, r, scene.embedding, scene.shell.normals);
  ASSERT_EQ(blocks.displacement.size(), 300U * 3 * r);
  for (std::size_t s = 0; s < 300; ++s) {
    for (std::uint32_t j = 0; j < r; ++j) {
      const Vector3 u = gradients[j] * scene.shell.points[s] + shifts[j];
      const Vector3 dn = gradients[j] * scene.shell.normals[s];
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const std::size_t at = (s * 3 + axis) * r + j;
        const auto i = static_cast<Eigen::Index>(axis);
        // Values of order one, stored as float.
        EXPECT_NEAR(blocks.displacement[at], u[i], 4e-7);
        EXPECT_NEAR(blocks.normal_correction[at], dn[i], 1e-6);
      }
    }
  }
}

TEST(ModalBlocks, blocks_equal_the_interpolated_basis_and_its_derivative) {
  const Scene scene = make_scene();
  std::mt19937_64 random(2);
  std::normal_distribution<double> normal;
  const std::uint32_t r = 3;
  std::vector<double> basis(scene.voxels.vertices.size() * 3 * r);
  for (double& x : basis) x = normal(random);
  const ModalBlocks blocks = build_modal_blocks(basis, r, scene.embedding, scene.shell.normals);
  std::vector<double> direct(scene.embedding.size() * 3 * r);
  embed_basis(scene.embedding, basis, r, std::span<double>(direct));
  for (std::size_t i = 0; i < direct.size(); ++i) {
    EXPECT_NEAR(blocks.displacement[i], direct[i], 1e-6 * (1.0 + std::abs(direct[i])));
  }
}

TEST(ModalBlocks, sizes_that_do_not_fit_are_refused) {
  const std::vector<EmbeddedPoint> one(1);
  const std::vector<Vector3> normal(1, Vector3::UnitX());
  const std::vector<double> basis(3 * 2);  // one vertex, r = 2
  EXPECT_NO_THROW(build_modal_blocks(basis, 2, one, normal));
  EXPECT_THROW(build_modal_blocks(basis, 0, one, normal), InputError);
  EXPECT_THROW(build_modal_blocks(std::span(basis).first(5), 2, one, normal), InputError);
  EXPECT_THROW(build_modal_blocks(basis, 2, one, {}), InputError);
  std::vector<EmbeddedPoint> beyond(1);
  beyond[0].vertices[3] = 1;
  EXPECT_THROW(build_modal_blocks(basis, 2, beyond, normal), InputError);
}

}  // namespace
}  // namespace haptic
