#include "host/fem/stvk_element.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>
#include <vector>

#include "host/fem/elasticity.h"
#include "lab/oracle/hexahedron_tables.h"
#include "shared/error.h"
#include "tests/host/fem/bodies.h"
#include "tests/host/fem/random_element.h"
#include "tests/support/relative_error.h"

namespace haptic {
namespace {

Eigen::Map<const Eigen::Matrix<double, 24, 1>> flat(const CornerVectors& u) {
  return Eigen::Map<const Eigen::Matrix<double, 24, 1>>(u.data());
}

const std::vector<CornerVectors>& element_shapes() {
  static const std::vector<CornerVectors> shapes = {cube_corners(0.05), cube_corners(2.0),
                                                    skewed_corners()};
  return shapes;
}

// Tables and quadrature share the Gauss points on the skewed element, so that the comparison is
// one of formulas there too; on cubes both are exact.
TEST(StvkHexahedron, force_formula_equals_quadrature) {
  RandomValues random(1);
  for (const CornerVectors& corners : element_shapes()) {
    const HexahedronQuadrature quadrature = hexahedron_quadrature(corners);
    const HexahedronTables tables(quadrature);
    const double size = corners.cwiseAbs().maxCoeff();
    for (int trial = 0; trial < 20; ++trial) {
      const CornerVectors u = random.corners(0.4 * size);
      EXPECT_LE(relative_error(stvk_force(tables, kRubber.lame(), u),
                               stvk_force(quadrature, kRubber.lame(), u)),
                1e-12);
    }
  }
}

TEST(StvkHexahedron, force_is_the_gradient_of_the_energy_and_stiffness_of_the_force) {
  RandomValues random(2);
  for (const CornerVectors& corners : element_shapes()) {
    const HexahedronQuadrature quadrature = hexahedron_quadrature(corners);
    const LameParameters lame = kRubber.lame();
    const double size = corners.cwiseAbs().maxCoeff();
    const CornerVectors u = random.corners(0.3 * size);
    const CornerVectors force = stvk_force(quadrature, lame, u);
    const ElementMatrix K = stvk_stiffness(quadrature, lame, u);
    const double step = 1e-5 * size;  // central difference: truncation and rounding near 1e-10
    CornerVectors gradient;
    ElementMatrix slope;
    for (int i = 0; i < 24; ++i) {
      CornerVectors plus = u, minus = u;
      plus(i) += step;
      minus(i) -= step;
      gradient(i) =
          (stvk_energy(quadrature, lame, plus) - stvk_energy(quadrature, lame, minus)) / (2 * step);
      slope.col(i) =
          (flat(stvk_force(quadrature, lame, plus)) - flat(stvk_force(quadrature, lame, minus))) /
          (2 * step);
    }
    EXPECT_LE(relative_error(gradient, force), 1e-7);
    EXPECT_LE(relative_error(slope, K), 1e-7);
    EXPECT_LE((K - K.transpose()).norm(), 1e-14 * K.norm());
  }
}

TEST(StvkHexahedron, rigid_motion_of_any_amount_makes_no_force) {
  RandomValues random(3);
  for (const CornerVectors& corners : element_shapes()) {
    const HexahedronQuadrature quadrature = hexahedron_quadrature(corners);
    for (int trial = 0; trial < 20; ++trial) {
      const Eigen::Quaterniond rotation =
          Eigen::Quaterniond(random.scalar(1), random.scalar(1), random.scalar(1), random.scalar(1))
              .normalized();
      CornerVectors u = rotation.toRotationMatrix() * corners - corners;
      u.colwise() += Eigen::Vector3d(random.scalar(3), random.scalar(3), random.scalar(3));
      const CornerVectors deformed = random.corners(u.cwiseAbs().maxCoeff());
      EXPECT_LE(stvk_force(quadrature, kRubber.lame(), u).norm(),
                1e-11 * stvk_force(quadrature, kRubber.lame(), deformed).norm());
    }
  }
}

TEST(StvkHexahedron, hessian_product_equals_difference_of_stiffness_and_is_symmetric) {
  RandomValues random(4);
  for (const CornerVectors& corners : element_shapes()) {
    const HexahedronQuadrature quadrature = hexahedron_quadrature(corners);
    const HexahedronTables tables(quadrature);
    const LameParameters lame = kRubber.lame();
    const double size = corners.cwiseAbs().maxCoeff();
    const CornerVectors v = random.corners(size), w = random.corners(size);
    const CornerVectors closed_form = stvk_hessian_product(tables, lame, v, w);
    // K is quadratic in u: the central difference is exact at any step.
    const double step = 0.1;
    const ElementMatrix slope =
        (stvk_stiffness(quadrature, lame, step * v) - stvk_stiffness(quadrature, lame, -step * v)) /
        (2 * step);
    CornerVectors difference;
    Eigen::Map<Eigen::Matrix<double, 24, 1>>(difference.data()) = slope * flat(w);
    EXPECT_LE(relative_error(closed_form, difference), 1e-9);
    EXPECT_LE(relative_error(stvk_hessian_product(tables, lame, w, v), closed_form), 1e-14);

    const CornerVectors by_quadrature = stvk_hessian_product(quadrature, lame, v, w);
    EXPECT_LE(relative_error(by_quadrature, closed_form), 1e-13);
    EXPECT_LE(relative_error(stvk_hessian_product(quadrature, lame, w, v), by_quadrature), 1e-14);
  }
  // On parallelepipeds 2 points per axis integrate it exactly.
  const CornerVectors v = random.corners(1.0), w = random.corners(1.0);
  EXPECT_LE(
      relative_error(
          stvk_hessian_product(hexahedron_quadrature(cube_corners(0.5), 2), kRubber.lame(), v, w),
          stvk_hessian_product(hexahedron_quadrature(cube_corners(0.5)), kRubber.lame(), v, w)),
      1e-13);
}

// Barbic 2007, eq 2.15-2.19, the plain sum over eight corners and four tensor indices.
CornerVectors anisotropic_formula(const HexahedronQuadrature& quadrature, const ElasticityMatrix& C,
                                  const CornerVectors& u) {
  const auto coefficient = [&](int i, int j, int k, int l) {
    constexpr int kPair[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    return C(kPair[i][j], kPair[k][l]);
  };
  CornerVectors force = CornerVectors::Zero();
  const Eigen::Matrix<double, 8, 8> uu = u.transpose() * u;
  for (int g = 0; g < quadrature.size(); ++g) {
    const CornerVectors& d = quadrature.gradient[g];  // d(i, a) = d_i phi_a
    const double weight = quadrature.weight[g];
    for (int c = 0; c < 8; ++c) {
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
          for (int k = 0; k < 3; ++k)
            for (int l = 0; l < 3; ++l) {
              for (int a = 0; a < 8; ++a) {
                force(i, c) += weight * 0.5 * (coefficient(i, j, k, l) + coefficient(i, j, l, k)) *
                               d(l, a) * d(j, c) * u(k, a);
                for (int b = 0; b < 8; ++b) {
                  force(i, c) += weight * 0.5 * coefficient(i, j, k, l) * d(k, a) * d(l, b) *
                                 d(j, c) * uu(a, b);
                }
              }
            }
      // The terms with u_d (x) u_a and u_d: contracted over corners first.
      for (int m = 0; m < 3; ++m)
        for (int j = 0; j < 3; ++j)
          for (int k = 0; k < 3; ++k)
            for (int l = 0; l < 3; ++l) {
              const double symmetric = 0.5 * (coefficient(m, j, k, l) + coefficient(m, j, l, k));
              for (int a = 0; a < 8; ++a) {
                for (int e = 0; e < 8; ++e) {
                  force.col(c) +=
                      weight * symmetric * d(l, a) * d(m, e) * d(j, c) * u(k, a) * u.col(e);
                }
              }
              const double quartic = weight * 0.5 * coefficient(m, j, k, l) * d(j, c);
              const Eigen::Vector3d along_m = u * d.row(m).transpose();
              const double stretch = (d.row(k) * uu * d.row(l).transpose()).value();
              force.col(c) += quartic * stretch * along_m;
            }
    }
  }
  return force;
}

TEST(StvkHexahedron, anisotropic_formula_equals_quadrature_and_contains_the_isotropic_one) {
  RandomValues random(5);
  const HexahedronQuadrature quadrature = hexahedron_quadrature(cube_corners(0.5));
  const LameParameters lame = kRubber.lame();
  const CornerVectors u = random.corners(0.15);
  const ElasticityMatrix isotropic = isotropic_elasticity(lame);
  EXPECT_LE(relative_error(stvk_force(quadrature, isotropic, u), stvk_force(quadrature, lame, u)),
            1e-12);
  EXPECT_LE(relative_error(anisotropic_formula(quadrature, isotropic, u),
                           stvk_force(quadrature, lame, u)),
            1e-12);

  ElasticityMatrix C = random.matrix(6, 6, 1e6);
  C = (0.5 * (C + C.transpose())).eval();  // 21 constants
  EXPECT_LE(relative_error(anisotropic_formula(quadrature, C, u), stvk_force(quadrature, C, u)),
            1e-11);
}

TEST(StvkHexahedron, work_along_a_closed_path_vanishes) {
  RandomValues random(55);
  const HexahedronQuadrature quadrature = hexahedron_quadrature(cube_corners(0.5));
  ElasticityMatrix C = random.matrix(6, 6, 1e6);
  C = (0.5 * (C + C.transpose())).eval();
  // u(t) = a cos t + b sin t; the integrand is a trigonometric polynomial of degree 4, which the
  // trapezoidal rule with 16 points integrates exactly.
  const CornerVectors a = random.corners(0.15), b = random.corners(0.15);
  double work = 0.0, scale = 0.0;
  for (int i = 0; i < 16; ++i) {
    const double t = 2.0 * std::numbers::pi * i / 16;
    const CornerVectors u = std::cos(t) * a + std::sin(t) * b;
    const CornerVectors velocity = -std::sin(t) * a + std::cos(t) * b;
    const double power = stvk_force(quadrature, C, u).cwiseProduct(velocity).sum();
    work += power;
    scale += std::abs(power);
  }
  EXPECT_LE(std::abs(work), 1e-13 * scale);
}

TEST(StvkHexahedron, tables_scale_with_the_edge_and_three_points_are_enough) {
  const double h = 0.0375;
  const HexahedronTables unit(hexahedron_quadrature(cube_corners(1.0)));
  const HexahedronTables scaled(hexahedron_quadrature(cube_corners(h)));
  const HexahedronTables four_points(hexahedron_quadrature(cube_corners(1.0), 4));
  const HexahedronTables two_points(hexahedron_quadrature(cube_corners(1.0), 2));
  double worst_d = 0.0, largest_d = 0.0;
  for (int a = 0; a < 8; ++a) {
    for (int b = 0; b < 8; ++b) {
      // The entries are of order 0.01 .. 1; the smallest ones are differences of larger numbers.
      EXPECT_LE((scaled.A(a, b) - h * unit.A(a, b)).norm(), 1e-14 * h);
      EXPECT_NEAR(scaled.B(a, b), h * unit.B(a, b), 1e-14 * h);
      EXPECT_LE((four_points.A(a, b) - unit.A(a, b)).norm(), 1e-12);
      EXPECT_LE((two_points.A(a, b) - unit.A(a, b)).norm(), 1e-12);
      EXPECT_NEAR(four_points.B(a, b), unit.B(a, b), 1e-12);
      for (int c = 0; c < 8; ++c) {
        EXPECT_LE((scaled.C(a, b, c) - unit.C(a, b, c)).norm(), 1e-14);
        EXPECT_LE((four_points.C(a, b, c) - unit.C(a, b, c)).norm(), 1e-12);
        EXPECT_LE((two_points.C(a, b, c) - unit.C(a, b, c)).norm(), 1e-12);
        for (int d = 0; d < 8; ++d) {
          EXPECT_NEAR(scaled.D(a, b, c, d), unit.D(a, b, c, d) / h, 1e-13 / h);
          EXPECT_NEAR(four_points.D(a, b, c, d), unit.D(a, b, c, d), 1e-12);
          worst_d = std::max(worst_d, std::abs(two_points.D(a, b, c, d) - unit.D(a, b, c, d)));
          largest_d = std::max(largest_d, std::abs(unit.D(a, b, c, d)));
        }
      }
    }
  }
  // Two points per axis do not integrate degree 4; this test would fail with them.
  EXPECT_GE(worst_d, 1e-3 * largest_d);
}

TEST(StvkHexahedron, compression_force_peaks_at_one_over_root_three) {
  const HexahedronQuadrature quadrature = hexahedron_quadrature(cube_corners(1.0));
  // Transverse displacements fixed, length s along x.
  const auto axial_force = [&](double s) {
    CornerVectors u = CornerVectors::Zero();
    u.row(0) = (s - 1.0) * cube_corners(1.0).row(0);
    const CornerVectors force = stvk_force(quadrature, kRubber.lame(), u);
    double sum = 0.0;
    for (int a : {1, 2, 5, 6}) sum += force(0, a);
    return sum;
  };
  double best_s = 1.0, lowest = 0.0;
  for (int i = 0; i <= 10000; ++i) {
    const double s = i * 1e-4;
    if (axial_force(s) < lowest) {
      lowest = axial_force(s);
      best_s = s;
    }
  }
  EXPECT_NEAR(best_s, 1.0 / std::numbers::sqrt3, 0.002);
  EXPECT_NEAR(axial_force(0.0), 0.0, 1e-10 * -lowest);
  for (double s = 1.0; s < 3.0; s += 0.05) EXPECT_GT(axial_force(s + 0.05), axial_force(s));
}

TEST(StvkHexahedron, strain_rate_damping_formula_equals_quadrature_and_dissipates) {
  RandomValues random(9);
  const LameParameters viscosity{40.0, 25.0};
  for (const CornerVectors& corners : element_shapes()) {
    const HexahedronQuadrature quadrature = hexahedron_quadrature(corners);
    const HexahedronTables tables(quadrature);
    const double size = corners.cwiseAbs().maxCoeff();
    for (int trial = 0; trial < 10; ++trial) {
      const CornerVectors u = random.corners(0.3 * size), v = random.corners(size);
      const CornerVectors force = strain_rate_damping_force(quadrature, viscosity, u, v);
      EXPECT_LE(relative_error(strain_rate_damping_force(tables, viscosity, u, v), force), 1e-12);
      EXPECT_GT(force.cwiseProduct(v).sum(), 0.0);

      // Rigid motion of the deformed element: v = omega x (X + u) + v0.
      const Eigen::Vector3d omega(random.scalar(1), random.scalar(1), random.scalar(1));
      CornerVectors rigid;
      for (int a = 0; a < 8; ++a) {
        rigid.col(a) = omega.cross(Eigen::Vector3d(corners.col(a) + u.col(a))) + omega;
      }
      EXPECT_LE(strain_rate_damping_force(quadrature, viscosity, u, rigid).norm(),
                1e-13 * force.norm());
    }
  }
}

TEST(StvkHexahedron, doubling_the_edge_scales_force_and_stiffness_consistently) {
  RandomValues random(15);
  const CornerVectors u = random.corners(0.3);
  const HexahedronQuadrature one = hexahedron_quadrature(cube_corners(1.0));
  const HexahedronQuadrature two = hexahedron_quadrature(cube_corners(2.0));
  const LameParameters lame = kRubber.lame();
  // Same strains on twice the edge: area x4, volume x8, stiffness (force per length) x2. This fails
  // for large u only, when a gradient factor is forgotten in the quadratic or cubic term.
  EXPECT_LE(relative_error(stvk_force(two, lame, 2.0 * u), 4.0 * stvk_force(one, lame, u)), 1e-14);
  EXPECT_NEAR(stvk_energy(two, lame, 2.0 * u), 8.0 * stvk_energy(one, lame, u),
              1e-13 * stvk_energy(two, lame, 2.0 * u));
  EXPECT_LE(relative_error(stvk_stiffness(two, lame, 2.0 * u), 2.0 * stvk_stiffness(one, lame, u)),
            1e-14);
}

TEST(HexahedronQuadrature, refuses_inverted_and_flat_elements) {
  CornerVectors inverted = cube_corners(1.0);
  inverted.col(0).swap(inverted.col(4));
  EXPECT_THROW(hexahedron_quadrature(inverted), InputError);
  CornerVectors flat_element = cube_corners(1.0);
  flat_element.row(2).setZero();
  EXPECT_THROW(hexahedron_quadrature(flat_element), InputError);
}

}  // namespace
}  // namespace haptic
