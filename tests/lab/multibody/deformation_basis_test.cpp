#include <gtest/gtest.h>

#include "host/reduction/mass_pca.h"
#include "shared/error.h"
#include "tests/host/reduction/beam.h"
#include "tests/lab/multibody/free_block.h"

namespace haptic {
namespace {

TEST(DeformationBasis, is_mass_orthonormal_and_without_rigid_parts) {
  const FreeBlock block;
  const Eigen::MatrixXd MU = multiply_mass(block.model.scalar_mass(), block.basis);
  EXPECT_LE(
      (block.basis.transpose() * MU - Eigen::MatrixXd::Identity(12, 12)).cwiseAbs().maxCoeff(),
      1e-12);  // docs/methods/reduced-dynamics.md, acceptance test 10
  // Momentum and angular momentum per unit of q' against those of a rigid motion of unit norm.
  Vector3 momentum = Vector3::Zero();
  double worst = 0.0;
  for (int j = 0; j < 12; ++j) {
    momentum.setZero();
    Vector3 angular = Vector3::Zero();
    for (int v = 0; v < block.model.vertex_count(); ++v) {
      const Vector3 p = MU.col(j).segment<3>(3 * v);
      momentum += p;
      angular += block.points.col(v).cross(p);
    }
    worst = std::max({worst, momentum.norm() / std::sqrt(block.rigid.mass),
                      angular.norm() / std::sqrt(block.rigid.inertia.trace())});
  }
  EXPECT_LE(worst, 1e-9);  // rounding of the modes' eigenvectors
}

TEST(DeformationBasis, rigid_properties_of_a_box) {
  const FreeBlock block;
  const double a = 0.12, b = 0.04, c = 0.06, mass = 1000.0 * a * b * c;
  EXPECT_NEAR(block.rigid.mass, mass, 1e-12 * mass);
  EXPECT_LE((block.rigid.centre - 0.5 * Vector3(a, b, c)).norm(), 1e-14);
  const Vector3 expected = mass / 12.0 * Vector3(b * b + c * c, a * a + c * c, a * a + b * b);
  EXPECT_LE((block.rigid.inertia - Matrix3(expected.asDiagonal())).norm(), 1e-12 * expected.norm());
}

TEST(DeformationBasis, refuses_a_fixed_body_and_more_than_the_rank) {
  EXPECT_THROW(deformation_basis(held_beam(4, 2, 3), 4, 8), InputError);
  const StvkModel model(make_box_mesh(4, 2, 3, 0.02, kBeamMaterial), {});
  EXPECT_THROW(deformation_basis(model, 2, 40), InputError);
}

}  // namespace
}  // namespace haptic
