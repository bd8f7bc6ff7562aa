// Elements of the elastic models of unreduced runs, corotational and neo-Hookean, against
// derivatives, invariances, closed forms and StVK at small strain.
#include "host/fem/elastic_element.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <limits>

#include "host/fem/corotational_material.h"
#include "host/fem/neo_hookean_material.h"
#include "tests/host/fem/element_kinds.h"
#include "tests/support/relative_error.h"

namespace haptic {
namespace {

using Matrix3 = Eigen::Matrix3d;

constexpr Material kSoft{1e6, 0.3, 1000.0};

struct Corotational {
  static constexpr ElasticModel kModel = ElasticModel::kCorotational;
  static LameParameters law() { return kSoft.lame(); }
};
struct AnisotropicCorotational {
  static constexpr ElasticModel kModel = ElasticModel::kCorotational;
  static ElasticityMatrix law() { return random_elasticity(21, 1e6); }
};
struct NeoHookean {
  static constexpr ElasticModel kModel = ElasticModel::kNeoHookean;
  static LameParameters law() { return kSoft.lame(); }
};

template <typename Element, typename Model>
struct ModelCase {
  using E = Element;
  using M = Model;
};

template <typename C>
class ElasticElement : public testing::Test {
 protected:
  using Rule = typename C::E::Rule;
  static constexpr int N = Rule::kCorners;
  static constexpr ElasticModel kModel = C::M::kModel;
  using Vectors = ElementVectors<N>;
  using Flat = Eigen::Matrix<double, 3 * N, 1>;

  static Flat flat(const Vectors& u) { return Eigen::Map<const Flat>(u.data()); }
  Vectors random_vectors(double size) {
    return Vectors::NullaryExpr([&] { return random.scalar(size); });
  }
  Matrix3 random_rotation() {
    return Eigen::Quaterniond(random.scalar(1), random.scalar(1), random.scalar(1),
                              random.scalar(1))
        .normalized()
        .toRotationMatrix();
  }
  double energy(const Vectors& u) const { return elastic_energy(kModel, rule, law, u); }
  Vectors force(const Vectors& u) const { return elastic_force(kModel, rule, law, u); }
  ElementSquare<N> stiffness(const Vectors& u) const {
    return elastic_stiffness(kModel, rule, law, u);
  }

