#pragma once

#include <Eigen/Core>
#include <array>

#include "host/fem/hexahedron_quadrature.h"
#include "host/fem/material.h"

namespace haptic {

/// Element coefficient integrals (docs/methods/reduced-dynamics.md, "Elements and material"; Barbic
/// 2007, eq 2.5-2.12), without the Lame factors:
///   A_ab = Int grad phi_a (x) grad phi_b,  B_ab = Int grad phi_a . grad phi_b,
///   C_abc = Int grad phi_a (grad phi_b . grad phi_c),
///   D_abcd = Int (grad phi_a . grad phi_b)(grad phi_c . grad phi_d).
/// With a cube's edge h: A, B ~ h, C ~ 1, D ~ 1/h. The plain 8^2, 8^3, 8^4 form: what the raw
/// polynomial path (Barbic 2007, eq 2.28-2.30) sums and what quadrature is tested against.
struct HexahedronTables {
  explicit HexahedronTables(const HexahedronQuadrature& quadrature);

  const Eigen::Matrix3d& A(int a, int b) const { return a_[8 * a + b]; }                   ///< m
  double B(int a, int b) const { return b_[8 * a + b]; }                                   ///< m
  const Eigen::Vector3d& C(int a, int b, int c) const { return c_[64 * a + 8 * b + c]; }   ///< 1
  double D(int a, int b, int c, int d) const { return d_[512 * a + 64 * b + 8 * c + d]; }  ///< 1/m

 private:
  std::array<Eigen::Matrix3d, 64> a_;
  std::array<double, 64> b_;
  std::array<Eigen::Vector3d, 512> c_;
  std::array<double, 4096> d_;
};

/// R as the cubic polynomial of the tables, column per corner [N].
CornerVectors stvk_force(const HexahedronTables& tables, const LameParameters& lame,
                         const CornerVectors& u);
/// (H:v) w of Barbic 2007, eq 2.50 [N for v, w in m].
CornerVectors stvk_hessian_product(const HexahedronTables& tables, const LameParameters& lame,
                                   const CornerVectors& v, const CornerVectors& w);
/// Strain-rate damping force, Barbic 2007, eq 2.35-2.38; `viscosity` = {phi, psi} [Pa s].
CornerVectors strain_rate_damping_force(const HexahedronTables& tables,
                                        const LameParameters& viscosity, const CornerVectors& u,
                                        const CornerVectors& v);

}  // namespace haptic
