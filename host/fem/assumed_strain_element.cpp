#include "host/fem/assumed_strain_element.h"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <cmath>
#include <type_traits>
#include <vector>

#include "host/fem/corotational_material.h"
#include "host/fem/elastic_element.h"
#include "host/fem/neo_hookean_material.h"
#include "shared/assert.h"

namespace haptic {
namespace {

constexpr std::size_t kPoints = AssumedStrainRule::kPoints;
/// Columns of displacement gradients that a rule samples at a point: three normal, then pairs for
/// the strains 12, 13, 23.
using Gradients = Eigen::Matrix<double, 3, 9>;
/// Strains 11, 22, 33, 2*12, 2*13, 2*23, or stresses 11, 22, 33, 12, 13, 23.
using Strain = Eigen::Matrix<double, 6, 1>;
using SampledGradients = std::array<Gradients, kPoints>;
using SampledStrains = std::array<Strain, kPoints>;

/// Columns of the identity where a rule samples.
const Gradients& identity() {
  static const Gradients value = [] {
    Gradients columns = Gradients::Zero();
    constexpr int kAxes[9] = {0, 1, 2, 0, 1, 0, 2, 1, 2};
    for (int c = 0; c < 9; ++c) columns(kAxes[c], c) = 1.0;
    return columns;
  }();
  return value;
}

/// sym(F^T P), shears doubled.
Strain strain_of(const Gradients& F, const Gradients& P) {
  Strain strain;
  for (int i = 0; i < 3; ++i) strain[i] = F.col(i).dot(P.col(i));
  for (int s = 0; s < 3; ++s) {
    const int a = 3 + 2 * s, b = a + 1;
    strain[3 + s] = F.col(a).dot(P.col(b)) + F.col(b).dot(P.col(a));
  }
  return strain;
}

/// 1/2 (G + G^T + G^T G) rather than 1/2 (F^T F - I): exact to rounding for small G too.
Strain green_strain(const Gradients& G) {
  return strain_of(identity() + 0.5 * G, G);
}

/// The adjoint of strain_of in P: columns Q with Q : P = S . strain_of(F, P).
Gradients stress_columns(const Gradients& F, const Strain& S) {
  Gradients columns;
  for (int i = 0; i < 3; ++i) columns.col(i) = S[i] * F.col(i);
  for (int s = 0; s < 3; ++s) {
    const int a = 3 + 2 * s, b = a + 1;
    columns.col(a) = S[3 + s] * F.col(b);
    columns.col(b) = S[3 + s] * F.col(a);
  }
  return columns;
}

SampledGradients sampled_gradients(const AssumedStrainRule& rule, const ElementVectors<8>& u) {
  SampledGradients gradients;
  for (std::size_t g = 0; g < kPoints; ++g) {
    gradients[g].leftCols<3>().noalias() = u * rule.gradient[g].transpose();
    gradients[g].rightCols<6>().noalias() = u * rule.shear[g].transpose();
  }
  return gradients;
}

/// Takes the rule's share of the deviation of the trace from its mean away, of strains and, as the
/// adjoint, of stresses.
void average_trace(const AssumedStrainRule& rule, SampledStrains& values) {
  if (rule.mean_share == 0.0) return;
  double mean = 0.0;  // the points have equal weights
  for (const Strain& value : values) mean += value.head<3>().sum() / kPoints;
  for (Strain& value : values) {
    value.head<3>().array() -= rule.mean_share / 3.0 * (value.head<3>().sum() - mean);
  }
}

/// Adds the corner forces of stress columns at a point.
void add_forces(const AssumedStrainRule& rule, std::size_t g, const Gradients& columns,
                ElementVectors<8>& force) {
  force.noalias() += (rule.weight[g] * columns.leftCols<3>()) * rule.gradient[g];
  force.noalias() += (rule.weight[g] * columns.rightCols<6>()) * rule.shear[g];
}

/// C : e of strains, the trace averaged before and after.
SampledStrains stresses_of(const AssumedStrainRule& rule, const ElasticityMatrix& C,
                           SampledStrains strains) {
  average_trace(rule, strains);
  for (Strain& strain : strains) strain = (C * strain).eval();
  average_trace(rule, strains);
  return strains;
}

Eigen::Matrix3d tensor_of(const Strain& strain) {
  Eigen::Matrix3d E;
  E << strain[0], 0.5 * strain[3], 0.5 * strain[4],  //
      0.5 * strain[3], strain[1], 0.5 * strain[5],   //
      0.5 * strain[4], 0.5 * strain[5], strain[2];
  return E;
}

Strain stress_of_tensor(const Eigen::Matrix3d& S) {
  Strain stress;
  stress << S(0, 0), S(1, 1), S(2, 2), 0.5 * (S(0, 1) + S(1, 0)), 0.5 * (S(0, 2) + S(2, 0)),
      0.5 * (S(1, 2) + S(2, 1));
  return stress;
}

/// A material that is linear in Green strain, at a strain.
class LinearPoint {
 public:
  LinearPoint(const ElasticityMatrix& C, const Strain& strain, bool) : C_(C), strain_(strain) {}
  double energy_density() const { return 0.5 * strain_.dot(C_ * strain_); }
  Strain stress() const { return C_ * strain_; }
  Strain stress_change(const Strain& change) const { return C_ * change; }

