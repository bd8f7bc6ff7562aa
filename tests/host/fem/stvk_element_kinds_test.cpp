// Every element kind with every kind of material against derivatives and invariances; the plain
// formulas of the hexahedron are in stvk_element_test.cpp.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "host/fem/stvk_element.h"
#include "shared/error.h"
#include "tests/host/fem/element_kinds.h"
#include "tests/support/relative_error.h"

namespace haptic {
namespace {

struct Isotropic {
  static LameParameters law() { return Material{1e6, 0.3, 1000.0}.lame(); }
};
struct Auxetic {
  static LameParameters law() { return Material{1e6, -0.4, 1000.0}.lame(); }
};
struct Anisotropic {
  static ElasticityMatrix law() { return random_elasticity(21, 1e6); }
};

template <typename Element, typename Law>
struct Case {
  using E = Element;
  using L = Law;
};

template <typename C>
class AnyElement : public testing::Test {
 protected:
  using Rule = typename C::E::Rule;
  static constexpr int N = Rule::kCorners;
  using Vectors = ElementVectors<N>;
  using Flat = Eigen::Matrix<double, 3 * N, 1>;

  static Vectors unflattened(const Flat& x) { return Eigen::Map<const Vectors>(x.data()); }
  static Flat flat(const Vectors& u) { return Eigen::Map<const Flat>(u.data()); }
  Vectors random_vectors(double size) {
    return Vectors::NullaryExpr([&] { return random.scalar(size); });
  }

