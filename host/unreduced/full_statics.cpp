#include "host/unreduced/full_statics.h"

#include <fmt/format.h>

#include "host/reduction/static_continuation.h"
#include "host/unreduced/full_state.h"
#include "shared/error.h"

namespace haptic {

FullStatics::FullStatics(const StvkModel& model, double dt)
    : model_(model), dt_(dt), u_(Eigen::VectorXd::Zero(model.dof_count())) {
  const int motions = model.free_rigid_motions();
  if (motions > 0) {
    throw InputError("unreduced statics", "constraints",
                     fmt::format("found {} of 6 rigid motions free", motions),
                     "an anchored body: without constraints nothing balances the load");
  }
}

FullStepReport FullStatics::step(const Eigen::Ref<const Eigen::VectorXd>& f) {
  require_full_size("unreduced statics", model_, f);
  const StaticSolution solution = continue_static(model_, f, u_);
  u_ = solution.u;
  FullStepReport report;
  report.iterations = solution.newton_iterations;
  report.residual = solution.residual;
  report.converged = true;
  return report;
}

void FullStatics::set_state(const Eigen::Ref<const Eigen::VectorXd>& u,
                            const Eigen::Ref<const Eigen::VectorXd>& v,
                            const Eigen::Ref<const Eigen::VectorXd>& f) {
  const FullState state = make_full_state(model_, u, v, f);
  if (state.v.norm() > 0.0) {
    throw InputError("unreduced statics", "velocity", "found a velocity that is not zero", "zeros");
  }
  require_not_inverted("unreduced statics", model_, u);
  u_ = model_.expand(state.u);
}

Eigen::VectorXd FullStatics::velocity() const {
  return Eigen::VectorXd::Zero(u_.size());
}

double FullStatics::strain_energy() const {
  return model_.energy(u_);
}

}  // namespace haptic
