#include "host/fem/stvk_hexahedron.h"

namespace haptic {
namespace {

using Matrix3 = Eigen::Matrix3d;

// C : sym(X) for the isotropic C.
Matrix3 stress_of(const LameParameters& lame, const Matrix3& X) {
  Matrix3 stress = lame.mu * (X + X.transpose());
  stress.diagonal().array() += lame.lambda * X.trace();
  return stress;
}

// E = 1/2 (G + G^T + G^T G) rather than 1/2 (F^T F - I): exact to rounding for small G too.
Matrix3 green_strain(const Matrix3& G) {
  const Matrix3 product = G.transpose() * G;
  return 0.5 * (G + G.transpose() + product);
}

}  // namespace

double stvk_energy(const HexahedronQuadrature& quadrature, const LameParameters& lame,
                   const CornerVectors& u) {
  double energy = 0.0;
  for (int g = 0; g < quadrature.size(); ++g) {
    const Matrix3 strain = green_strain(u * quadrature.gradient[g].transpose());
    const double trace = strain.trace();
    energy +=
        quadrature.weight[g] * (0.5 * lame.lambda * trace * trace + lame.mu * strain.squaredNorm());
  }
  return energy;
}

CornerVectors stvk_force(const HexahedronQuadrature& quadrature, const LameParameters& lame,
                         const CornerVectors& u) {
  CornerVectors force = CornerVectors::Zero();
  for (int g = 0; g < quadrature.size(); ++g) {
    const CornerVectors& gradient = quadrature.gradient[g];
    const Matrix3 G = u * gradient.transpose();
    const Matrix3 S = stress_of(lame, green_strain(G));
    const Matrix3 first_piola = quadrature.weight[g] * (S + G * S);
    force.noalias() += first_piola * gradient;
  }
  return force;
}

ElementMatrix stvk_stiffness(const HexahedronQuadrature& quadrature, const LameParameters& lame,
                             const CornerVectors& u) {
  ElementMatrix K = ElementMatrix::Zero();
  for (int g = 0; g < quadrature.size(); ++g) {
    const CornerVectors& gradient = quadrature.gradient[g];
    const double weight = quadrature.weight[g];
    const Matrix3 G = u * gradient.transpose();
    const Matrix3 F = Matrix3::Identity() + G;
    const Matrix3 S = stress_of(lame, green_strain(G));
    const CornerVectors Fg = F * gradient;
    const Matrix3 FFt = F * F.transpose();
    const CornerVectors Sg = S * gradient;
    for (int b = 0; b < 8; ++b) {
      for (int a = 0; a <= b; ++a) {
        Matrix3 block = (weight * lame.lambda) * Fg.col(a) * Fg.col(b).transpose();
        block.noalias() += (weight * lame.mu) * Fg.col(b) * Fg.col(a).transpose();
        block += (weight * lame.mu * gradient.col(a).dot(gradient.col(b))) * FFt;
        block.diagonal().array() += weight * gradient.col(b).dot(Sg.col(a));
        K.block<3, 3>(3 * a, 3 * b) += block;
      }
    }
  }
  K.triangularView<Eigen::StrictlyLower>() = K.transpose();
  return K;
}

CornerVectors stvk_hessian_product(const HexahedronQuadrature& quadrature,
                                   const LameParameters& lame, const CornerVectors& v,
                                   const CornerVectors& w) {
  // Second variation of F S at F = I, S = 0 in the directions v and w.
  CornerVectors product = CornerVectors::Zero();
  for (int g = 0; g < quadrature.size(); ++g) {
    const CornerVectors& gradient = quadrature.gradient[g];
    const Matrix3 V = v * gradient.transpose();
    const Matrix3 W = w * gradient.transpose();
    // Two products, then their sum: the same bit for bit with v and w swapped.
    const Matrix3 first = V * stress_of(lame, W);
    const Matrix3 second = W * stress_of(lame, V);
    const Matrix3 stress = (first + second) + stress_of(lame, V.transpose() * W);
    product.noalias() += (quadrature.weight[g] * stress) * gradient;
  }
  return product;
}

CornerVectors strain_rate_damping_force(const HexahedronQuadrature& quadrature,
                                        const LameParameters& viscosity, const CornerVectors& u,
                                        const CornerVectors& v) {
  CornerVectors force = CornerVectors::Zero();
  for (int g = 0; g < quadrature.size(); ++g) {
    const CornerVectors& gradient = quadrature.gradient[g];
    const Matrix3 F = Matrix3::Identity() + u * gradient.transpose();
    const Matrix3 rate = F.transpose() * (v * gradient.transpose());  // sym part is Edot
    const Matrix3 first_piola = quadrature.weight[g] * F * stress_of(viscosity, rate);
    force.noalias() += first_piola * gradient;
  }
  return force;
}

Eigen::Matrix<double, 8, 8> consistent_mass(const HexahedronQuadrature& quadrature,
                                            double density) {
  Eigen::Matrix<double, 8, 8> mass = Eigen::Matrix<double, 8, 8>::Zero();
  for (int g = 0; g < quadrature.size(); ++g) {
    mass.noalias() +=
        (density * quadrature.weight[g]) * quadrature.value[g] * quadrature.value[g].transpose();
  }
  return mass;
}

}  // namespace haptic
