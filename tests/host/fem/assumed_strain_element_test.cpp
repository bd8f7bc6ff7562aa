#include "host/fem/assumed_strain_element.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <cmath>

#include "host/fem/elastic_element.h"
#include "tests/host/fem/bodies.h"
#include "tests/host/fem/random_element.h"
#include "tests/support/relative_error.h"

namespace haptic {
namespace {

using Vector3 = Eigen::Vector3d;
constexpr double kEdge = 0.05;  // m

Eigen::Map<const Eigen::Matrix<double, 24, 1>> column_of(const CornerVectors& u) {
  return Eigen::Map<const Eigen::Matrix<double, 24, 1>>(u.data());
}

/// The part [low, high] of the unit cell.
CellPart box_part(const Vector3& low, const Vector3& high) {
  const auto moment = [&](int d, int a) {
    return (std::pow(high[d], a + 1) - std::pow(low[d], a + 1)) / (a + 1);
  };
  constexpr int kPowers[10][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {2, 0, 0},
                                  {0, 2, 0}, {0, 0, 2}, {1, 1, 0}, {1, 0, 1}, {0, 1, 1}};
  CellPart part;
  for (std::size_t m = 0; m < 10; ++m) {
    part[m] = moment(0, kPowers[m][0]) * moment(1, kPowers[m][1]) * moment(2, kPowers[m][2]);
  }
  return part;
}

/// The corner of the cell below the plane through three of its edges at 0.6 of their length.
CellPart corner_part() {
  const double a = 0.6, volume = a * a * a / 6.0, c = -0.5;
  const double square = std::pow(a, 5) / 60.0 + 2.0 * c * volume * a / 4.0 + c * c * volume;
  const double mixed = std::pow(a, 5) / 120.0 + 2.0 * c * volume * a / 4.0 + c * c * volume;
  const double first = volume * (a / 4.0 + c);
  return {volume, first, first, first, square, square, square, mixed, mixed, mixed};
}

struct NamedPart {
  const char* name;
  CellPart part;
};
const std::vector<NamedPart>& parts() {
  static const std::vector<NamedPart> all = {
      {"whole", kWholeCell},
      {"half", box_part(Vector3(-0.5, -0.5, -0.5), Vector3(0.5, 0.0, 0.5))},
      {"sliver", box_part(Vector3(-0.5, -0.5, 0.45), Vector3(0.5, 0.5, 0.5))},
      {"edge", box_part(Vector3(0.3, 0.1, -0.5), Vector3(0.5, 0.5, 0.5))},
      {"corner", corner_part()}};
  return all;
}

AssumedStrainRule part_rule(const CellPart& part, const ElasticityMatrix& C) {
  return assumed_strain_rule(Vector3::Constant(kEdge), part, StrainSampling::kAssumed,
                             mean_dilatation_share(C));
}

std::vector<ElasticityMatrix> materials() {
  std::vector<ElasticityMatrix> all;
  for (const double nu : {-0.2, 0.0, 0.3, 0.45, 0.499}) {
    all.push_back(isotropic_elasticity(Material{1e6, nu, 1000.0}.lame()));
  }
  all.push_back(random_elasticity(5, 1e6));
  return all;
}

TEST(AssumedStrainRuleTest, points_have_the_moments_of_the_part) {
  for (const auto& [name, part] : parts()) {
    const auto points = points_of(part);
    Vector3 first = Vector3::Zero();
    Eigen::Matrix3d second = Eigen::Matrix3d::Zero();
    for (const Vector3& p : points) {
      first += part[0] / 8.0 * p;
      second += part[0] / 8.0 * p * p.transpose();
    }
    EXPECT_LE((first - Vector3(part[1], part[2], part[3])).norm(), 1e-15) << name;
    EXPECT_LE((second.diagonal() - Vector3(part[4], part[5], part[6])).norm(), 1e-15) << name;
    EXPECT_NEAR(second(0, 1), part[7], 1e-15) << name;
    EXPECT_NEAR(second(0, 2), part[8], 1e-15) << name;
    EXPECT_NEAR(second(1, 2), part[9], 1e-15) << name;
  }
}

TEST(AssumedStrainRuleTest, a_whole_cell_has_the_gauss_points) {
  const HexahedronQuadrature gauss = hexahedron_quadrature(cube_corners(kEdge), 2);
  const AssumedStrainRule rule = part_rule(kWholeCell, materials()[0]);
  for (std::size_t g = 0; g < 8; ++g) {
    double nearest = 1.0;
    for (std::size_t other = 0; other < 8; ++other) {
      nearest = std::min(nearest, (rule.value[g] - gauss.value[other]).norm());
    }
    EXPECT_LE(nearest, 1e-15);
    EXPECT_NEAR(rule.weight[g], gauss.weight[0], 1e-18);
  }
}

TEST(AssumedStrainRuleTest, strain_as_it_is_gives_the_published_element) {
  RandomValues random(3);
  const CornerVectors u = random.corners(0.3 * kEdge);
  const LameParameters lame = kRubber.lame();
  const AssumedStrainRule rule =
      assumed_strain_rule(Vector3::Constant(kEdge), kWholeCell, StrainSampling::kPointwise, 0.0);
  const HexahedronQuadrature gauss = hexahedron_quadrature(cube_corners(kEdge), 2);
  EXPECT_LE(
      relative_error(stvk_force(rule, isotropic_elasticity(lame), u), stvk_force(gauss, lame, u)),
      1e-14);
}

// Deviations of the trace: lambda becomes 2 mu nu.
TEST(AssumedStrainRuleTest, the_rest_of_the_trace_bends_a_slab_as_its_material_does) {
  for (const double nu : {0.0, 0.3, 0.49}) {
    const Material material{1e6, nu, 1000.0};
    const auto [lambda, mu] = material.lame();
    const double rest = 1.0 - mean_dilatation_share(isotropic_elasticity({lambda, mu}));
    const double bulk = lambda + 2.0 / 3.0 * mu;
    EXPECT_NEAR(rest * rest * bulk, 2.0 / 3.0 * mu + 2.0 * mu * nu, 1e-6 * bulk);
  }
}

/// Force and stiffness against central differences, the product with p against the stiffness.
void expect_derivatives(ElasticModel model, const AssumedStrainRule& rule,
                        const ElasticityMatrix& C, const CornerVectors& u, const CornerVectors& p,
                        double tolerance) {
  const ElementMatrix K = elastic_stiffness(model, rule, C, u);
  const double step = 1e-5 * kEdge;  // truncation and rounding near 1e-9
  CornerVectors gradient;
  ElementMatrix slope;
  for (int i = 0; i < 24; ++i) {
    CornerVectors plus = u, minus = u;
    plus(i) += step;
    minus(i) -= step;
    gradient(i) =
        (elastic_energy(model, rule, C, plus) - elastic_energy(model, rule, C, minus)) / (2 * step);
    slope.col(i) = (column_of(elastic_force(model, rule, C, plus)) -
                    column_of(elastic_force(model, rule, C, minus))) /
                   (2 * step);
  }
  EXPECT_LE(relative_error(gradient, elastic_force(model, rule, C, u)), tolerance);
  EXPECT_LE(relative_error(slope, K), tolerance);
  EXPECT_LE((K - K.transpose()).norm(), 1e-14 * K.norm());
  EXPECT_LE(
      relative_error(elastic_stiffness_product(model, rule, C, u, p).reshaped(), K * column_of(p)),
      1e-12);
}

TEST(AssumedStrainElementTest, forces_and_stiffness_are_derivatives_of_the_energy) {
  RandomValues random(2);
  for (const auto& [name, part] : parts()) {
    for (const ElasticityMatrix& C : materials()) {
      const AssumedStrainRule rule = part_rule(part, C);
      const CornerVectors u = random.corners(0.3 * kEdge), p = random.corners(kEdge);
      SCOPED_TRACE(name);
      expect_derivatives(ElasticModel::kStvk, rule, C, u, p, 1e-7);
    }
  }
}

TEST(AssumedStrainElementTest, the_hessian_is_the_derivative_of_the_stiffness_at_rest) {
  RandomValues random(4);
  for (const auto& [name, part] : parts()) {
    const ElasticityMatrix C = materials()[2];
    const AssumedStrainRule rule = part_rule(part, C);
    const CornerVectors v = random.corners(kEdge), w = random.corners(kEdge);
    const double step = 1e-4;
    const Eigen::VectorXd difference =
        (stvk_stiffness(rule, C, step * v) - stvk_stiffness(rule, C, -step * v)) * column_of(w) /
        (2 * step);
    const CornerVectors product = stvk_hessian_product(rule, C, v, w);
    // The stiffness is a quadratic polynomial: the central difference is exact but for rounding.
    EXPECT_LE(relative_error(product.reshaped(), difference), 1e-10) << name;
    EXPECT_EQ(product, stvk_hessian_product(rule, C, w, v)) << name;
  }
}

TEST(AssumedStrainElementTest, the_energy_is_a_quartic_polynomial) {
  RandomValues random(6);
  for (const auto& [name, part] : parts()) {
    const ElasticityMatrix C = materials()[3];
    const AssumedStrainRule rule = part_rule(part, C);
    const CornerVectors u = random.corners(kEdge);
    // The fifth difference of a quartic is zero.
    constexpr double kBinomial[] = {-1, 5, -10, 10, -5, 1};
    double difference = 0.0, size = 0.0;
    for (int k = 0; k < 6; ++k) {
      const double energy = stvk_energy(rule, C, (k - 2.5) * u);
      difference += kBinomial[k] * energy;
      size += std::abs(kBinomial[k] * energy);
    }
    EXPECT_LE(std::abs(difference), 1e-13 * size) << name;
  }
}

TEST(AssumedStrainElementTest, rigid_motions_of_any_size_have_no_energy_or_force) {
  RandomValues random(7);
  for (const auto& [name, part] : parts()) {
    for (const ElasticityMatrix& C : materials()) {
      const AssumedStrainRule rule = part_rule(part, C);
      const Eigen::Quaterniond turn =
          Eigen::Quaterniond(random.scalar(1), random.scalar(1), random.scalar(1), random.scalar(1))
              .normalized();
      const CornerVectors x = cube_corners(kEdge);
      const CornerVectors u = ((turn.toRotationMatrix() * x).colwise() + Vector3(1, -2, 3)) - x;
      const double scale = C.norm() * std::pow(kEdge, 3);
      EXPECT_LE(stvk_energy(rule, C, u), 1e-24 * scale) << name;
      EXPECT_LE(stvk_force(rule, C, u).norm(), 1e-11 * scale / kEdge) << name;
    }
  }
}

// Patch test: an affine deformation, large too, has the energy of its strain in the part's volume.
TEST(AssumedStrainElementTest, affine_deformations_are_exact) {
  RandomValues random(8);
  for (const auto& [name, part] : parts()) {
    for (const ElasticityMatrix& C : materials()) {
      const AssumedStrainRule rule = part_rule(part, C);
      for (const double size : {1e-6, 0.1, 0.7}) {
        const Eigen::Matrix3d G = random.matrix(3, 3, size);
        const CornerVectors u = G * cube_corners(kEdge);
        const Eigen::Matrix3d E = 0.5 * (G + G.transpose() + G.transpose() * G);
        const double held = part[0] + (part == kWholeCell ? 0.0 : kCutFloor);
        const double energy =
            0.5 * held * std::pow(kEdge, 3) * stress_of(C, E).cwiseProduct(E).sum();
        EXPECT_NEAR(stvk_energy(rule, C, u) / energy, 1.0, 1e-9) << name << ", " << size;
      }
    }
  }
}

// No spurious modes: the stiffness has six zero eigenvalues, whatever part of the cell is left.
TEST(AssumedStrainElementTest, only_rigid_motions_are_free) {
  for (const auto& [name, part] : parts()) {
    for (const ElasticityMatrix& C : materials()) {
      const AssumedStrainRule rule = part_rule(part, C);
      const Eigen::VectorXd values = Eigen::SelfAdjointEigenSolver<ElementMatrix>(
                                         stvk_stiffness(rule, C, CornerVectors::Zero()))
                                         .eigenvalues();
      EXPECT_LE(std::abs(values[5]), 1e-14 * values[23]) << name;
      // The far corners of a sliver of 0.05 move with the square of its thickness.
      EXPECT_GE(values[6], 1e-5 * 1e6 * kEdge * part[0]) << name;
    }
  }
}

// Bending of one element, u_x = k x y, u_y = -k x^2 / 2 at the corners, and the transverse strain
// that it can take: the energy of a slab in bending, E I k^2 / 2 per length, whatever nu.
TEST(AssumedStrainElementTest, one_element_bends_as_a_beam) {
  for (const double nu : {0.0, 0.3, 0.45, 0.499}) {
    const ElasticityMatrix C = isotropic_elasticity(Material{1e6, nu, 1000.0}.lame());
    const AssumedStrainRule rule = part_rule(kWholeCell, C);
    CornerVectors u;
    const CornerVectors x = cube_corners(kEdge).array() - 0.5 * kEdge;
    const double k = 1e-3;
    for (int a = 0; a < 8; ++a) {
      u.col(a) << k * x(0, a) * x(1, a), -0.5 * k * x(0, a) * x(0, a), 0.0;
    }
    const double expected = 0.5 * 1e6 * std::pow(kEdge, 4) / 12.0 * k * k * kEdge;
    EXPECT_NEAR(stvk_energy(rule, C, u) / expected, 1.0, 1e-4) << nu;
  }
}

class AssumedStrainModels : public testing::TestWithParam<ElasticModel> {
 protected:
  static ElasticityMatrix material() {
    return isotropic_elasticity(Material{1e6, 0.3, 1000.0}.lame());
  }
};

TEST_P(AssumedStrainModels, forces_and_stiffness_are_derivatives_of_the_energy) {
  RandomValues random(12);
  std::vector<ElasticityMatrix> all = {material()};
  if (GetParam() == ElasticModel::kCorotational) all.push_back(random_elasticity(5, 1e6));
  for (const auto& [name, part] : parts()) {
    for (const ElasticityMatrix& C : all) {
      const AssumedStrainRule rule = part_rule(part, C);
      const CornerVectors u = random.corners(0.15 * kEdge), p = random.corners(kEdge);
      SCOPED_TRACE(name);
      expect_derivatives(GetParam(), rule, C, u, p, 1e-6);
    }
  }
}

TEST_P(AssumedStrainModels, rest_is_that_of_stvk_and_rotations_have_no_energy) {
  RandomValues random(13);
  const ElasticityMatrix C = material();
  for (const auto& [name, part] : parts()) {
    const AssumedStrainRule rule = part_rule(part, C);
    const CornerVectors none = CornerVectors::Zero();
    EXPECT_LE(
        relative_error(elastic_stiffness(GetParam(), rule, C, none), stvk_stiffness(rule, C, none)),
        1e-13)
        << name;
    const Eigen::Matrix3d R =
        Eigen::Quaterniond(random.scalar(1), random.scalar(1), random.scalar(1), random.scalar(1))
            .normalized()
            .toRotationMatrix();
    const CornerVectors x = cube_corners(kEdge), u = R * x - x;
    const double scale = C.norm() * std::pow(kEdge, 3);
    EXPECT_LE(elastic_energy(GetParam(), rule, C, u), 1e-24 * scale) << name;
    EXPECT_LE(elastic_force(GetParam(), rule, C, u).norm(), 1e-11 * scale / kEdge) << name;
  }
}

// As at every point of the published element.
TEST_P(AssumedStrainModels, affine_deformations_are_those_of_the_published_element) {
  RandomValues random(14);
  const LameParameters lame = kRubber.lame();
  const HexahedronQuadrature whole = hexahedron_quadrature(cube_corners(kEdge), 2);
  const AssumedStrainRule rule = part_rule(kWholeCell, isotropic_elasticity(lame));
  for (int trial = 0; trial < 20; ++trial) {
    const CornerVectors u = random.matrix(3, 3, 0.3) * cube_corners(kEdge);
    const double expected = elastic_energy(GetParam(), whole, lame, u);
    EXPECT_NEAR(elastic_energy(GetParam(), rule, isotropic_elasticity(lame), u) / expected, 1.0,
                1e-9);
  }
  // Turned inside out, too: without end for neo-Hookean.
  const CornerVectors flipped = Vector3(-1.7, 0.1, 0.05).asDiagonal() * cube_corners(kEdge);
  const double inside_out = elastic_energy(GetParam(), whole, lame, flipped);
  const double here = elastic_energy(GetParam(), rule, isotropic_elasticity(lame), flipped);
  if (std::isinf(inside_out)) {
    EXPECT_TRUE(std::isinf(here));
  } else {
    EXPECT_NEAR(here / inside_out, 1.0, 1e-9);
  }
}
INSTANTIATE_TEST_SUITE_P(Models, AssumedStrainModels,
                         testing::Values(ElasticModel::kCorotational, ElasticModel::kNeoHookean),
                         [](const auto& model) {
                           return model.param == ElasticModel::kCorotational ? "corotational"
                                                                             : "neo_hookean";
                         });

TEST(AssumedStrainElementTest, damping_dissipates_and_leaves_rigid_rates_alone) {
  RandomValues random(9);
  const LameParameters viscosity{3.0, 2.0};
  for (const auto& [name, part] : parts()) {
    const AssumedStrainRule rule = part_rule(part, materials()[2]);
    const CornerVectors u = random.corners(0.3 * kEdge), v = random.corners(kEdge);
    const CornerVectors force = strain_rate_damping_force(rule, viscosity, u, v);
    EXPECT_GT(force.cwiseProduct(v).sum(), 0.0) << name;
    const Vector3 spin(0.3, -0.5, 0.7);
    CornerVectors rigid;
    for (int a = 0; a < 8; ++a) rigid.col(a) = spin.cross(Vector3(cube_corners(kEdge).col(a)));
    EXPECT_LE(strain_rate_damping_force(rule, viscosity, CornerVectors::Zero(), rigid).norm(),
              1e-14)
        << name;
  }
}

TEST(AssumedStrainElementTest, the_mass_has_the_moments_of_the_part) {
  for (const auto& [name, part] : parts()) {
    const AssumedStrainRule rule = part_rule(part, materials()[0]);
    const Eigen::Matrix<double, 8, 8> mass = consistent_mass(rule, 500.0);
    const CornerVectors x = cube_corners(1.0).array() - 0.5;
    const double cell = 500.0 * std::pow(kEdge, 3);
    EXPECT_NEAR(mass.sum(), cell * part[0], 1e-15 * cell) << name;
    const Eigen::Matrix3d second = x * mass * x.transpose();
    EXPECT_NEAR(second(0, 0), cell * part[4], 1e-15 * cell) << name;
    EXPECT_NEAR(second(0, 1), cell * part[7], 1e-15 * cell) << name;
    EXPECT_GE(mass.rowwise().sum().minCoeff(), 0.0) << name;
  }
}

}  // namespace
}  // namespace haptic
