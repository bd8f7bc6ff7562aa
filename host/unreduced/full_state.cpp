#include "host/unreduced/full_state.h"

#include <fmt/format.h>

#include "host/fem/smallest_volume.h"
#include "host/reduction/mass_pca.h"
#include "host/unreduced/conjugate_gradients.h"
#include "shared/error.h"

namespace haptic {

FullState FullState::at_rest(int free_dofs) {
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(free_dofs);
  return {zero, zero, zero};
}

void require_full_size(std::string_view who, const StvkModel& model,
                       const Eigen::Ref<const Eigen::VectorXd>& x) {
  if (x.size() == model.dof_count()) return;
  throw InputError(who, "", fmt::format("found {} values", x.size()),
                   fmt::format("{}, three a vertex", model.dof_count()));
}

FullState make_full_state(const StvkModel& model, const Eigen::Ref<const Eigen::VectorXd>& u,
                          const Eigen::Ref<const Eigen::VectorXd>& v,
                          const Eigen::Ref<const Eigen::VectorXd>& f) {
  for (const auto* x : {&u, &v, &f}) {
    require_full_size("unreduced state", model, *x);
    if (!x->allFinite()) {
      throw InputError("unreduced state", "", "found a value that is not finite", "finite numbers");
    }
  }
  FullState state = FullState::at_rest(model.free_dof_count());
  state.u = model.restrict_to_free(u);
  state.v = model.restrict_to_free(v);
  return state;
}

void require_not_inverted(std::string_view who, const StvkModel& model,
                          const Eigen::Ref<const Eigen::VectorXd>& u) {
  if (model.elastic_model() != ElasticModel::kNeoHookean) return;
  const SmallestVolume smallest = smallest_volume(model.mesh(), u);
  if (smallest.ratio > 0.0) return;
  throw OperationError(fmt::format(
      "{}: element {} is inverted (det F = {:.3g}), which a neo-Hookean element cannot be", who,
      smallest.element, smallest.ratio));
}

Eigen::VectorXd solve_mass(const SparseMatrix& scalar_mass, const Eigen::VectorXd& b) {
  const Eigen::VectorXd diagonal = scalar_mass.diagonal();
  const auto precondition = [&](const Eigen::VectorXd& r) {
    Eigen::VectorXd z(r.size());
    for (Eigen::Index v = 0; v < diagonal.size(); ++v) {
      z.segment<3>(3 * v) = r.segment<3>(3 * v) / diagonal[v];
    }
    return z;
  };
  return conjugate_gradients(
             [&](const Eigen::VectorXd& x) -> Eigen::VectorXd {
               return multiply_mass(scalar_mass, x);
             },
             precondition, b, 1e-14, 500)
      .x;
}

}  // namespace haptic
