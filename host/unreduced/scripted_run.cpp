#include "host/unreduced/scripted_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "host/unreduced/baked_body.h"
#include "host/unreduced/full_central_differences.h"
#include "host/unreduced/full_newmark.h"
#include "host/unreduced/full_statics.h"
#include "host/unreduced/reduced_run.h"
#include "host/unreduced/run_log.h"
#include "rt/dynamics/rayleigh_damping.h"
#include "shared/error.h"

namespace haptic {
namespace {

const char* name_of(RunSolver solver) {
  switch (solver) {
    case RunSolver::kDirect:
      return "direct";
    case RunSolver::kMatrixFree:
      return "matrix-free";
    case RunSolver::kExplicit:
      return "explicit";
    case RunSolver::kStatic:
      return "static";
    case RunSolver::kLinear:
      break;
  }
  return "linear";
}

std::unique_ptr<FullDynamics> make_dynamics(const StvkModel& body, const ModelFile& model,
                                            const LoadScript& script,
                                            const ScriptedRunSettings& settings,
                                            RayleighDamping damping) {
  if (settings.solver == RunSolver::kStatic) return std::make_unique<FullStatics>(body, script.dt);
  const std::vector<LameParameters> viscosity = read_baked_viscosity(model);
  if (settings.solver == RunSolver::kExplicit) {
    if (is_viscous(viscosity)) {
      throw InputError(model.path().string(), "/reduced/viscous",
                       "found strain-rate damping for central differences",
                       "--solver direct or matrix-free");
    }
    return std::make_unique<FullCentralDifferences>(body, script.dt, damping);
  }
  FullNewmarkSettings newmark;
  newmark.viscosity = viscosity;
  newmark.iterations = settings.newton_iterations;
  newmark.solver = settings.solver == RunSolver::kMatrixFree ? FullSolver::kMatrixFree
                   : settings.solver == RunSolver::kLinear   ? FullSolver::kLinear
                                                             : FullSolver::kDirect;
  return std::make_unique<FullNewmark>(body, script.dt, damping, newmark);
}

// Above the rounding of any mesh, too small to be visible in a plot.
constexpr double kConvergedResidual = 1e-6;

/// Checks the energy of a run from rest against the work of its loads, which is an upper bound. A
/// run that diverges can stay finite for long and look like a result.
class EnergyBalance {
 public:
  /// @param solver        of the run
  /// @param stable_fraction  dt over the largest stable one, explicit runs; else 0
  EnergyBalance(RunSolver solver, double stable_fraction)
      : hint_(solver == RunSolver::kExplicit ? "use a smaller dt_s"
              : solver == RunSolver::kStatic ? "use smaller changes of the load in a step"
                                             : "use a smaller dt_s or more --newton iterations"),
        leads_(solver == RunSolver::kExplicit),
        // Central differences conserve 1/2 v.v + 1/2 w^2 q^2 (1 - (w dt/2)^2) of a mode: at the
        // limit, the energy is unbounded although the run is stable.
        factor_(std::min(kFactor / std::max(1.0 - stable_fraction * stable_fraction, 0.0), 1e3)) {}

  /// @param work    of the mean of the forces at the ends of the step [J]; average acceleration
  ///                and a linear body gain it exactly
  /// @throws OperationError
  void add(int step, double work, double energy) {
    work_ += work;
    most_ = std::max(most_, work_);
    // The velocity of an explicit step leads its position: its energy has the work of the next one.
    const double worked_for = leads_ ? before_ : energy;
    constexpr double kNothing_J = 1e-12;
    if (std::isfinite(energy) && worked_for <= factor_ * most_ + kNothing_J) {
      before_ = energy;
      return;
    }
    throw OperationError(
        fmt::format("step {}: the run diverged: energy {:.4g} J, but the work of the loads is at "
                    "most {:.4g} J; {}",
                    step, energy, most_, hint_));
  }

 private:
  /// One Newton iteration a step is not exact, and may gain some energy in coarse steps.
  static constexpr double kFactor = 4.0;