 private:
  const ElasticityMatrix& C_;
  Strain strain_;
};

/// A material that is given by the deformation gradient, at the stretch U = (I + 2 E)^(1/2): its
/// energy does not change with the rotation. `Material` has the interface of CorotationalMaterial.
template <typename Material, typename Law>
class StretchPoint {
 public:
  /// @param inverted whether the element is, at the point: U then has a negative eigenvalue
  StretchPoint(const ElasticityMatrix& C, const Strain& strain, bool inverted)
      : law_(law_of(C)),
        solver_(Eigen::Matrix3d::Identity() + 2.0 * tensor_of(strain)),
        stretch_(solver_.eigenvalues().cwiseMax(kMinStretch).cwiseSqrt()),
        U_(Eigen::Matrix3d::Zero()),
        material_(law_, stretch_tensor(inverted)) {
    S_ = U_.inverse() * material_.stress();
  }
  double energy_density() const { return material_.energy_density(); }
  Strain stress() const { return stress_of_tensor(S_); }
  /// P = U S; U changes by dU with U dU + dU U = 2 dE.
  Strain stress_change(const Strain& change) const {
    const Eigen::Matrix3d& V = solver_.eigenvectors();
    Eigen::Matrix3d dU = 2.0 * V.transpose() * tensor_of(change) * V;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        const double sum = stretch_[i] + stretch_[j];
        dU(i, j) = std::abs(sum) > kMinStretch ? dU(i, j) / sum : 0.0;
      }
    }
    dU = (V * dU * V.transpose()).eval();
    return stress_of_tensor(U_.inverse() * (material_.stress_change(dU) - dU * S_));
  }

 private:
  static constexpr double kMinStretch = 1e-12;

  static Law law_of(const ElasticityMatrix& C) {
    if constexpr (std::is_same_v<Law, LameParameters>) {
      return {C(0, 1), C(3, 3)};
    } else {
      return C;
    }
  }
  const Eigen::Matrix3d& stretch_tensor(bool inverted) {
    if (inverted) stretch_[0] = -stretch_[0];  // the smallest
    const Eigen::Matrix3d& V = solver_.eigenvectors();
    U_ = V * stretch_.asDiagonal() * V.transpose();
    return U_;
  }

  Law law_;
  Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver_;  // of I + 2 E, ascending
  Eigen::Vector3d stretch_;
  Eigen::Matrix3d U_, S_;
  Material material_;
};

template <typename T>
struct MaterialPoint {
  using type = T;
};
/// visitor(MaterialPoint) of a model.
template <typename Visitor>
auto visit_material_points(ElasticModel model, const Visitor& visitor) {
  switch (model) {
    case ElasticModel::kNeoHookean:
      return visitor(MaterialPoint<StretchPoint<NeoHookeanMaterial, LameParameters>>());
    case ElasticModel::kCorotational:
      return visitor(
          MaterialPoint<StretchPoint<CorotationalMaterial<ElasticityMatrix>, ElasticityMatrix>>());
    case ElasticModel::kStvk:
      break;
  }
  return visitor(MaterialPoint<LinearPoint>());
}

/// Whether the element is turned inside out at a point: the first three columns are the gradient.
bool inverted(const Gradients& G) {
  return (Eigen::Matrix3d::Identity() + G.leftCols<3>()).determinant() <= 0.0;
}

SampledStrains green_strains(const SampledGradients& G) {
  SampledStrains strains;
  for (std::size_t g = 0; g < kPoints; ++g) strains[g] = green_strain(G[g]);
  return strains;
}

SampledStrains strains_of(const SampledGradients& F, const SampledGradients& P) {
  SampledStrains strains;
  for (std::size_t g = 0; g < kPoints; ++g) strains[g] = strain_of(F[g], P[g]);
  return strains;
}

