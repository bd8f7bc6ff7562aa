#include "host/unreduced/reduced_run.h"

#include <fmt/format.h>

#include <optional>

#include "host/reduction/reduced_statics.h"
#include "host/unreduced/baked_body.h"
#include "rt/dynamics/central_differences.h"
#include "rt/dynamics/newmark_integrator.h"
#include "rt/dynamics/reduced_energy.h"
#include "rt/dynamics/vector_views.h"
#include "rt/dynamics/viscous_damping.h"
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

}  // namespace

struct ReducedRun::State {
  State(const ModelFile& model, RunSolver solver)
      : basis(read_baked_basis(model)), energy(energy_of(model, solver)) {
    if (!model.has("/reduced/viscous/linear")) return;
    const auto linear = model.doubles("/reduced/viscous/linear");
    const auto mixed = model.doubles("/reduced/viscous/mixed");
    const auto quadratic = model.doubles("/reduced/viscous/quadratic");
    if (solver == RunSolver::kLinear) {  // G(0) alone
      const std::vector<double> no_mixed(mixed.size(), 0.0), no_quadratic(quadratic.size(), 0.0);
      viscosity.emplace(model.reduced_dimension(), linear, no_mixed, no_quadratic);
    } else {
      viscosity.emplace(model.reduced_dimension(), linear, mixed, quadratic);
    }
  }

  ReducedSystem system() const {
    return {.energy = &energy, .damping = damping, .viscosity = viscosity ? &*viscosity : nullptr};
  }

  std::span<const double> q() const {
    return newmark ? newmark->state().q : differences ? differences->state().q : statics_q;
  }
  std::span<const double> qdot() const {
    return newmark ? newmark->state().qdot : differences ? differences->state().qdot : none;
  }

  /// Residual of the equation of motion, over the forces in it (row() and docs/offline.md).
  double residual_of_motion(const Eigen::VectorXd& force) const;

  Eigen::MatrixXd basis;  // 3n x r
  RayleighDamping damping;
  ReducedEnergy energy;
  std::optional<ViscousDamping> viscosity;
  std::optional<NewmarkIntegrator> newmark;
  std::optional<CentralDifferences> differences;
  std::vector<double> statics_q, none;  // kStatic: q, and no velocity
  Eigen::VectorXd last_force;           // of the last step
  int iterations = 0;
  double residual = 0.0;
  double largest_step = 0.0;
  int steps = 0;
};

double ReducedRun::State::residual_of_motion(const Eigen::VectorXd& force) const {
  const Eigen::Index r = basis.cols();
  const auto [q, qdot, qddot] = newmark->state();
  const Eigen::Map<const Eigen::VectorXd> v(qdot.data(), r), a(qddot.data(), r);
  Eigen::VectorXd R(r);
  Eigen::MatrixXd D(r, r);
  const auto values = [](auto& m) {
    return std::span<double>(m.data(), static_cast<std::size_t>(m.size()));
  };
  ReducedEnergy::Workspace workspace(energy.dimension());
  energy.force_and_stiffness(q, values(R), values(D), workspace);
  D *= damping.beta;
  D.diagonal().array() += damping.alpha;
  if (viscosity) {
    Eigen::MatrixXd G(r, r);
    ViscousDamping::Workspace viscous(viscosity->dimension());
    viscosity->evaluate(q, values(G), viscous);
    D += G;
  }
  const double scale = a.norm() + R.norm() + force.norm();
  return scale > 0.0 ? (a + D * v + R - force).norm() / scale : 0.0;
}