  RandomValues random{5};
  const Vectors corners = C::E::corners();
  const Rule rule = C::E::rule(corners);
  const decltype(C::M::law()) law = C::M::law();
};

using ModelCases =
    testing::Types<ModelCase<Hexahedra, Corotational>, ModelCase<Hexahedra, NeoHookean>,
                   ModelCase<Hexahedra, AnisotropicCorotational>,
                   ModelCase<Tetrahedra, Corotational>, ModelCase<Tetrahedra, NeoHookean>,
                   ModelCase<Tetrahedra, AnisotropicCorotational>>;
TYPED_TEST_SUITE(ElasticElement, ModelCases);

// Central differences at a step of 1e-5 err by 1e-10 of truncation and 1e-11 of rounding, times
// the curvature of the energy.
TYPED_TEST(ElasticElement, force_and_tangent_are_derivatives) {
  constexpr int kCorners = TestFixture::N;
  using Field = typename TestFixture::Vectors;
  for (int trial = 0; trial < 5; ++trial) {
    const Field u =
        this->random_rotation() * (this->corners + this->random_vectors(0.1)) - this->corners;
    const Field force = this->force(u);
    const ElementSquare<kCorners> K = this->stiffness(u);
    const double step = 1e-5;
    Field gradient;
    ElementSquare<kCorners> slope;
    for (int i = 0; i < 3 * kCorners; ++i) {
      Field plus = u, minus = u;
      plus(i) += step;
      minus(i) -= step;
      gradient(i) = (this->energy(plus) - this->energy(minus)) / (2 * step);
      slope.col(i) = (this->flat(this->force(plus)) - this->flat(this->force(minus))) / (2 * step);
    }
    EXPECT_LE(relative_error(gradient, force), 1e-7);
    EXPECT_LE(relative_error(slope, K), 1e-7);
    const Field p = this->random_vectors(1.0);
    const Field product =
        elastic_stiffness_product(TestFixture::kModel, this->rule, this->law, u, p);
    EXPECT_LE(relative_error(this->flat(product), K * this->flat(p)), 1e-12);
  }
}

TYPED_TEST(ElasticElement, a_rotation_turns_the_force_and_keeps_the_energy) {
  using Field = typename TestFixture::Vectors;
  for (int trial = 0; trial < 20; ++trial) {
    const Matrix3 rotation = this->random_rotation();
    const Eigen::Vector3d shift(this->random.scalar(3), this->random.scalar(3),
                                this->random.scalar(3));
    const Field deformed = this->corners + this->random_vectors(0.1);
    const Field u = deformed - this->corners;
    Field turned = rotation * deformed - this->corners;
    turned.colwise() += shift;
    EXPECT_NEAR(this->energy(turned), this->energy(u), 1e-11 * this->energy(u));
    EXPECT_LE(relative_error(this->force(turned), rotation * this->force(u)), 1e-11);
    Field rigid = rotation * this->corners - this->corners;
    rigid.colwise() += shift;
    EXPECT_LE(this->force(rigid).norm(), 1e-11 * this->force(u).norm());
  }
}

// The stiffness at rest is StVK's. At a strain of 1e-6 the forces differ from the linear ones in
// the second order, 1e-6 times the ratio of the third to the second derivative of the energy.
TYPED_TEST(ElasticElement, small_strains_are_linear_elasticity) {
  using Field = typename TestFixture::Vectors;
  const Field rest = Field::Zero();
  const auto K = stvk_stiffness(this->rule, this->law, rest);
  EXPECT_LE(relative_error(this->stiffness(rest), K), 1e-13);
  const Field small = this->random_vectors(1e-6);
  EXPECT_LE(relative_error(this->flat(this->force(small)), K * this->flat(small)), 1e-5);
  EXPECT_NEAR(this->energy(small), 0.5 * this->flat(small).dot(K * this->flat(small)),
              1e-5 * this->energy(small) + 1e-10 * this->rule.weight[0]);
}

TEST(ElasticElementModel, stvk_is_the_plain_element) {
  const HexahedronQuadrature rule = hexahedron_quadrature(skewed_corners());
  RandomValues random(3);
  const CornerVectors u = random.corners(0.3), p = random.corners(1.0);
  const LameParameters law = kSoft.lame();
  const auto model = ElasticModel::kStvk;
  EXPECT_EQ(elastic_energy(model, rule, law, u), stvk_energy(rule, law, u));
  EXPECT_EQ(elastic_force(model, rule, law, u), stvk_force(rule, law, u));
  EXPECT_EQ(elastic_stiffness(model, rule, law, u), stvk_stiffness(rule, law, u));
  EXPECT_EQ(elastic_stiffness_product(model, rule, law, u, p),
            stvk_stiffness_product(rule, law, u, p));
}

/// Lateral stretch of a bar stretched by `s` whose sides are free of stress, by bisection:
/// `side(s, t)` is the lateral stress at lateral stretch t, increasing in t.
template <typename Side>
double free_lateral_stretch(const Side& side, double s) {
  double low = 0.2, high = 5.0;
  for (int i = 0; i < 200; ++i) {
    const double middle = 0.5 * (low + high);
    (side(s, middle) < 0.0 ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

// P11 = mu (s - 1/s) + lambda ln(s t^2) / s with t from mu (t - 1/t) + lambda ln(s t^2) / t = 0.
TEST(ElasticElementModel, neo_hookean_uniaxial_stress_is_the_closed_form) {
  const auto [lambda, mu] = kSoft.lame();
  const auto side = [&](double s, double t) {
    return mu * (t - 1.0 / t) + lambda * std::log(s * t * t) / t;
  };
  double before = -1e300;
  for (const double s : {0.05, 0.2, 0.5, 0.9, 1.0, 1.1, 2.0, 4.0}) {
    const double t = free_lateral_stretch(side, s);
    const NeoHookeanMaterial point(kSoft.lame(), Eigen::Vector3d(s, t, t).asDiagonal());
    const double axial = mu * (s - 1.0 / s) + lambda * std::log(s * t * t) / s;
    Matrix3 expected = Matrix3::Zero();
    expected(0, 0) = axial;
    // Rounding of stresses of the order of E / s.
    EXPECT_LE((point.stress() - expected).norm(), 1e-13 * kSoft.youngs_modulus / s) << s;
    EXPECT_GT(axial, before) << "monotonic: no collapse in compression";
    before = axial;
  }
}

// e = (s-1) diag(1, -nu, -nu): an engineering stress of E (s-1), for every stretch.
TEST(ElasticElementModel, corotational_uniaxial_stress_is_linear_in_the_stretch) {
  for (const double s : {0.05, 0.5, 1.5, 3.0}) {
    const double t = 1.0 - kSoft.poisson_ratio * (s - 1.0);
    const CorotationalMaterial<LameParameters> point(kSoft.lame(),
                                                     Eigen::Vector3d(s, t, t).asDiagonal());
    Matrix3 expected = Matrix3::Zero();
    expected(0, 0) = kSoft.youngs_modulus * (s - 1.0);
    EXPECT_LE((point.stress() - expected).norm(), 1e-14 * 4.0 * kSoft.youngs_modulus) << s;
  }
}

// R is a rotation for an inverted F as well; the reflection costs energy and the tangent holds.
TEST(ElasticElementModel, corotational_points_may_be_inverted) {
  RandomValues random(8);
  const LameParameters law = kSoft.lame();
  Matrix3 F = Eigen::Vector3d(1.2, 0.9, -0.4).asDiagonal();
  F += random.matrix(3, 3, 0.1);
  ASSERT_LT(F.determinant(), 0.0);
  const CorotationalMaterial<LameParameters> at(law, F);
  EXPECT_GT(at.energy_density(), 0.5 * law.mu);  // |e| is about 1.4 along the inverted axis
  const Matrix3 direction = random.matrix(3, 3, 1.0);
  const double step = 1e-6;
  const CorotationalMaterial<LameParameters> plus(law, F + step * direction);
  const CorotationalMaterial<LameParameters> minus(law, F - step * direction);
  const double slope = (plus.energy_density() - minus.energy_density()) / (2 * step);
  EXPECT_NEAR(slope, at.stress().cwiseProduct(direction).sum(), 1e-7 * std::abs(slope));
  EXPECT_LE(
      relative_error((plus.stress() - minus.stress()) / (2 * step), at.stress_change(direction)),
      1e-7);
}

TEST(ElasticElementModel, a_neo_hookean_point_stores_no_finite_energy_inverted) {
  for (const double s : {0.0, -0.5}) {
    const NeoHookeanMaterial point(kSoft.lame(), Eigen::Vector3d(1.0, 1.0, s).asDiagonal());
    EXPECT_EQ(point.energy_density(), std::numeric_limits<double>::infinity());
    EXPECT_TRUE(std::isnan(point.stress().sum()));
  }
}

}  // namespace
}  // namespace haptic
