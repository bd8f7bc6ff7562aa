#include "host/fem/element_assembly.h"
#include "host/fem/stvk_element.h"
#include "host/fem/stvk_model.h"
#include "shared/assert.h"

namespace haptic {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

using Pair = std::array<int, 2>;

// (H:x_j) x_i of one element for the given pairs, rows (x,y,z) per corner.
template <typename Rule, typename Law>
RowMajor element_products(const Rule& rule, const Law& law,
                          const std::vector<ElementVectors<Rule::kCorners>>& columns,
                          std::span<const Pair> pairs) {
  const std::size_t k = columns.size();
  std::vector<Eigen::Matrix3d> gradients(k), stresses(k);
  Eigen::Matrix<double, 9, Eigen::Dynamic> piola(9, static_cast<Eigen::Index>(pairs.size()));
  RowMajor local = RowMajor::Zero(3 * Rule::kCorners, piola.cols());
  for (int g = 0; g < rule.size(); ++g) {
    const auto at = static_cast<std::size_t>(g);
    const auto& shape_gradient = rule.gradient[at];
    for (std::size_t i = 0; i < k; ++i) {
      gradients[i].noalias() = columns[i] * shape_gradient.transpose();
      stresses[i] = stress_of(law, gradients[i]);
    }
    Eigen::Index column = 0;
    for (const Pair& pair : pairs) {
      const auto i = static_cast<std::size_t>(pair[0]), j = static_cast<std::size_t>(pair[1]);
      const Eigen::Matrix3d first = gradients[i] * stresses[j];
      const Eigen::Matrix3d second = gradients[j] * stresses[i];
      Eigen::Matrix3d stress =
          (first + second) + stress_of(law, gradients[i].transpose() * gradients[j]);
      piola.col(column++) =
          rule.weight[at] * Eigen::Map<Eigen::Matrix<double, 9, 1>>(stress.data());
    }
    for (int a = 0; a < Rule::kCorners; ++a) {
      for (int d = 0; d < 3; ++d) {
        local.row(3 * a + d) += shape_gradient(0, a) * piola.row(d) +
                                shape_gradient(1, a) * piola.row(3 + d) +
                                shape_gradient(2, a) * piola.row(6 + d);
      }
    }
  }
  return local;
}

RowMajor element_products(const AssumedStrainRule& rule, const ElasticityMatrix& C,
                          const std::vector<ElementVectors<8>>& columns,
                          std::span<const Pair> pairs) {
  return stvk_hessian_products(rule, C, columns, pairs);
}

}  // namespace

Eigen::MatrixXd StvkModel::hessian_products(const Eigen::Ref<const Eigen::MatrixXd>& x) const {
  const int k = static_cast<int>(x.cols());
  return hessian_products(x, 0, k * (k + 1) / 2);
}

Eigen::MatrixXd StvkModel::hessian_products(const Eigen::Ref<const Eigen::MatrixXd>& x,
                                            int first_pair, int end_pair) const {
  const int k = static_cast<int>(x.cols());
  HAPTIC_DEMAND(0 <= first_pair && first_pair <= end_pair && end_pair <= k * (k + 1) / 2);
  std::vector<Pair> pairs;
  for (int i = 0; i < k; ++i) {
    for (int j = i; j < k; ++j) pairs.push_back({i, j});
  }
  return hessian_products(
      x, std::span<const Pair>(pairs).subspan(static_cast<std::size_t>(first_pair),
                                              static_cast<std::size_t>(end_pair - first_pair)));
}

Eigen::MatrixXd StvkModel::hessian_products(const Eigen::Ref<const Eigen::MatrixXd>& x,
                                            std::span<const Pair> wanted) const {
  require_stvk();
  const int k = static_cast<int>(x.cols());
  // Row-major so that an element writes contiguous runs.
  RowMajor products = RowMajor::Zero(dof_count(), static_cast<Eigen::Index>(wanted.size()));
  if (wanted.empty()) return products;
  for_each_by_colour(colours_, [&](int e) {
    visit_element(mesh_, e, [&](const auto& geometry, const auto& law) {
      const auto& rule = hessian_rule_of(geometry);
      const auto ids = mesh_.element(e);
      std::vector<decltype(gather(rule, x.col(0), ids))> columns;
      columns.reserve(static_cast<std::size_t>(k));
      for (int i = 0; i < k; ++i) columns.push_back(gather(rule, x.col(i), ids));
      const RowMajor local = element_products(rule, law, columns, wanted);
      for (int a = 0; a < rule.kCorners; ++a) {
        products.middleRows<3>(3 * Eigen::Index{ids[static_cast<std::size_t>(a)]}) +=
            local.middleRows<3>(3 * a);
      }
    });
  });
  return products;
}

}  // namespace haptic
