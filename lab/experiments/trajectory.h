#pragma once

#include <Eigen/Core>
#include <functional>

#include "host/fem/stvk_model.h"
#include "host/unreduced/full_dynamics.h"
#include "rt/dynamics/rayleigh_damping.h"
#include "rt/dynamics/reduced_energy.h"

namespace haptic {

/// Full displacements of a run, 3n x (steps + 1) [m], from rest; column s is the end of step s.
struct Trajectory {
  double dt = 0.0;  ///< s
  Eigen::MatrixXd u;
  double seconds_per_step = 0.0;  ///< wall clock

  int steps() const { return static_cast<int>(u.cols()) - 1; }
  /// Displacement of one vertex along an axis [m], steps + 1 values.
  Eigen::VectorXd at(int vertex, int axis) const { return u.row(3 * vertex + axis).transpose(); }
};

/// Force of step s = 1.. [N] (3n).
using LoadHistory = std::function<Eigen::VectorXd(int)>;

/// A force on one vertex for the first `steps` steps.
LoadHistory impulse(const StvkModel& model, int vertex, const Vector3& force, int steps);

Trajectory run(FullDynamics& dynamics, const LoadHistory& load, int steps);
/// Newton to convergence in every step, so that runs differ only by the basis.
/// @throws OperationError if the integrator does not converge
Trajectory run(const ReducedEnergy& energy, const Eigen::MatrixXd& basis, double dt,
               RayleighDamping damping, const LoadHistory& load, int steps);

/// sqrt(sum |u - reference|_M^2 / sum |reference|_M^2) over all steps.
double trajectory_error(const StvkModel& model, const Trajectory& run, const Trajectory& reference);

/// Mean frequency [Hz] from the crossings of zero, interpolated; 0 with fewer than two.
double frequency_of(const Eigen::VectorXd& values, double dt);

/// Force along `direction` for which the largest displacement of `vertex` is `wanted` [m], by
/// bisection on a reduced model.
double force_for_deflection(const ReducedEnergy& energy, const Eigen::MatrixXd& basis,
                            const StvkModel& model, int vertex, const Vector3& direction,
                            int impulse_steps, double dt, RayleighDamping damping, int steps,
                            double wanted);

}  // namespace haptic
