#include "host/fem/sampled_strain.h"

#include <gtest/gtest.h>

#include <cmath>

#include "host/fem/assumed_strain_element.h"

namespace haptic {
namespace {

using Vector3 = Eigen::Vector3d;

const Vector3 kEdges(0.02, 0.01, 0.03);  // m

/// Corner values of a displacement field, from places in the cell's frame times its edges [m].
template <typename Field>
ElementVectors<8> corner_values(const Field& field) {
  ElementVectors<8> u;
  const CornerVectors offsets = hexahedron_corner_offsets();
  for (int a = 0; a < 8; ++a) {
    u.col(a) = field(Vector3((offsets.col(a).array() - 0.5) * kEdges.array()));
  }
  return u;
}

struct Sampled {
  Eigen::Matrix3d strain, stress;
};

Sampled sampled(const ElasticityMatrix& C, const ElementVectors<8>& u, const Vector3& at,
                const CellPart& part = kWholeCell) {
  const AssumedStrainRule rule =
      assumed_strain_rule(kEdges, part, StrainSampling::kAssumed, mean_dilatation_share(C));
  const Eigen::Matrix3d strain = strain_at(strain_sample(kEdges, at, StrainSampling::kAssumed), u);
  return {strain, SampledStress(rule, C)(C, strain, u)};
}

TEST(SampledStrain, of_a_large_affine_deformation_is_that_of_its_gradient) {
  Eigen::Matrix3d F;
  F << 1.3, 0.2, -0.1, 0.4, 0.8, 0.3, 0.1, -0.2, 1.1;
  const auto u = corner_values([&](const Vector3& x) { return Vector3(F * x - x); });
  const Eigen::Matrix3d E = 0.5 * (F.transpose() * F - Eigen::Matrix3d::Identity());
  const ElasticityMatrix C = isotropic_elasticity(Material{1e5, 0.45, 1000.0}.lame());
  for (const Vector3& at : {Vector3(0, 0, 0), Vector3(0.5, -0.5, 0.5), Vector3(-0.1, 0.3, 0.2)}) {
    const Sampled here = sampled(C, u, at);
    EXPECT_LT((here.strain - E).norm(), 1e-14);
    EXPECT_LT((here.stress - stress_of(C, E)).norm(), 1e-9);
  }
}

// One layer that bends: at its upper face the axial stress is E times the axial strain, whatever
// Poisson's ratio is, and there is no shear; C : E of the trilinear field gets both wrong.
TEST(SampledStrain, of_a_bent_layer_is_that_of_a_beam) {
  constexpr double kCurvature = 1e-6;  // 1/m
  const auto u = corner_values([](const Vector3& x) {
    return Vector3(-kCurvature * x.x() * x.y(), 0.5 * kCurvature * x.x() * x.x(), 0.0);
  });
  const double bent = kCurvature * 0.5 * kEdges.y();
  for (const double nu : {0.0, 0.3, 0.45, 0.499}) {
    const ElasticityMatrix C = isotropic_elasticity(Material{1e6, nu, 1000.0}.lame());
    for (const double along : {-0.5, 0.0, 0.5}) {
      const Sampled top = sampled(C, u, Vector3(along, -0.5, 0.2));
      EXPECT_NEAR(top.strain(0, 0) / bent, 1.0, 1e-6) << nu;
      EXPECT_NEAR(top.strain(0, 1) / bent, 0.0, 1e-6) << nu;
      EXPECT_NEAR(top.stress(0, 0) / (1e6 * bent), 1.0, 1e-5) << nu;
    }
  }
}

// The force of an element is the sum of its sampled stresses: power of a velocity at each point.
TEST(SampledStrain, is_what_the_energy_is_made_of) {
  ElasticityMatrix C = isotropic_elasticity(Material{1e5, 0.4, 1000.0}.lame());
  C(0, 0) *= 1.5;
  C(3, 3) *= 0.7;
  C(0, 3) = C(3, 0) = 0.2 * C(3, 3);  // a stretch along x shears
  C(1, 5) = C(5, 1) = -0.1 * C(3, 3);
  CellPart part = kWholeCell;  // the lower half
  for (double& m : part) m *= 0.5;
  part[3] = -0.125;
  part[6] = 1.0 / 24.0;
  for (const CellPart& of : {kWholeCell, part}) {
    const AssumedStrainRule rule =
        assumed_strain_rule(kEdges, of, StrainSampling::kAssumed, mean_dilatation_share(C));
    const ElementVectors<8> u = 0.1 * kEdges.x() * ElementVectors<8>::Random();
    const SampledStress stress(rule, C);
    double energy = 0.0;
    for (std::size_t g = 0; g < AssumedStrainRule::kPoints; ++g) {
      const StrainSample sample{rule.gradient[g], rule.shear[g]};
      const Eigen::Matrix3d E = strain_at(sample, u);
      energy += 0.5 * rule.weight[g] * (E.array() * stress(C, E, u).array()).sum();
    }
    EXPECT_NEAR(energy / stvk_energy(rule, C, u), 1.0, 1e-12);
  }
}

}  // namespace
}  // namespace haptic
