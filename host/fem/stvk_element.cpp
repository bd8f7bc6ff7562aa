#include "host/fem/stvk_element.h"

namespace haptic {
namespace {

using Matrix3 = Eigen::Matrix3d;

// E = 1/2 (G + G^T + G^T G) rather than 1/2 (F^T F - I): exact to rounding for small G too.
Matrix3 green_strain(const Matrix3& G) {
  const Matrix3 product = G.transpose() * G;
  return 0.5 * (G + G.transpose() + product);
}

// S : E.
double energy_density(const LameParameters& lame, const Matrix3& E) {
  const double trace = E.trace();
  return lame.lambda * trace * trace + 2.0 * lame.mu * E.squaredNorm();
}

double energy_density(const ElasticityMatrix& C, const Matrix3& E) {
  return stress_of(C, E).cwiseProduct(E).sum();
}

// Adds weight * (dE : C : dE) of the corner displacements at gradient F to the upper blocks of K.
template <int N>
void add_material_stiffness(const LameParameters& lame, const Matrix3& F,
                            const ElementVectors<N>& gradient, double weight, ElementSquare<N>& K) {
  const ElementVectors<N> Fg = F * gradient;
  const Matrix3 FFt = F * F.transpose();
  for (int b = 0; b < N; ++b) {
    for (int a = 0; a <= b; ++a) {
      Matrix3 block = (weight * lame.lambda) * Fg.col(a) * Fg.col(b).transpose();
      block.noalias() += (weight * lame.mu) * Fg.col(b) * Fg.col(a).transpose();
      block += (weight * lame.mu * gradient.col(a).dot(gradient.col(b))) * FFt;
      K.template block<3, 3>(3 * a, 3 * b) += block;
    }
  }
}

template <int N>
void add_material_stiffness(const ElasticityMatrix& C, const Matrix3& F,
                            const ElementVectors<N>& gradient, double weight, ElementSquare<N>& K) {
  // Column 3 a + i: strain (11, 22, 33, 2*12, 2*13, 2*23) per displacement i of corner a.
  Eigen::Matrix<double, 6, 3 * N> strain;
  for (int a = 0; a < N; ++a) {
    for (int i = 0; i < 3; ++i) {
      const auto g = gradient.col(a);
      strain.col(3 * a + i) << F(i, 0) * g[0], F(i, 1) * g[1], F(i, 2) * g[2],
          F(i, 0) * g[1] + F(i, 1) * g[0], F(i, 0) * g[2] + F(i, 2) * g[0],
          F(i, 1) * g[2] + F(i, 2) * g[1];
    }
  }
  const Eigen::Matrix<double, 6, 3 * N> stress = (weight * C) * strain;
  K.noalias() += strain.transpose() * stress;
}

}  // namespace

template <typename Rule, typename Law>
double stvk_energy(const Rule& rule, const Law& law, const ElementVectors<Rule::kCorners>& u) {
  double energy = 0.0;
  for (int g = 0; g < rule.size(); ++g) {
    const auto at = static_cast<std::size_t>(g);
    energy += 0.5 * rule.weight[at] *
              energy_density(law, green_strain(u * rule.gradient[at].transpose()));
  }
  return energy;
}

template <typename Rule, typename Law>
ElementVectors<Rule::kCorners> stvk_force(const Rule& rule, const Law& law,
                                          const ElementVectors<Rule::kCorners>& u) {
  ElementVectors<Rule::kCorners> force = ElementVectors<Rule::kCorners>::Zero();
  for (int g = 0; g < rule.size(); ++g) {
    const auto at = static_cast<std::size_t>(g);
    const ElementVectors<Rule::kCorners>& gradient = rule.gradient[at];
    const Matrix3 G = u * gradient.transpose();
    const Matrix3 S = stress_of(law, green_strain(G));
    const Matrix3 first_piola = rule.weight[at] * (S + G * S);
    force.noalias() += first_piola * gradient;
  }
  return force;
}

template <typename Rule, typename Law>
ElementSquare<Rule::kCorners> stvk_stiffness(const Rule& rule, const Law& law,
                                             const ElementVectors<Rule::kCorners>& u) {
  constexpr int N = Rule::kCorners;
  ElementSquare<N> K = ElementSquare<N>::Zero();
  for (int g = 0; g < rule.size(); ++g) {
    const auto at = static_cast<std::size_t>(g);
    const ElementVectors<N>& gradient = rule.gradient[at];
    const double weight = rule.weight[at];
    const Matrix3 G = u * gradient.transpose();
    const Matrix3 S = stress_of(law, green_strain(G));
    add_material_stiffness<N>(law, Matrix3::Identity() + G, gradient, weight, K);
    const ElementVectors<N> Sg = S * gradient;
    for (int b = 0; b < N; ++b) {
      for (int a = 0; a <= b; ++a) {
        K.template block<3, 3>(3 * a, 3 * b).diagonal().array() +=
            weight * gradient.col(b).dot(Sg.col(a));
      }
    }
  }
  K.template triangularView<Eigen::StrictlyLower>() = K.transpose();
  return K;
}

template <typename Rule, typename Law>
ElementVectors<Rule::kCorners> stvk_stiffness_product(const Rule& rule, const Law& law,
                                                      const ElementVectors<Rule::kCorners>& u,
                                                      const ElementVectors<Rule::kCorners>& p) {
  // First variation of F S in the direction p.
  ElementVectors<Rule::kCorners> product = ElementVectors<Rule::kCorners>::Zero();
  for (int g = 0; g < rule.size(); ++g) {
    const auto at = static_cast<std::size_t>(g);
    const ElementVectors<Rule::kCorners>& gradient = rule.gradient[at];
    const Matrix3 G = u * gradient.transpose();
    const Matrix3 P = p * gradient.transpose();
    const Matrix3 F = Matrix3::Identity() + G;
    const Matrix3 S = stress_of(law, green_strain(G));
    const Matrix3 first_piola = P * S + F * stress_of(law, F.transpose() * P);
    product.noalias() += (rule.weight[at] * first_piola) * gradient;
  }
  return product;
}

template <typename Rule, typename Law>
ElementVectors<Rule::kCorners> stvk_hessian_product(const Rule& rule, const Law& law,
                                                    const ElementVectors<Rule::kCorners>& v,
                                                    const ElementVectors<Rule::kCorners>& w) {
  // Second variation of F S at F = I, S = 0 in the directions v and w.
  ElementVectors<Rule::kCorners> product = ElementVectors<Rule::kCorners>::Zero();
  for (int g = 0; g < rule.size(); ++g) {
    const auto at = static_cast<std::size_t>(g);
    const ElementVectors<Rule::kCorners>& gradient = rule.gradient[at];
    const Matrix3 V = v * gradient.transpose();
    const Matrix3 W = w * gradient.transpose();
    // Two products, then their sum: the same bit for bit with v and w swapped.
    const Matrix3 first = V * stress_of(law, W);
    const Matrix3 second = W * stress_of(law, V);
    const Matrix3 stress = (first + second) + stress_of(law, V.transpose() * W);
    product.noalias() += (rule.weight[at] * stress) * gradient;
  }
  return product;
}

template <typename Rule>
ElementVectors<Rule::kCorners> strain_rate_damping_force(const Rule& rule,
                                                         const LameParameters& viscosity,
                                                         const ElementVectors<Rule::kCorners>& u,
                                                         const ElementVectors<Rule::kCorners>& v) {
  ElementVectors<Rule::kCorners> force = ElementVectors<Rule::kCorners>::Zero();
  for (int g = 0; g < rule.size(); ++g) {
    const auto at = static_cast<std::size_t>(g);
    const ElementVectors<Rule::kCorners>& gradient = rule.gradient[at];
    const Matrix3 F = Matrix3::Identity() + u * gradient.transpose();
    const Matrix3 rate = F.transpose() * (v * gradient.transpose());  // sym part is Edot
    const Matrix3 first_piola = rule.weight[at] * F * stress_of(viscosity, rate);
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

Eigen::Matrix<double, 4, 4> consistent_mass(const TetrahedronGeometry& geometry, double density) {
  const double scale = density * geometry.weight[0] / 20.0;
  return scale * (Eigen::Matrix4d::Ones() + Eigen::Matrix4d::Identity());
}

#define HAPTIC_INSTANTIATE_ELEMENT(Rule, N)                                                    \
  template ElementVectors<N> strain_rate_damping_force(                                        \
      const Rule&, const LameParameters&, const ElementVectors<N>&, const ElementVectors<N>&); \
  HAPTIC_INSTANTIATE_LAW(Rule, N, LameParameters)                                              \
  HAPTIC_INSTANTIATE_LAW(Rule, N, ElasticityMatrix)
#define HAPTIC_INSTANTIATE_LAW(Rule, N, Law)                                                   \
  template double stvk_energy(const Rule&, const Law&, const ElementVectors<N>&);              \
  template ElementVectors<N> stvk_force(const Rule&, const Law&, const ElementVectors<N>&);    \
  template ElementSquare<N> stvk_stiffness(const Rule&, const Law&, const ElementVectors<N>&); \
  template ElementVectors<N> stvk_stiffness_product(                                           \
      const Rule&, const Law&, const ElementVectors<N>&, const ElementVectors<N>&);            \
  template ElementVectors<N> stvk_hessian_product(                                             \
      const Rule&, const Law&, const ElementVectors<N>&, const ElementVectors<N>&);

HAPTIC_INSTANTIATE_ELEMENT(HexahedronQuadrature, 8)
HAPTIC_INSTANTIATE_ELEMENT(TetrahedronGeometry, 4)

}  // namespace haptic