SampledGradients deformations(SampledGradients G) {
  for (Gradients& at : G) at += identity();
  return G;
}

}  // namespace

double elastic_energy(ElasticModel model, const AssumedStrainRule& rule, const ElasticityMatrix& C,
                      const ElementVectors<8>& u) {
  const SampledGradients G = sampled_gradients(rule, u);
  SampledStrains strains = green_strains(G);
  average_trace(rule, strains);
  return visit_material_points(model, [&](auto type) {
    double energy = 0.0;
    for (std::size_t g = 0; g < kPoints; ++g) {
      const typename decltype(type)::type point(C, strains[g], inverted(G[g]));
      energy += rule.weight[g] * point.energy_density();
    }
    return energy;
  });
}

ElementVectors<8> elastic_force(ElasticModel model, const AssumedStrainRule& rule,
                                const ElasticityMatrix& C, const ElementVectors<8>& u) {
  const SampledGradients G = sampled_gradients(rule, u);
  SampledStrains S = green_strains(G);
  average_trace(rule, S);
  visit_material_points(model, [&](auto type) {
    for (std::size_t g = 0; g < kPoints; ++g) {
      S[g] = typename decltype(type)::type(C, S[g], inverted(G[g])).stress();
    }
  });
  average_trace(rule, S);
  ElementVectors<8> force = ElementVectors<8>::Zero();
  for (std::size_t g = 0; g < kPoints; ++g) {
    add_forces(rule, g, stress_columns(identity() + G[g], S[g]), force);
  }
  return force;
}

ElementVectors<8> elastic_stiffness_product(ElasticModel model, const AssumedStrainRule& rule,
                                            const ElasticityMatrix& C, const ElementVectors<8>& u,
                                            const ElementVectors<8>& p) {
  const SampledGradients G = sampled_gradients(rule, u), P = sampled_gradients(rule, p);
  const SampledGradients F = deformations(G);
  SampledStrains S = green_strains(G), change = strains_of(F, P);
  average_trace(rule, S);
  average_trace(rule, change);
  visit_material_points(model, [&](auto type) {
    for (std::size_t g = 0; g < kPoints; ++g) {
      const typename decltype(type)::type point(C, S[g], inverted(G[g]));
      S[g] = point.stress();
      change[g] = point.stress_change(change[g]);
    }
  });
  average_trace(rule, S);
  average_trace(rule, change);
  ElementVectors<8> product = ElementVectors<8>::Zero();
  for (std::size_t g = 0; g < kPoints; ++g) {
    add_forces(rule, g, stress_columns(P[g], S[g]) + stress_columns(F[g], change[g]), product);
  }
  return product;
}

ElementVectors<8> stvk_hessian_product(const AssumedStrainRule& rule, const ElasticityMatrix& C,
                                       const ElementVectors<8>& v, const ElementVectors<8>& w) {
  const std::array<ElementVectors<8>, 2> columns = {v, w};
  constexpr std::array<std::array<int, 2>, 1> kPair = {{{0, 1}}};
  const Eigen::Matrix<double, 24, 1> product = stvk_hessian_products(rule, C, columns, kPair);
  return Eigen::Map<const ElementVectors<8>>(product.data());
}

Eigen::Matrix<double, 24, Eigen::Dynamic, Eigen::RowMajor> stvk_hessian_products(
    const AssumedStrainRule& rule, const ElasticityMatrix& C,
    std::span<const ElementVectors<8>> columns, std::span<const std::array<int, 2>> pairs) {
  SampledGradients rest;
  rest.fill(identity());
  std::vector<SampledGradients> gradients;
  std::vector<SampledStrains> stresses;
  for (const ElementVectors<8>& column : columns) {
    gradients.push_back(sampled_gradients(rule, column));
    stresses.push_back(stresses_of(rule, C, strains_of(rest, gradients.back())));
  }
  Eigen::Matrix<double, 24, Eigen::Dynamic, Eigen::RowMajor> products(
      24, static_cast<Eigen::Index>(pairs.size()));
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    const auto i = static_cast<std::size_t>(pairs[p][0]), j = static_cast<std::size_t>(pairs[p][1]);
    const SampledStrains of_both = stresses_of(rule, C, strains_of(gradients[i], gradients[j]));
    ElementVectors<8> product = ElementVectors<8>::Zero();
    for (std::size_t g = 0; g < kPoints; ++g) {
      // Two terms, then their sum: the same bit for bit with i and j swapped.
      const Gradients first = stress_columns(gradients[i][g], stresses[j][g]);
      const Gradients second = stress_columns(gradients[j][g], stresses[i][g]);
      add_forces(rule, g, (first + second) + stress_columns(rest[g], of_both[g]), product);
    }
    products.col(static_cast<Eigen::Index>(p)) = product.reshaped();
  }
  return products;
}

