#include "lab/oracle/hexahedron_tables.h"

namespace haptic {
namespace {

// Sums of the tables that the formulas need, with the Lame factors in.
struct Coefficients {
  const HexahedronTables& tables;
  LameParameters lame;

  Eigen::Matrix3d linear(int c, int a) const {
    return lame.lambda * tables.A(c, a) + lame.mu * tables.A(a, c) +
           lame.mu * tables.B(a, c) * Eigen::Matrix3d::Identity();
  }
  Eigen::Vector3d C1(int a, int b, int c) const { return lame.lambda * tables.C(a, b, c); }
  Eigen::Vector3d C2(int a, int b, int c) const { return lame.mu * tables.C(a, b, c); }
  double cubic(int a, int b, int c, int d) const {
    return 0.5 * lame.lambda * tables.D(a, b, c, d) + lame.mu * tables.D(a, c, b, d);
  }
};

}  // namespace

HexahedronTables::HexahedronTables(const HexahedronQuadrature& quadrature) {
  a_.fill(Eigen::Matrix3d::Zero());
  b_.fill(0.0);
  c_.fill(Eigen::Vector3d::Zero());
  d_.fill(0.0);
  for (int g = 0; g < quadrature.size(); ++g) {
    const CornerVectors& gradient = quadrature.gradient[g];
    const double weight = quadrature.weight[g];
    const Eigen::Matrix<double, 8, 8> dots = gradient.transpose() * gradient;
    for (int a = 0; a < 8; ++a) {
      for (int b = 0; b < 8; ++b) {
        a_[8 * a + b] += weight * gradient.col(a) * gradient.col(b).transpose();
        b_[8 * a + b] += weight * dots(a, b);
        for (int c = 0; c < 8; ++c) {
          c_[64 * a + 8 * b + c] += weight * dots(b, c) * gradient.col(a);
          for (int d = 0; d < 8; ++d) {
            d_[512 * a + 64 * b + 8 * c + d] += weight * dots(a, b) * dots(c, d);
          }
        }
      }
    }
  }
}

CornerVectors stvk_force(const HexahedronTables& tables, const LameParameters& lame,
                         const CornerVectors& u) {
  const Coefficients k{tables, lame};
  const Eigen::Matrix<double, 8, 8> uu = u.transpose() * u;
  CornerVectors force = CornerVectors::Zero();
  for (int c = 0; c < 8; ++c) {
    for (int a = 0; a < 8; ++a) {
      force.col(c) += k.linear(c, a) * u.col(a);
      for (int b = 0; b < 8; ++b) {
        force.col(c) += (0.5 * k.C1(c, a, b) + k.C2(a, b, c)) * uu(a, b);
        force.col(c) += u.col(b) * u.col(a).dot(k.C1(a, b, c) + k.C2(c, a, b) + k.C2(b, a, c));
        for (int d = 0; d < 8; ++d) force.col(c) += k.cubic(a, b, c, d) * uu(a, b) * u.col(d);
      }
    }
  }
  return force;
}

CornerVectors stvk_hessian_product(const HexahedronTables& tables, const LameParameters& lame,
                                   const CornerVectors& v, const CornerVectors& w) {
  const Coefficients k{tables, lame};
  CornerVectors product = CornerVectors::Zero();
  for (int a = 0; a < 8; ++a) {
    for (int b = 0; b < 8; ++b) {
      for (int c = 0; c < 8; ++c) {
        const Eigen::Vector3d p = k.C1(a, b, c) + k.C2(b, c, a) + k.C2(c, b, a);
        const Eigen::Vector3d s = k.C1(c, b, a) + k.C2(a, c, b) + k.C2(b, c, a);
        const Eigen::Vector3d t = k.C1(b, c, a) + k.C2(a, b, c) + k.C2(c, b, a);
        product.col(a) +=
            p * w.col(b).dot(v.col(c)) + w.col(b) * s.dot(v.col(c)) + v.col(c) * t.dot(w.col(b));
      }
    }
  }
  return product;
}

CornerVectors strain_rate_damping_force(const HexahedronTables& tables,
                                        const LameParameters& viscosity, const CornerVectors& u,
                                        const CornerVectors& v) {
  const Coefficients k{tables, viscosity};
  const Eigen::Matrix<double, 8, 8> rate = v.transpose() * u + u.transpose() * v;
  CornerVectors force = CornerVectors::Zero();
  for (int c = 0; c < 8; ++c) {
    for (int a = 0; a < 8; ++a) {
      force.col(c) += k.linear(c, a) * v.col(a);
      for (int b = 0; b < 8; ++b) {
        force.col(c) += (0.5 * k.C1(c, a, b) + k.C2(a, b, c)) * rate(a, b);
        force.col(c) += u.col(b) * v.col(a).dot(k.C1(a, b, c) + k.C2(c, a, b) + k.C2(b, a, c));
        for (int d = 0; d < 8; ++d) force.col(c) += k.cubic(a, b, c, d) * rate(a, b) * u.col(d);
      }
    }
  }
  return force;
}

}  // namespace haptic
