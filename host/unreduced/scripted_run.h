#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "host/fem/elastic_model.h"
#include "host/fem/mass_kind.h"
#include "host/unreduced/load_script.h"
#include "shared/artifact/model_file.h"

namespace haptic {

enum class RunSolver {
  kDirect,      ///< implicit Newmark, factored tangent (reduced: dense)
  kMatrixFree,  ///< implicit Newmark, conjugate gradients; unreduced runs only
  kExplicit,    ///< central differences
  kLinear,      ///< implicit Newmark on R = K u
  kStatic,      ///< each step the equilibrium R(u) = f
};

struct ScriptedRunSettings {
  bool unreduced = false;
  RunSolver solver = RunSolver::kDirect;
  int newton_iterations = 1;
  /// Unreduced: of the elements; a reduced body is StVK.
  ElasticModel elastic = ElasticModel::kStvk;
  /// Unreduced: absent: that of the model. kExplicit is lumped always, kStatic has no mass.
  std::optional<MassKind> mass = {};
  int save_every = 0;  ///< unreduced: a snapshot of u every so many steps; 0: none
  /// Called with the fraction done; may be empty.
  std::function<void(double)> progress = {};
};

struct ScriptedRunOutcome {
  int steps = 0;
  int snapshots = 0;
  double largest_probe_m = 0.0;   ///< displacement of any probe
  double final_energy_J = 0.0;    ///< strain and kinetic
  double largest_residual = 0.0;  ///< over the steps that computed one
  int unconverged_steps = 0;      ///< of more than one Newton iteration, residual above 1e-6
  int backtracks = 0;             ///< of the line search
  int cg_iterations = 0;
  double largest_step_s = 0.0;  ///< kExplicit: the limit that dt stayed below
};

/// Runs a load script on a baked model, reduced or unreduced, into a log (run_log.h): same mesh,
/// material, constraints, damping, loads and time steps, so that they differ only by the subspace.
/// @throws InputError for a script, model or setting that does not fit, or an explicit dt above its
///         limit;
///         OperationError if a step diverges or the energy exceeds four times the work of the
///         loads (explicit runs: more, close to the largest stable step); the log is then not
///         written
ScriptedRunOutcome run_script(const ModelFile& model, const LoadScript& script,
                              const ScriptedRunSettings& settings,
                              const std::filesystem::path& log);

}  // namespace haptic