ElementVectors<8> strain_rate_damping_force(const AssumedStrainRule& rule,
                                            const LameParameters& viscosity,
                                            const ElementVectors<8>& u,
                                            const ElementVectors<8>& v) {
  const SampledGradients F = deformations(sampled_gradients(rule, u));
  const SampledStrains S =
      stresses_of(rule, isotropic_elasticity(viscosity), strains_of(F, sampled_gradients(rule, v)));
  ElementVectors<8> force = ElementVectors<8>::Zero();
  for (std::size_t g = 0; g < kPoints; ++g) {
    add_forces(rule, g, stress_columns(F[g], S[g]), force);
  }
  return force;
}

ElementSquare<8> elastic_stiffness(ElasticModel model, const AssumedStrainRule& rule,
                                   const ElasticityMatrix& C, const ElementVectors<8>& u) {
  using StrainRows = Eigen::Matrix<double, 6, 24>;
  const SampledGradients G = sampled_gradients(rule, u);
  SampledStrains S = green_strains(G);
  std::array<ElasticityMatrix, kPoints> tangent;  // stress per strain
  average_trace(rule, S);
  visit_material_points(model, [&](auto type) {
    for (std::size_t g = 0; g < kPoints; ++g) {
      const typename decltype(type)::type point(C, S[g], inverted(G[g]));
      for (int i = 0; i < 6; ++i) tangent[g].col(i) = point.stress_change(Strain::Unit(i));
      S[g] = point.stress();
    }
  });
  average_trace(rule, S);
  std::array<StrainRows, kPoints> B;  // strain per corner displacement
  Eigen::Matrix<double, 1, 24> mean = Eigen::Matrix<double, 1, 24>::Zero();
  for (std::size_t g = 0; g < kPoints; ++g) {
    const Gradients F = identity() + G[g];
    for (int a = 0; a < 8; ++a) {
      for (int i = 0; i < 3; ++i) {
        B[g].block<1, 3>(i, 3 * a) = rule.gradient[g](i, a) * F.col(i).transpose();
      }
      for (int s = 0; s < 3; ++s) {
        B[g].block<1, 3>(3 + s, 3 * a) =
            rule.shear[g](2 * s + 1, a) * F.col(3 + 2 * s).transpose() +
            rule.shear[g](2 * s, a) * F.col(4 + 2 * s).transpose();
      }
    }
    mean += B[g].topRows<3>().colwise().sum() / kPoints;
  }
  ElementSquare<8> K = ElementSquare<8>::Zero();
  Eigen::Matrix<double, 8, 8> geometric = Eigen::Matrix<double, 8, 8>::Zero();
  for (std::size_t g = 0; g < kPoints; ++g) {
    const Eigen::Matrix<double, 1, 24> away =
        rule.mean_share / 3.0 * (B[g].topRows<3>().colwise().sum() - mean);
    B[g].topRows<3>().rowwise() -= away;
    const StrainRows stress = rule.weight[g] * tangent[g] * B[g];
    K.noalias() += B[g].transpose() * stress;
    for (int i = 0; i < 3; ++i) {
      const auto row = rule.gradient[g].row(i);
      geometric.noalias() += (rule.weight[g] * S[g][i]) * row.transpose() * row;
    }
    for (int s = 0; s < 3; ++s) {
      const auto first = rule.shear[g].row(2 * s), second = rule.shear[g].row(2 * s + 1);
      geometric.noalias() += (rule.weight[g] * S[g][3 + s]) *
                             (first.transpose() * second + second.transpose() * first);
    }
  }
  for (int b = 0; b < 8; ++b) {
    for (int a = 0; a <= b; ++a) {
      K.block<3, 3>(3 * a, 3 * b).diagonal().array() += geometric(a, b);
    }
  }
  K.triangularView<Eigen::StrictlyLower>() = K.transpose();
  return K;
}

Eigen::Matrix<double, 8, 8> consistent_mass(const AssumedStrainRule& rule, double density) {
  Eigen::Matrix<double, 8, 8> mass = Eigen::Matrix<double, 8, 8>::Zero();
  for (std::size_t g = 0; g < kPoints; ++g) {
    mass.noalias() += (density * rule.volume) * rule.value[g] * rule.value[g].transpose();
  }
  return mass;
}

}  // namespace haptic