  const char* hint_;
  bool leads_;
  double factor_;
  double work_ = 0.0, most_ = 0.0, before_ = 0.0;  // J
};

double stable_fraction(double dt, double largest_step) {
  return largest_step > 0.0 ? dt / largest_step : 0.0;
}

/// Fills rows from a full displacement and keeps the outcome.
class Recorder {
 public:
  Recorder(RunLog& log, const LoadSequence& loads, ScriptedRunOutcome& outcome)
      : log_(log), loads_(loads), outcome_(outcome) {}

  /// @param at displacement of a vertex [m]
  template <typename VertexDisplacement>
  void write(RunRow row, const VertexDisplacement& at) {
    for (const MeshPlace& place : loads_.probes()) {
      Vector3 u = Vector3::Zero();
      for (std::size_t a = 0; a < place.count; ++a) u += place.weights[a] * at(place.vertices[a]);
      row.probes.insert(row.probes.end(), u.data(), u.data() + 3);
      outcome_.largest_probe_m = std::max(outcome_.largest_probe_m, u.norm());
    }
    outcome_.final_energy_J = row.strain_energy + row.kinetic_energy;
    outcome_.largest_residual = std::max(outcome_.largest_residual, row.residual);
    if (!(row.residual <= kConvergedResidual)) ++outcome_.unconverged_steps;
    log_.append(row);
  }

