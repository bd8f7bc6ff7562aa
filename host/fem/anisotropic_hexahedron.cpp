#include "host/fem/anisotropic_hexahedron.h"

namespace haptic {
namespace {

constexpr int kPair[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};

Eigen::Matrix3d stress_of(const ElasticityMatrix& C, const Eigen::Matrix3d& E) {
  Eigen::Matrix<double, 6, 1> strain;
  strain << E(0, 0), E(1, 1), E(2, 2), 2.0 * E(0, 1), 2.0 * E(0, 2), 2.0 * E(1, 2);
  const Eigen::Matrix<double, 6, 1> s = C * strain;
  Eigen::Matrix3d stress;
  stress << s[0], s[3], s[4], s[3], s[1], s[5], s[4], s[5], s[2];
  return stress;
}

Eigen::Matrix3d green_strain(const Eigen::Matrix3d& G) {
  const Eigen::Matrix3d product = G.transpose() * G;
  return 0.5 * (G + G.transpose() + product);
}

}  // namespace

ElasticityMatrix isotropic_elasticity(double lambda, double mu) {
  ElasticityMatrix C = ElasticityMatrix::Zero();
  C.topLeftCorner<3, 3>().setConstant(lambda);
  C.diagonal() << lambda + 2.0 * mu, lambda + 2.0 * mu, lambda + 2.0 * mu, mu, mu, mu;
  return C;
}

double elasticity_component(const ElasticityMatrix& C, int i, int j, int k, int l) {
  return C(kPair[i][j], kPair[k][l]);
}

double anisotropic_energy(const HexahedronQuadrature& quadrature, const ElasticityMatrix& C,
                          const CornerVectors& u) {
  double energy = 0.0;
  for (int g = 0; g < quadrature.size(); ++g) {
    const Eigen::Matrix3d E = green_strain(u * quadrature.gradient[g].transpose());
    energy += 0.5 * quadrature.weight[g] * stress_of(C, E).cwiseProduct(E).sum();
  }
  return energy;
}

CornerVectors anisotropic_force(const HexahedronQuadrature& quadrature, const ElasticityMatrix& C,
                                const CornerVectors& u) {
  CornerVectors force = CornerVectors::Zero();
  for (int g = 0; g < quadrature.size(); ++g) {
    const CornerVectors& gradient = quadrature.gradient[g];
    const Eigen::Matrix3d G = u * gradient.transpose();
    const Eigen::Matrix3d S = stress_of(C, green_strain(G));
    const Eigen::Matrix3d first_piola = quadrature.weight[g] * (S + G * S);
    force.noalias() += first_piola * gradient;
  }
  return force;
}

}  // namespace haptic