  RandomValues random{5};
  const Vectors corners = C::E::corners();
  const Rule rule = C::E::rule(corners);
  const decltype(C::L::law()) law = C::L::law();
};

using Cases = testing::Types<Case<Hexahedra, Isotropic>, Case<Hexahedra, Auxetic>,
                             Case<Hexahedra, Anisotropic>, Case<Tetrahedra, Isotropic>,
                             Case<Tetrahedra, Auxetic>, Case<Tetrahedra, Anisotropic>>;
TYPED_TEST_SUITE(AnyElement, Cases);

TYPED_TEST(AnyElement, force_and_stiffness_are_derivatives) {
  using Field = typename TestFixture::Vectors;
  constexpr int kCorners = TestFixture::N;
  const Field u = this->random_vectors(0.3);
  const Field force = stvk_force(this->rule, this->law, u);
  const ElementSquare<kCorners> K = stvk_stiffness(this->rule, this->law, u);
  const double step = 1e-5;  // central difference: truncation and rounding near 1e-10
  Field gradient;
  ElementSquare<kCorners> slope;
  for (int i = 0; i < 3 * kCorners; ++i) {
    Field plus = u, minus = u;
    plus(i) += step;
    minus(i) -= step;
    gradient(i) =
        (stvk_energy(this->rule, this->law, plus) - stvk_energy(this->rule, this->law, minus)) /
        (2 * step);
    slope.col(i) = (this->flat(stvk_force(this->rule, this->law, plus)) -
                    this->flat(stvk_force(this->rule, this->law, minus))) /
                   (2 * step);
  }
  EXPECT_LE(relative_error(gradient, force), 1e-7);
  EXPECT_LE(relative_error(slope, K), 1e-7);
  EXPECT_LE((K - K.transpose()).norm(), 1e-14 * K.norm());
  const Field p = this->random_vectors(1.0);
  EXPECT_LE(relative_error(this->flat(stvk_stiffness_product(this->rule, this->law, u, p)),
                           K * this->flat(p)),
            1e-14);
}

TYPED_TEST(AnyElement, rigid_motion_of_any_amount_makes_no_force) {
  using Field = typename TestFixture::Vectors;
  RandomValues& values = this->random;
  for (int trial = 0; trial < 20; ++trial) {
    const Eigen::Quaterniond rotation =
        Eigen::Quaterniond(values.scalar(1), values.scalar(1), values.scalar(1), values.scalar(1))
            .normalized();
    Field u = rotation.toRotationMatrix() * this->corners - this->corners;
    u.colwise() += Eigen::Vector3d(values.scalar(3), values.scalar(3), values.scalar(3));
    const Field deformed = this->random_vectors(u.cwiseAbs().maxCoeff());
    EXPECT_LE(stvk_force(this->rule, this->law, u).norm(),
              1e-11 * stvk_force(this->rule, this->law, deformed).norm());
  }
}

TYPED_TEST(AnyElement, hessian_product_equals_difference_of_stiffness_and_is_symmetric) {
  using Field = typename TestFixture::Vectors;
  const Field v = this->random_vectors(1.0), w = this->random_vectors(1.0);
  const Field product = stvk_hessian_product(this->rule, this->law, v, w);
  // K is quadratic in u: the central difference is exact at any step.
  const double step = 0.1;
  const Field plus = step * v, minus = -step * v;
  const Field difference = this->unflattened(
      (stvk_stiffness(this->rule, this->law, plus) - stvk_stiffness(this->rule, this->law, minus)) *
      this->flat(w) / (2 * step));
  EXPECT_LE(relative_error(product, difference), 1e-9);
  EXPECT_LE(relative_error(stvk_hessian_product(this->rule, this->law, w, v), product), 1e-14);
}

TYPED_TEST(AnyElement, work_along_a_closed_path_vanishes) {
  using Field = typename TestFixture::Vectors;
  // u(t) = a cos t + b sin t; the integrand is a trigonometric polynomial of degree 4, which the
  // trapezoidal rule with 16 points integrates exactly.
  const Field a = this->random_vectors(0.15), b = this->random_vectors(0.15);
  double work = 0.0, scale = 0.0;
  for (int i = 0; i < 16; ++i) {
    const double t = 2.0 * std::numbers::pi * i / 16;
    const Field u = std::cos(t) * a + std::sin(t) * b;
    const Field velocity = -std::sin(t) * a + std::cos(t) * b;
    const double power = stvk_force(this->rule, this->law, u).cwiseProduct(velocity).sum();
    work += power;
    scale += std::abs(power);
  }
  EXPECT_LE(std::abs(work), 1e-13 * scale);
}

TYPED_TEST(AnyElement, strain_rate_damping_dissipates_and_spares_rigid_motion) {
  using Field = typename TestFixture::Vectors;
  const LameParameters viscosity{40.0, 25.0};
  for (int trial = 0; trial < 10; ++trial) {
    const Field u = this->random_vectors(0.3), v = this->random_vectors(1.0);
    const Field force = strain_rate_damping_force(this->rule, viscosity, u, v);
    EXPECT_GT(force.cwiseProduct(v).sum(), 0.0);
    const Eigen::Vector3d omega =
        Eigen::Vector3d::NullaryExpr([&] { return this->random.scalar(1); });
    Field rigid;
    for (int a = 0; a < TestFixture::N; ++a) {
      rigid.col(a) = omega.cross(Eigen::Vector3d(this->corners.col(a) + u.col(a))) + omega;
    }
    EXPECT_LE(strain_rate_damping_force(this->rule, viscosity, u, rigid).norm(),
              1e-13 * force.norm());
  }
}

TYPED_TEST(AnyElement, doubling_the_edge_scales_force_and_stiffness_consistently) {
  using Field = typename TestFixture::Vectors;
  const Field u = this->random_vectors(0.3), twice = 2.0 * u;
  const Field large_corners = 2.0 * this->corners;
  const auto large = TypeParam::E::rule(large_corners);
  // Same strains on twice the edge: area x4, volume x8, stiffness (force per length) x2.
  EXPECT_LE(relative_error(stvk_force(large, this->law, twice),
                           4.0 * stvk_force(this->rule, this->law, u)),
            1e-14);
  EXPECT_NEAR(stvk_energy(large, this->law, twice), 8.0 * stvk_energy(this->rule, this->law, u),
              1e-13 * stvk_energy(large, this->law, twice));
  EXPECT_LE(relative_error(stvk_stiffness(large, this->law, twice),
                           2.0 * stvk_stiffness(this->rule, this->law, u)),
            1e-14);
}

TYPED_TEST(AnyElement, isotropic_elasticity_matrix_is_the_isotropic_material) {
  using Field = typename TestFixture::Vectors;
  const Field u = this->random_vectors(0.3), v = this->random_vectors(0.3);
  const LameParameters lame = Isotropic::law();
  const ElasticityMatrix C = isotropic_elasticity(lame);
  EXPECT_NEAR(stvk_energy(this->rule, C, u), stvk_energy(this->rule, lame, u),
              1e-12 * stvk_energy(this->rule, lame, u));
  EXPECT_LE(relative_error(stvk_force(this->rule, C, u), stvk_force(this->rule, lame, u)), 1e-12);
  EXPECT_LE(relative_error(stvk_stiffness(this->rule, C, u), stvk_stiffness(this->rule, lame, u)),
            1e-12);
  EXPECT_LE(relative_error(stvk_hessian_product(this->rule, C, u, v),
                           stvk_hessian_product(this->rule, lame, u, v)),
            1e-12);
}

// The integrals of Barbic 2007, eq 2.8-2.11, in closed form: A_ab = V g_a g_b^T and so on.
TEST(StvkTetrahedron, force_formula_equals_quadrature) {
  RandomValues random(1);
  const TetrahedronGeometry rule = tetrahedron_geometry(some_tetrahedron());
  const TetrahedronCorners& g = rule.gradient[0];
  const double V = rule.weight[0];
  const auto [lambda, mu] = Isotropic::law();
  for (int trial = 0; trial < 20; ++trial) {
    const TetrahedronCorners u =
        TetrahedronCorners::NullaryExpr([&] { return random.scalar(0.5); });
    TetrahedronCorners force = TetrahedronCorners::Zero();
    for (int c = 0; c < 4; ++c) {
      for (int a = 0; a < 4; ++a) {
        const Eigen::Matrix3d A_ca = V * g.col(c) * g.col(a).transpose();
        const double B_ac = V * g.col(a).dot(g.col(c));
        force.col(c) += (lambda * A_ca + mu * A_ca.transpose()) * u.col(a) + mu * B_ac * u.col(a);
        for (int b = 0; b < 4; ++b) {
          const auto C = [&](int i, int j, int k) -> Eigen::Vector3d {
            return V * g.col(i) * g.col(j).dot(g.col(k));
          };
          force.col(c) += (0.5 * lambda * C(c, a, b) + mu * C(a, b, c)) * u.col(a).dot(u.col(b));
          force.col(c) +=
              u.col(b) * u.col(a).dot(lambda * C(a, b, c) + mu * C(c, a, b) + mu * C(b, a, c));
          for (int d = 0; d < 4; ++d) {
            const auto D = [&](int i, int j, int k, int l) {
              return V * g.col(i).dot(g.col(j)) * g.col(k).dot(g.col(l));
            };
            force.col(c) += (0.5 * lambda * D(a, b, c, d) + mu * D(a, c, b, d)) *
                            u.col(a).dot(u.col(b)) * u.col(d);
          }
        }
      }
    }
    EXPECT_LE(relative_error(force, stvk_force(rule, Isotropic::law(), u)), 1e-12);
  }
}

TEST(StvkTetrahedron, integrals_scale_with_the_edge) {
  // A, B ~ V g g ~ h; C ~ V g g g ~ 1; D ~ 1/h, from V ~ h^3 and g ~ 1/h.
  const TetrahedronGeometry unit = tetrahedron_geometry(some_tetrahedron());
  const TetrahedronGeometry large =
      tetrahedron_geometry(TetrahedronCorners(3.0 * some_tetrahedron()));
  EXPECT_NEAR(large.weight[0], 27.0 * unit.weight[0], 1e-14 * large.weight[0]);
  EXPECT_LE(relative_error(3.0 * large.gradient[0], unit.gradient[0]), 1e-14);
}

TEST(StvkTetrahedron, mass_is_that_of_the_linear_shape_functions) {
  const TetrahedronGeometry rule = tetrahedron_geometry(some_tetrahedron());
  const double rho = 1100.0;
  const Eigen::Matrix4d mass = consistent_mass(rule, rho);
  EXPECT_NEAR(mass.sum(), rho * rule.weight[0], 1e-13 * mass.sum());
  // Int phi_a phi_b by the 4-point rule of degree 2.
  const double far = (5.0 + 3.0 * std::sqrt(5.0)) / 20.0, near = (5.0 - std::sqrt(5.0)) / 20.0;
  Eigen::Matrix4d by_points = Eigen::Matrix4d::Zero();
  for (int g = 0; g < 4; ++g) {
    Eigen::Vector4d phi = Eigen::Vector4d::Constant(near);
    phi[g] = far;
    by_points += 0.25 * rho * rule.weight[0] * phi * phi.transpose();
  }
  EXPECT_LE(relative_error(mass, by_points), 1e-14);
}

TEST(StvkTetrahedron, refuses_inverted_and_flat_elements) {
  TetrahedronCorners corners = some_tetrahedron();
  corners.col(1).swap(corners.col(2));
  EXPECT_THROW(tetrahedron_geometry(corners), InputError);
  corners.col(3) = (corners.col(0) + corners.col(1) + corners.col(2)) / 3.0;
  EXPECT_THROW(tetrahedron_geometry(corners), InputError);
  EXPECT_THROW(tetrahedron_geometry(TetrahedronCorners::Zero()), InputError);
}

}  // namespace
}  // namespace haptic
