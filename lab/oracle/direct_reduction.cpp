#include "lab/oracle/direct_reduction.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <vector>

#include "host/fem/element_assembly.h"
#include "host/fem/stvk_element.h"
#include "shared/assert.h"

namespace haptic {
namespace {

/// Number of parts of the elements with separate sums; it does not depend on the number of threads.
constexpr int kParts = 16;

}  // namespace

Eigen::VectorXd direct_reduced_force(const StvkModel& model,
                                     const Eigen::Ref<const Eigen::MatrixXd>& basis,
                                     const Eigen::Ref<const Eigen::VectorXd>& q) {
  HAPTIC_DEMAND(basis.rows() == model.dof_count() && basis.cols() == q.size());
  return basis.transpose() * model.force(basis * q);
}

DirectEvaluation direct_reduced_force_and_stiffness(const StvkModel& model,
                                                    const Eigen::Ref<const Eigen::MatrixXd>& basis,
                                                    const Eigen::Ref<const Eigen::VectorXd>& q) {
  HAPTIC_DEMAND(basis.rows() == model.dof_count() && basis.cols() == q.size());
  const SolidMesh& mesh = model.mesh();
  const Eigen::VectorXd u = basis * q;
  const int parts = std::min(kParts, mesh.element_count());
  std::vector<Eigen::MatrixXd> stiffness(static_cast<std::size_t>(parts));
  tbb::parallel_for(0, parts, [&](int part) {
    Eigen::MatrixXd& sum = stiffness[static_cast<std::size_t>(part)];
    sum.setZero(q.size(), q.size());
    // A few elements' rows at a time: the products are then matrix by matrix.
    constexpr int kBlock = 16;
    const int corners = mesh.corners_per_element();
    Eigen::MatrixXd rows(3 * corners * kBlock, q.size()), products(rows.rows(), q.size());
    const auto begin = static_cast<int>(std::int64_t{part} * mesh.element_count() / parts);
    const auto end = static_cast<int>(std::int64_t{part + 1} * mesh.element_count() / parts);
    for (int first = begin; first < end; first += kBlock) {
      const int count = std::min(kBlock, end - first);
      for (int i = 0; i < count; ++i) {
        const int e = first + i, at = 3 * corners * i;
        const auto ids = mesh.element(e);
        for (int a = 0; a < corners; ++a) {
          rows.middleRows<3>(at + 3 * a) =
              basis.middleRows<3>(3 * Eigen::Index{ids[static_cast<std::size_t>(a)]});
        }
        visit_element(mesh, e, [&](const auto& geometry, const auto& law) {
          const auto& rule = rule_of(geometry);
          products.middleRows(at, 3 * corners).noalias() =
              stvk_stiffness(rule, law, gather(rule, u, ids)) * rows.middleRows(at, 3 * corners);
        });
      }
      const int used = 3 * corners * count;
      sum.noalias() += rows.topRows(used).transpose() * products.topRows(used);
    }
  });
  DirectEvaluation result{basis.transpose() * model.force(u), std::move(stiffness[0])};
  for (int part = 1; part < parts; ++part) {
    result.stiffness += stiffness[static_cast<std::size_t>(part)];
  }
  return result;
}

}  // namespace haptic
