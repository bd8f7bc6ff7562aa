#include "host/fem/elastic_element.h"

#include <type_traits>

#include "host/fem/corotational_material.h"
#include "host/fem/neo_hookean_material.h"
#include "shared/assert.h"

namespace haptic {
namespace {

using Matrix3 = Eigen::Matrix3d;

template <int N>
Matrix3 gradient_of(const ElementVectors<N>& u, const ElementVectors<N>& shape_gradient) {
  return Matrix3::Identity() + u * shape_gradient.transpose();
}

template <typename Point, typename Rule, typename Law>
double energy(const Rule& rule, const Law& law, const ElementVectors<Rule::kCorners>& u) {
  double sum = 0.0;
  for (int g = 0; g < rule.size(); ++g) {
    const auto at = static_cast<std::size_t>(g);
    const Point point(law, gradient_of<Rule::kCorners>(u, rule.gradient[at]));
    sum += rule.weight[at] * point.energy_density();
  }
  return sum;
}

template <typename Point, typename Rule, typename Law>
ElementVectors<Rule::kCorners> force(const Rule& rule, const Law& law,
                                     const ElementVectors<Rule::kCorners>& u) {
  ElementVectors<Rule::kCorners> sum = ElementVectors<Rule::kCorners>::Zero();
  for (int g = 0; g < rule.size(); ++g) {
    const auto at = static_cast<std::size_t>(g);
    const Point point(law, gradient_of<Rule::kCorners>(u, rule.gradient[at]));
    const Matrix3 stress = rule.weight[at] * point.stress();
    sum.noalias() += stress * rule.gradient[at];
  }
  return sum;
}

template <typename Point, typename Rule, typename Law>
ElementSquare<Rule::kCorners> stiffness(const Rule& rule, const Law& law,
                                        const ElementVectors<Rule::kCorners>& u) {
  constexpr int N = Rule::kCorners;
  ElementSquare<N> K = ElementSquare<N>::Zero();
  Eigen::Matrix<double, 9, 9> tangent;  // dP/dF, both by columns
  Eigen::Matrix<double, 9, 3 * N> to_gradient = Eigen::Matrix<double, 9, 3 * N>::Zero();
  for (int g = 0; g < rule.size(); ++g) {
    const auto at = static_cast<std::size_t>(g);
    const Point point(law, gradient_of<N>(u, rule.gradient[at]));
    for (int i = 0; i < 9; ++i) {
      Matrix3 unit = Matrix3::Zero();
      unit(i) = 1.0;
      Eigen::Map<Matrix3>(tangent.col(i).data()) = point.stress_change(unit);
    }
    for (int a = 0; a < N; ++a) {
      for (int column = 0; column < 3; ++column) {
        to_gradient.template block<3, 3>(3 * column, 3 * a) =
            rule.gradient[at](column, a) * Matrix3::Identity();
      }
    }
    const Eigen::Matrix<double, 9, 3 * N> stress = (rule.weight[at] * tangent) * to_gradient;
    K.noalias() += to_gradient.transpose() * stress;
  }
  // Symmetric but for the rounding of the tangent.
  K.template triangularView<Eigen::StrictlyLower>() = K.transpose();
  return K;
}

template <typename Point, typename Rule, typename Law>
ElementVectors<Rule::kCorners> product(const Rule& rule, const Law& law,
                                       const ElementVectors<Rule::kCorners>& u,
                                       const ElementVectors<Rule::kCorners>& p) {
  ElementVectors<Rule::kCorners> sum = ElementVectors<Rule::kCorners>::Zero();
  for (int g = 0; g < rule.size(); ++g) {
    const auto at = static_cast<std::size_t>(g);
    const Point point(law, gradient_of<Rule::kCorners>(u, rule.gradient[at]));
    const Matrix3 change = rule.weight[at] * point.stress_change(p * rule.gradient[at].transpose());
    sum.noalias() += change * rule.gradient[at];
  }
  return sum;
}

/// visitor(point type) of a model that is not StVK.
template <typename T>
struct PointType {
  using type = T;
};
template <typename Law, typename Visitor>
auto visit_point(ElasticModel model, const Visitor& visitor) {
  if constexpr (std::is_same_v<Law, LameParameters>) {
    if (model == ElasticModel::kNeoHookean) return visitor(PointType<NeoHookeanMaterial>());
  }
  HAPTIC_DEMAND(model == ElasticModel::kCorotational);
  return visitor(PointType<CorotationalMaterial<Law>>());
}

}  // namespace

template <typename Rule, typename Law>
double elastic_energy(ElasticModel model, const Rule& rule, const Law& law,
                      const ElementVectors<Rule::kCorners>& u) {
  if (model == ElasticModel::kStvk) return stvk_energy(rule, law, u);
  return visit_point<Law>(
      model, [&](auto point) { return energy<typename decltype(point)::type>(rule, law, u); });
}

template <typename Rule, typename Law>
ElementVectors<Rule::kCorners> elastic_force(ElasticModel model, const Rule& rule, const Law& law,
                                             const ElementVectors<Rule::kCorners>& u) {
  if (model == ElasticModel::kStvk) return stvk_force(rule, law, u);
  return visit_point<Law>(
      model, [&](auto point) { return force<typename decltype(point)::type>(rule, law, u); });
}

template <typename Rule, typename Law>
ElementSquare<Rule::kCorners> elastic_stiffness(ElasticModel model, const Rule& rule,
                                                const Law& law,
                                                const ElementVectors<Rule::kCorners>& u) {
  if (model == ElasticModel::kStvk) return stvk_stiffness(rule, law, u);
  return visit_point<Law>(
      model, [&](auto point) { return stiffness<typename decltype(point)::type>(rule, law, u); });
}

template <typename Rule, typename Law>
ElementVectors<Rule::kCorners> elastic_stiffness_product(ElasticModel model, const Rule& rule,
                                                         const Law& law,
                                                         const ElementVectors<Rule::kCorners>& u,
                                                         const ElementVectors<Rule::kCorners>& p) {
  if (model == ElasticModel::kStvk) return stvk_stiffness_product(rule, law, u, p);
  return visit_point<Law>(
      model, [&](auto point) { return product<typename decltype(point)::type>(rule, law, u, p); });
}

#define HAPTIC_INSTANTIATE_ELEMENT(Rule, N)       \
  HAPTIC_INSTANTIATE_LAW(Rule, N, LameParameters) \
  HAPTIC_INSTANTIATE_LAW(Rule, N, ElasticityMatrix)
#define HAPTIC_INSTANTIATE_LAW(Rule, N, Law)                                                       \
  template double elastic_energy(ElasticModel, const Rule&, const Law&, const ElementVectors<N>&); \
  template ElementVectors<N> elastic_force(ElasticModel, const Rule&, const Law&,                  \
                                           const ElementVectors<N>&);                              \
  template ElementSquare<N> elastic_stiffness(ElasticModel, const Rule&, const Law&,               \
                                              const ElementVectors<N>&);                           \
  template ElementVectors<N> elastic_stiffness_product(                                            \
      ElasticModel, const Rule&, const Law&, const ElementVectors<N>&, const ElementVectors<N>&);

HAPTIC_INSTANTIATE_ELEMENT(HexahedronQuadrature, 8)
HAPTIC_INSTANTIATE_ELEMENT(TetrahedronGeometry, 4)

}  // namespace haptic