ReducedRun::ReducedRun(const ModelFile& model, double dt, RayleighDamping damping,
                       const ScriptedRunSettings& settings) {
  if (settings.solver == RunSolver::kMatrixFree) {
    throw InputError("--solver", "", "found matrix-free for a reduced run",
                     "direct, explicit, linear or static, or --unreduced");
  }
  if (settings.save_every > 0) {
    throw InputError("--save-every", "", "found for a reduced run",
                     "--unreduced: snapshots are those of the full body");
  }
  state_ = std::make_unique<State>(model, settings.solver);
  State& s = *state_;
  s.damping = damping;
  if (settings.solver == RunSolver::kExplicit) {
    s.largest_step = 2.0 / largest_angular_frequency(s.energy);
    if (dt > s.largest_step) {
      throw InputError(
          "central differences", "dt_s", fmt::format("found {:.4g} s", dt),
          fmt::format("at most {:.4g} s, 2/w_max of the reduced model", s.largest_step));
    }
    s.differences.emplace(s.system(), dt);
  } else if (settings.solver == RunSolver::kStatic) {
    s.statics_q.assign(model.reduced_dimension(), 0.0);
  } else {
    s.iterations = settings.newton_iterations;
    s.newmark.emplace(s.system(), dt,
                      NewtonSettings{static_cast<std::uint32_t>(settings.newton_iterations), 0.0});
  }
}

ReducedRun::~ReducedRun() = default;

void ReducedRun::start(const Eigen::VectorXd& forces) {
  State& s = *state_;
  const Eigen::VectorXd force = s.basis.transpose() * forces;
  s.last_force = force;
  if (!s.newmark && !s.differences) return;
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(s.basis.cols());
  const StepResult result = s.newmark
                                ? s.newmark->set_state(view(zero), view(zero), view(force))
                                : s.differences->set_state(view(zero), view(zero), view(force));
  if (result != StepResult::kOk)
    throw OperationError("reduced run: diverged under the first loads");
}

double ReducedRun::step(const Eigen::VectorXd& forces,
                        const std::vector<LoadSequence::PointForce>& loads) {
  State& s = *state_;
  Eigen::VectorXd force = s.basis.transpose() * forces;
  for (const auto& load : loads) {
    force +=
        s.basis.middleRows<3>(3 * static_cast<Eigen::Index>(load.vertex)).transpose() * load.force;
  }
  ++s.steps;
  const Eigen::VectorXd before = Eigen::Map<const Eigen::VectorXd>(s.q().data(), s.basis.cols());
  const auto work = [&] {
    const Eigen::VectorXd mean = 0.5 * (s.last_force + force);
    s.last_force = force;
    return mean.dot(Eigen::Map<const Eigen::VectorXd>(s.q().data(), s.basis.cols()) - before);
  };
  if (!s.newmark && !s.differences) {
    StaticsSolution solution = solve_reduced_statics(s.energy, view(force), s.statics_q);
    s.statics_q = std::move(solution.q);
    s.iterations = static_cast<int>(solution.iterations);
    s.residual = solution.residual;
    return work();
  }
  const StepResult result =
      s.newmark ? s.newmark->step(view(force)) : s.differences->step(view(force));
  if (result != StepResult::kOk) {
    throw OperationError(fmt::format("reduced run: step {} diverged", s.steps));
  }
  if (s.newmark && s.iterations > 1) s.residual = s.residual_of_motion(force);
  return work();
}

RunRow ReducedRun::row(double time) const {
  const State& s = *state_;
  const auto q = s.q();
  RunRow row;
  row.time = time;
  row.strain_energy = s.energy.energy(q);
  for (const double v : s.qdot()) row.kinetic_energy += 0.5 * v * v;
  row.newton_iterations = s.steps > 0 ? s.iterations : 0;
  row.residual = s.residual;
  row.coordinates.assign(q.begin(), q.end());
  return row;
}

std::span<const double> ReducedRun::coordinates() const {
  return state_->q();
}

Vector3 ReducedRun::displacement(std::uint32_t vertex) const {
  const State& s = *state_;
  const auto q = s.q();
  return s.basis.middleRows<3>(3 * static_cast<Eigen::Index>(vertex)) *
         Eigen::Map<const Eigen::VectorXd>(q.data(), static_cast<Eigen::Index>(q.size()));
}

int ReducedRun::backtracks() const {
  return state_->newmark ? static_cast<int>(state_->newmark->backtracks()) : 0;
}

double ReducedRun::largest_step() const {
  return state_->largest_step;
}

}  // namespace haptic
