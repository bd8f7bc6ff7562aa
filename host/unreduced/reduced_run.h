#pragma once

#include <Eigen/Core>
#include <memory>
#include <span>
#include <vector>

#include "host/unreduced/load_script.h"
#include "host/unreduced/run_log.h"
#include "host/unreduced/scripted_run.h"
#include "shared/artifact/model_file.h"

namespace haptic {

/// The reduced side of a scripted run: the integrators of the daemon with the coefficients of the
/// model.
class ReducedRun {
 public:
  /// @throws InputError if the model is rigid, the solver is kMatrixFree, snapshots are asked for,
  ///         or an explicit dt is above 2/w_max
  ReducedRun(const ModelFile& model, double dt, RayleighDamping damping,
             const ScriptedRunSettings& settings);
  ~ReducedRun();

  /// At rest under constant nodal forces (3n) [N].
  void start(const Eigen::VectorXd& forces);
  /// @returns work of the mean of the forces at the ends of the step [J]
  /// @throws OperationError if the step diverges
  double step(const Eigen::VectorXd& forces, const std::vector<LoadSequence::PointForce>& loads);

  RunRow row(double time) const;
  std::span<const double> coordinates() const;
  Vector3 displacement(std::uint32_t vertex) const;  ///< m
  int backtracks() const;                            ///< of the line searches so far
  double largest_step() const;                       ///< kExplicit: 2/w_max [s], else 0

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace haptic