 private:
  RunLog& log_;
  const LoadSequence& loads_;
  ScriptedRunOutcome& outcome_;
};

RunLogLayout layout_of(const ModelFile& model, const LoadScript& script,
                       const ScriptedRunSettings& settings, RayleighDamping damping,
                       const LoadSequence& loads) {
  RunLogLayout layout;
  for (const MeshPlace& probe : loads.probes()) layout.probes.push_back(probe.main_vertex());
  layout.text = {{"kind", settings.unreduced ? "unreduced" : "reduced"},
                 {"solver", name_of(settings.solver)},
                 {"material", std::string(name_of(settings.elastic))},
                 {"model", std::filesystem::absolute(model.path()).lexically_normal().string()},
                 {"model_hash", fmt::format("{:016x}", model.content_hash())},
                 {"loads", std::filesystem::absolute(script.file).lexically_normal().string()}};
  layout.numbers = {{"dt_s", script.dt},
                    {"alpha", damping.alpha},
                    {"beta", damping.beta},
                    {"newton_iterations", static_cast<double>(settings.newton_iterations)}};
  return layout;
}

/// A linear run has the stiffness at rest, which is the same for every elastic model.
void check_elastic_model(const ScriptedRunSettings& settings) {
  if (settings.elastic == ElasticModel::kStvk) return;
  const std::string name(name_of(settings.elastic));
  if (!settings.unreduced) {
    throw InputError("--material", "", "found " + name + " for a reduced run",
                     "stvk, the material of every reduction, or --unreduced");
  }
  if (settings.solver == RunSolver::kLinear) {
    throw InputError("--material", "", "found " + name + " with --solver linear",
                     "another solver: the linear body is the same for every material");
  }
}

void check_mass(const ScriptedRunSettings& settings) {
  if (!settings.mass) return;
  const std::string name(name_of(*settings.mass));
  if (!settings.unreduced) {
    throw InputError("--mass", "", "found " + name + " for a reduced run",
                     "--unreduced: a basis has the mass that it was baked with");
  }
  if (settings.solver == RunSolver::kStatic) {
    throw InputError("--mass", "", "found with --solver static", "a solver with inertia");
  }
  if (settings.solver == RunSolver::kExplicit && *settings.mass == MassKind::kConsistent) {
    throw InputError("--mass", "", "found consistent with --solver explicit",
                     "lumped: explicit steps divide by the mass");
  }
}

}  // namespace

ScriptedRunOutcome run_script(const ModelFile& model, const LoadScript& script,
                              const ScriptedRunSettings& settings,
                              const std::filesystem::path& log_path) {
  check_elastic_model(settings);
  check_mass(settings);
  const StvkModel body = read_baked_body(
      model, settings.elastic,
      settings.unreduced && settings.solver == RunSolver::kExplicit ? MassKind::kLumped
                                                                    : settings.mass);
  const LoadSequence loads(script, body.mesh());
  const RayleighDamping damping = script.damping
                                      ? RayleighDamping{(*script.damping)[0], (*script.damping)[1]}
                                      : read_rayleigh_damping(model);
  const Eigen::VectorXd gravity = body.gravity_force(script.gravity);
  RunLogLayout layout = layout_of(model, script, settings, damping, loads);
  layout.text["mass"] = name_of(body.mass_kind());
  ScriptedRunOutcome outcome;
  outcome.steps = script.steps;
  const auto tell = [&](int step) {
    if (settings.progress) {
      settings.progress(static_cast<double>(step) / script.steps);
    }
  };

  if (!settings.unreduced) {
    ReducedRun run(model, script.dt, damping, settings);
    layout.coordinates = run.coordinates().size();
    RunLog log(log_path, layout);
    Recorder recorder(log, loads, outcome);
    EnergyBalance balance(settings.solver, stable_fraction(script.dt, run.largest_step()));
    run.start(gravity);
    recorder.write(run.row(0.0), [&](std::uint32_t v) { return run.displacement(v); });
    for (int step = 1; step <= script.steps; ++step) {
      const double work = run.step(gravity, loads.in_step(step));
      const RunRow row = run.row(step * script.dt);
      balance.add(step, work, row.strain_energy + row.kinetic_energy);
      recorder.write(row, [&](std::uint32_t v) { return run.displacement(v); });
      tell(step);
    }
    outcome.largest_step_s = run.largest_step();
    outcome.backtracks = run.backtracks();
    log.finish();
    return outcome;
  }

  const std::unique_ptr<FullDynamics> dynamics =
      make_dynamics(body, model, script, settings, damping);
  if (const auto* fast = dynamic_cast<const FullCentralDifferences*>(dynamics.get())) {
    outcome.largest_step_s = fast->largest_step();
    layout.numbers["largest_stable_step_s"] = fast->largest_step();
  }
  if (settings.save_every > 0) {
    layout.snapshot_values = static_cast<std::size_t>(body.dof_count());
    layout.vertices = body.mesh().vertices();
  }
  RunLog log(log_path, layout);
  Recorder recorder(log, loads, outcome);
  EnergyBalance balance(settings.solver, stable_fraction(script.dt, outcome.largest_step_s));
  // Dynamics begin at rest, undeformed, with the acceleration of the first load.
  const Eigen::VectorXd none = Eigen::VectorXd::Zero(body.dof_count());
  dynamics->set_state(none, none, gravity);
  Eigen::VectorXd force_before = gravity;
  for (int step = 0; step <= script.steps; ++step) {
    RunRow row;
    row.time = step * script.dt;
    double work = 0.0;
    if (step > 0) {
      Eigen::VectorXd force = gravity;
      for (const auto& load : loads.in_step(step)) {
        force.segment<3>(3 * static_cast<int>(load.vertex)) += load.force;
      }
      const Eigen::VectorXd before = dynamics->displacement();
      FullStepReport report;
      try {
        report = dynamics->step(force);
      } catch (const OperationError& error) {
        throw OperationError(fmt::format("step {} of {}: {}", step, script.steps, error.what()));
      }
      row.residual = report.residual;
      row.newton_iterations = report.iterations;
      outcome.backtracks += report.backtracks;
      outcome.cg_iterations += report.cg_iterations;
      work = 0.5 * (force_before + force).dot(dynamics->displacement() - before);
      force_before = force;
    }
    row.strain_energy = dynamics->strain_energy();
    row.kinetic_energy = dynamics->kinetic_energy();
    balance.add(step, work, row.strain_energy + row.kinetic_energy);
    const Eigen::VectorXd u = dynamics->displacement();
    recorder.write(row,
                   [&](std::uint32_t v) { return Vector3(u.segment<3>(3 * static_cast<int>(v))); });
    if (settings.save_every > 0 && step > 0 && step % settings.save_every == 0) {
      log.append_snapshot(row.time, {u.data(), static_cast<std::size_t>(u.size())});
      ++outcome.snapshots;
    }
    tell(step);
  }
  log.finish();
  return outcome;
}

}  // namespace haptic
