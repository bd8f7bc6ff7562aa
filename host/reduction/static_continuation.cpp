#include "host/reduction/static_continuation.h"

#include "shared/error.h"

namespace haptic {

StaticSolution continue_static(const StvkModel& model, const Eigen::Ref<const Eigen::VectorXd>& f,
                               const Eigen::VectorXd& last) {
  if (last.size() != 0) {
    try {
      StaticOptions near;
      near.start = last;
      near.load_steps = 1;
      near.max_iterations = 40;
      StaticSolution solution = solve_static(model, f, near);
      if (solution.stable) return solution;
    } catch (const OperationError&) {
    }
  }
  return solve_static(model, f);
}

}  // namespace haptic
