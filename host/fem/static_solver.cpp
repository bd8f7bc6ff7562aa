#include "host/fem/static_solver.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "host/fem/sparse_factorization.h"
#include "shared/error.h"

namespace haptic {
namespace {

// Newton direction -(K + shift M)^-1 residual with the smallest tried shift that makes the matrix
// positive definite.
class NewtonDirection {
 public:
  explicit NewtonDirection(const StvkModel& model) : model_(model), mass_(model.mass()) {}

  struct Result {
    Eigen::VectorXd step;  // free dofs
    bool shifted;
  };

  Result operator()(const Eigen::VectorXd& u, const Eigen::VectorXd& residual) {
    const SparseMatrix K = model_.stiffness(u);
    double shift = 0.0;
    // 1e-6 of the rate of the stiffest dof is below every relevant mode; factors of 10 reach it in
    // 8 tries.
    double next = 1e-6 * (K.diagonal().cwiseAbs().array() / mass_.diagonal().array()).maxCoeff();
    for (int attempt = 0; attempt < 10; ++attempt, shift = next, next *= 10.0) {
      SparseMatrix A = K;
      if (shift > 0.0) A += shift * mass_;
      try {
        factor(A);
      } catch (const OperationError&) {
        continue;
      }
      return {-factor_->solve(residual).col(0), shift > 0.0};
    }
    throw OperationError("static solution: no descent direction (stiffness not finite)");
  }

  bool is_stable(const Eigen::VectorXd& u) {
    try {
      factor(model_.stiffness(u));
    } catch (const OperationError&) {
      return false;
    }
    return true;
  }

 private:
  void factor(const SparseMatrix& A) {
    if (factor_) {
      factor_->refactorize(A);
      return;
    }
    SparseFactorization::Options options;
    options.block = 3;
    options.name = "tangent stiffness";
    factor_.emplace(A, options);
  }

  const StvkModel& model_;
  SparseMatrix mass_;
  std::optional<SparseFactorization> factor_;
};

}  // namespace

StaticSolution solve_static(const StvkModel& model, const Eigen::Ref<const Eigen::VectorXd>& f,
                            const StaticOptions& options) {
  if (f.size() != model.dof_count() ||
      (options.start.size() != 0 && options.start.size() != model.dof_count())) {
    throw InputError("static solution", "load", fmt::format("found {} values", f.size()),
                     fmt::format("{}", model.dof_count()));
  }
  if (options.load_steps < 1 || options.max_iterations < 1 || !(options.tolerance > 0.0)) {
    throw InputError("static solution", "options", "found a value out of range",
                     "load_steps >= 1, max_iterations >= 1, tolerance > 0");
  }
  StaticSolution solution;
  solution.u = options.start.size() != 0 ? options.start : Eigen::VectorXd::Zero(f.size());
  const Eigen::VectorXd load = model.restrict_to_free(f);
  const Eigen::VectorXd held = model.restrict_to_free(model.force(solution.u));
  const double scale = std::max(held.norm(), load.norm());
  if (scale == 0.0) return solution;

  NewtonDirection newton_direction(model);
  const auto potential = [&](const Eigen::VectorXd& u, const Eigen::VectorXd& target) {
    return model.energy(u) - target.dot(Eigen::VectorXd(model.restrict_to_free(u)));
  };

  for (int step = 1; step <= options.load_steps; ++step) {
    const double fraction = static_cast<double>(step) / options.load_steps;
    const Eigen::VectorXd target = (1.0 - fraction) * held + fraction * load;
    Eigen::VectorXd residual = model.restrict_to_free(model.force(solution.u)) - target;
    if (!residual.allFinite()) {
      throw OperationError("static solution: the force of the start is not finite");
    }
    for (int iteration = 0; residual.norm() > options.tolerance * scale; ++iteration) {
      if (iteration == options.max_iterations) {
        throw OperationError(
            fmt::format("static solution: load step {} of {} stopped after {} iterations at |R - "
                        "f| = {:.3g} |f|",
                        step, options.load_steps, iteration, residual.norm() / scale));
      }
      const auto [direction, shifted] = newton_direction(solution.u, residual);
      const Eigen::VectorXd move = model.expand(direction);
      const double slope = residual.dot(direction);
      const double before = potential(solution.u, target);
      bool accepted = false;
      for (double length = 1.0; length > 1e-8; length *= 0.5) {
        const Eigen::VectorXd candidate = solution.u + length * move;
        const Eigen::VectorXd next = model.restrict_to_free(model.force(candidate)) - target;
        // Near the solution the change of the potential is below its rounding; there the residual
        // decides, provided that the matrix is the unshifted, positive definite tangent.
        const bool descends = potential(candidate, target) <= before + 1e-4 * length * slope;
        const bool settles = !shifted && next.norm() <= (1.0 - 1e-4 * length) * residual.norm();
        if (next.allFinite() && (descends || settles)) {
          solution.u = candidate;
          residual = next;
          accepted = true;
          break;
        }
      }
      ++solution.newton_iterations;
      if (!accepted) {
        // Rounding floor: nothing better can be reached.
        if (residual.norm() <= 1e3 * options.tolerance * scale) break;
        throw OperationError(
            fmt::format("static solution: no progress in load step {} of {} at "
                        "|R - f| = {:.3g} |f|",
                        step, options.load_steps, residual.norm() / scale));
      }
    }
    solution.residual = residual.norm() / scale;
  }
  solution.stable = newton_direction.is_stable(solution.u);
  return solution;
}

}  // namespace haptic
