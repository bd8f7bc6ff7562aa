#include "host/reduction/reduced_statics.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>

#include "shared/error.h"

namespace haptic {
namespace {

/// Force and stiffness at one state, as Eigen sees them.
struct Evaluation {
  explicit Evaluation(const ReducedEnergy& reduced_energy)
      : energy(reduced_energy),
        R(energy.dimension()),
        K(energy.dimension(), energy.dimension()),
        workspace(energy.dimension()) {}

  void at(const Eigen::VectorXd& q) {
    energy.force_and_stiffness({q.data(), energy.dimension()}, {R.data(), energy.dimension()},
                               {K.data(), static_cast<std::size_t>(K.size())}, workspace);
  }

  const ReducedEnergy& energy;
  Eigen::VectorXd R;
  Eigen::MatrixXd K;
  ReducedEnergy::Workspace workspace;
};

/// Newton step K dq = residual; where K is not positive definite it is shifted until it is, so that
/// the step goes down the potential W - f.q.
Eigen::VectorXd newton_step(const Eigen::MatrixXd& K, const Eigen::VectorXd& residual) {
  Eigen::LLT<Eigen::MatrixXd> cholesky(K);
  double shift = 1e-3 * K.diagonal().cwiseAbs().maxCoeff();
  for (int attempt = 0; cholesky.info() != Eigen::Success && attempt < 60;
       ++attempt, shift *= 2.0) {
    Eigen::MatrixXd shifted = K;
    shifted.diagonal().array() += shift;
    cholesky.compute(shifted);
  }
  return cholesky.solve(residual);
}

}  // namespace

StaticsSolution solve_reduced_statics(const ReducedEnergy& energy, std::span<const double> force,
                                      std::span<const double> start,
                                      const StaticsSettings& settings) {
  const auto r = static_cast<Eigen::Index>(energy.dimension());
  if (static_cast<Eigen::Index>(force.size()) != r) {
    throw InputError("reduced statics", "force", fmt::format("found {} values", force.size()),
                     fmt::format("{}", r));
  }
  if (!start.empty() && static_cast<Eigen::Index>(start.size()) != r) {
    throw InputError("reduced statics", "start", fmt::format("found {} values", start.size()),
                     fmt::format("{} or none", r));
  }
  const Eigen::Map<const Eigen::VectorXd> f(force.data(), r);
  Eigen::VectorXd q = Eigen::VectorXd::Zero(r);
  if (!start.empty()) q = Eigen::Map<const Eigen::VectorXd>(start.data(), r);
  const double target = settings.tolerance * f.norm();

  StaticsSolution solution;
  Evaluation evaluation(energy);
  evaluation.at(q);
  const Eigen::VectorXd first = evaluation.R;
  Eigen::VectorXd trial(r), load(r), residual(r);
  const std::uint32_t load_steps = std::max(1u, settings.load_steps);
  for (std::uint32_t s = 1; s <= load_steps; ++s) {
    load = first + (f - first) * (static_cast<double>(s) / load_steps);
    // Only the last load step has to be exact.
    const double enough = s == load_steps ? target : std::max(target, 1e-4 * load.norm());
    residual = load - evaluation.R;
    double norm = residual.norm();
    for (std::uint32_t it = 0; it < settings.iterations && norm > enough; ++it) {
      const Eigen::VectorXd dq = newton_step(evaluation.K, residual);
      const double potential = energy.energy({q.data(), energy.dimension()}) - load.dot(q);
      double fraction = 1.0;
      for (int halving = 0; halving < 40; ++halving, fraction *= 0.5) {
        trial = q + fraction * dq;
        evaluation.at(trial);
        const double trial_norm = (load - evaluation.R).norm();
        const double change =
            energy.energy({trial.data(), energy.dimension()}) - load.dot(trial) - potential;
        if (trial_norm < norm || change < -1e-4 * fraction * residual.dot(dq)) break;
      }
      q = trial;
      residual = load - evaluation.R;
      norm = residual.norm();
      ++solution.iterations;
    }
  }
  if (f.norm() > 0.0) solution.residual = residual.norm() / f.norm();
  if (!(residual.norm() <= target)) {
    throw OperationError(fmt::format(
        "reduced statics: residual {:.3g} of the load after {} iterations, expected {:.3g}",
        solution.residual, solution.iterations, settings.tolerance));
  }
  solution.q.assign(q.data(), q.data() + r);
  return solution;
}

}  // namespace haptic
