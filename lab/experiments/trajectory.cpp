#include "lab/experiments/trajectory.h"

#include <fmt/format.h>

#include <chrono>
#include <vector>

#include "host/reduction/mass_pca.h"
#include "lab/experiments/subspace.h"
#include "rt/dynamics/newmark_integrator.h"
#include "shared/error.h"

namespace haptic {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

LoadHistory impulse(const StvkModel& model, int vertex, const Vector3& force, int steps) {
  return [dofs = model.dof_count(), vertex, force, steps](int step) {
    Eigen::VectorXd f = Eigen::VectorXd::Zero(dofs);
    if (step <= steps) f.segment<3>(3 * vertex) = force;
    return f;
  };
}

Trajectory run(FullDynamics& dynamics, const LoadHistory& load, int steps) {
  const Eigen::VectorXd start = dynamics.displacement();
  Trajectory result{dynamics.dt(), Eigen::MatrixXd(start.size(), steps + 1)};
  result.u.col(0) = start;
  const auto clock = std::chrono::steady_clock::now();
  for (int step = 1; step <= steps; ++step) {
    dynamics.step(load(step));
    result.u.col(step) = dynamics.displacement();
  }
  result.seconds_per_step = seconds_since(clock) / steps;
  return result;
}

Trajectory run(const ReducedEnergy& energy, const Eigen::MatrixXd& basis, double dt,
               RayleighDamping damping, const LoadHistory& load, int steps) {
  // The residual is a force in q; 1e-9 N kg^-1/2 is below every force of these runs by far.
  NewmarkIntegrator integrator(energy, dt, damping, {20, 1e-9});
  Eigen::MatrixXd q = Eigen::MatrixXd::Zero(basis.cols(), steps + 1);
  std::vector<Eigen::VectorXd> forces;
  for (int step = 1; step <= steps; ++step) forces.emplace_back(basis.transpose() * load(step));
  const auto clock = std::chrono::steady_clock::now();
  for (int step = 1; step <= steps; ++step) {
    if (integrator.step(view(forces[static_cast<std::size_t>(step) - 1])) != StepResult::kOk) {
      throw OperationError(
          fmt::format("reduced run, r = {}: step {} was refused", basis.cols(), step));
    }
    q.col(step) = vector_of(integrator.state().q);
  }
  const double seconds = seconds_since(clock) / steps;
  return {dt, basis * q, seconds};
}

double trajectory_error(const StvkModel& model, const Trajectory& run,
                        const Trajectory& reference) {
  const SparseMatrix mass = model.scalar_mass();
  const auto square = [&](const Eigen::MatrixXd& u) {
    const Eigen::MatrixXd x = model.restrict_to_free(u);
    return x.cwiseProduct(multiply_mass(mass, x)).sum();
  };
  return std::sqrt(square(run.u - reference.u) / square(reference.u));
}

double frequency_of(const Eigen::VectorXd& values, double dt) {
  std::vector<double> crossings;
  for (Eigen::Index i = 1; i + 1 < values.size(); ++i) {
    const double a = values[i], b = values[i + 1];
    if ((a > 0.0) == (b > 0.0)) continue;
    crossings.push_back(dt * (static_cast<double>(i) + a / (a - b)));
  }
  if (crossings.size() < 2) return 0.0;
  return 0.5 * static_cast<double>(crossings.size() - 1) / (crossings.back() - crossings.front());
}

double force_for_deflection(const ReducedEnergy& energy, const Eigen::MatrixXd& basis,
                            const StvkModel& model, int vertex, const Vector3& direction,
                            int impulse_steps, double dt, RayleighDamping damping, int steps,
                            double wanted) {
  const Eigen::MatrixXd rows = basis.middleRows(3 * vertex, 3);
  const auto deflection = [&](double force) {
    const Trajectory moved = run(
        energy, Eigen::MatrixXd::Identity(basis.cols(), basis.cols()), dt, damping,
        [&](int step) -> Eigen::VectorXd {
          return step <= impulse_steps ? Eigen::VectorXd(rows.transpose() * direction * force)
                                       : Eigen::VectorXd::Zero(basis.cols());
        },
        steps);
    return (rows * moved.u).colwise().norm().maxCoeff();
  };
  // Start with the weight of the body and double the load until it is too large.
  double upper = 1e-3 * model.mesh().mass();
  while (deflection(upper) < wanted) upper *= 2.0;
  double lower = 0.5 * upper;
  for (int i = 0; i < 30; ++i) {
    const double middle = 0.5 * (lower + upper);
    (deflection(middle) < wanted ? lower : upper) = middle;
  }
  return upper;
}

}  // namespace haptic
