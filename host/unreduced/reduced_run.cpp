#include "host/unreduced/reduced_run.h"

#include <fmt/format.h>

#include <optional>

#include "host/unreduced/baked_body.h"
#include "rt/dynamics/central_differences.h"
#include "rt/dynamics/newmark_integrator.h"
#include "rt/dynamics/reduced_energy.h"
#include "shared/error.h"

namespace haptic {
namespace {

ReducedEnergy energy_of(const ModelFile& model, RunSolver solver) {
  if (solver != RunSolver::kLinear) return ReducedEnergy(model);
  // The quadratic part alone: R = K(0) q.
  const std::vector<double> cubic(model.doubles("/reduced/cubic").size(), 0.0);
  const std::vector<double> quartic(model.doubles("/reduced/quartic").size(), 0.0);
  return {model.reduced_dimension(), model.doubles("/reduced/quadratic"), cubic, quartic};
}

std::span<const double> view(const Eigen::VectorXd& v) {
  return {v.data(), static_cast<std::size_t>(v.size())};
}

}  // namespace

struct ReducedRun::State {
  State(const ModelFile& model, RunSolver solver)
      : basis(read_baked_basis(model)), energy(energy_of(model, solver)) {}

  ReducedState state() const { return newmark ? newmark->state() : differences->state(); }

  Eigen::MatrixXd basis;  // 3n x r
  ReducedEnergy energy;
  std::optional<NewmarkIntegrator> newmark;
  std::optional<CentralDifferences> differences;
  int iterations = 0;
  double largest_step = 0.0;
  int steps = 0;
};

ReducedRun::ReducedRun(const ModelFile& model, double dt, RayleighDamping damping,
                       const ScriptedRunSettings& settings) {
  if (settings.solver == RunSolver::kMatrixFree) {
    throw InputError("--solver", "", "found matrix-free for a reduced run",
                     "direct, explicit or linear, or --unreduced");
  }
  if (settings.save_every > 0) {
    throw InputError("--save-every", "", "found it for a reduced run",
                     "--unreduced: snapshots are those of the full body");
  }
  state_ = std::make_unique<State>(model, settings.solver);
  State& s = *state_;
  if (settings.solver == RunSolver::kExplicit) {
    s.largest_step = 2.0 / largest_angular_frequency(s.energy);
    if (dt > s.largest_step) {
      throw InputError(
          "central differences", "dt_s", fmt::format("found {:.4g} s", dt),
          fmt::format("at most {:.4g} s, 2/w_max of the reduced model", s.largest_step));
    }
    s.differences.emplace(s.energy, dt, damping);
  } else {
    s.iterations = settings.newton_iterations;
    s.newmark.emplace(s.energy, dt, damping,
                      NewtonSettings{static_cast<std::uint32_t>(settings.newton_iterations), 0.0});
  }
}

ReducedRun::~ReducedRun() = default;

void ReducedRun::start(const Eigen::VectorXd& forces) {
  State& s = *state_;
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(s.basis.cols());
  const Eigen::VectorXd force = s.basis.transpose() * forces;
  const StepResult result = s.newmark
                                ? s.newmark->set_state(view(zero), view(zero), view(force))
                                : s.differences->set_state(view(zero), view(zero), view(force));
  if (result != StepResult::kOk) throw OperationError("reduced run: the first forces diverge");
}

void ReducedRun::step(const Eigen::VectorXd& forces,
                      const std::vector<LoadSequence::PointForce>& loads) {
  State& s = *state_;
  Eigen::VectorXd force = s.basis.transpose() * forces;
  for (const auto& load : loads) {
    force +=
        s.basis.middleRows<3>(3 * static_cast<Eigen::Index>(load.vertex)).transpose() * load.force;
  }
  ++s.steps;
  const StepResult result =
      s.newmark ? s.newmark->step(view(force)) : s.differences->step(view(force));
  if (result != StepResult::kOk) {
    throw OperationError(fmt::format("reduced run: step {} diverged", s.steps));
  }
}

RunRow ReducedRun::row(double time) const {
  const State& s = *state_;
  const ReducedState now = s.state();
  RunRow row;
  row.time = time;
  row.strain_energy = s.energy.energy(now.q);
  for (const double v : now.qdot) row.kinetic_energy += 0.5 * v * v;
  row.newton_iterations = s.steps > 0 ? s.iterations : 0;
  row.coordinates.assign(now.q.begin(), now.q.end());
  return row;
}

std::span<const double> ReducedRun::coordinates() const {
  return state_->state().q;
}

Vector3 ReducedRun::displacement(std::uint32_t vertex) const {
  const State& s = *state_;
  const auto q = s.state().q;
  return s.basis.middleRows<3>(3 * static_cast<Eigen::Index>(vertex)) *
         Eigen::Map<const Eigen::VectorXd>(q.data(), static_cast<Eigen::Index>(q.size()));
}

double ReducedRun::largest_step() const {
  return state_->largest_step;
}

}  // namespace haptic
