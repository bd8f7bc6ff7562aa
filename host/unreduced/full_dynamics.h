#pragma once

#include <Eigen/Core>

namespace haptic {

/// Statistics of one step of the unreduced body.
struct FullStepReport {
  int iterations = 0;     ///< Newton iterations
  int backtracks = 0;     ///< halvings of the line search
  int shifts = 0;         ///< systems that were indefinite and shifted by a multiple of M
  int cg_iterations = 0;  ///< conjugate gradient iterations of all systems
  /// |residual of the equation of motion| over the forces in it, at the end of the step; 0 where
  /// it was not computed (a single iteration)
  double residual = 0.0;
  bool converged = false;  ///< the residual met the tolerance (one iteration need not)
};

/// An unreduced body in time: M u'' + (alpha M + beta K(u)) u' + R(u) = f. Vectors are full, 3n
/// values (x,y,z) per vertex, zero at fixed vertices.
class FullDynamics {
 public:
  virtual ~FullDynamics() = default;

  /// One step under the force at its end, f [N] (3n; entries at fixed vertices are ignored).
  /// @throws OperationError if the step cannot be solved, a value is not finite or a neo-Hookean
  ///         element is inverted; the state is then the last good one
  virtual FullStepReport step(const Eigen::Ref<const Eigen::VectorXd>& f) = 0;
  /// Starts from u [m] and u' [m/s] with the u'' that satisfies the equation of motion under f.
  /// @throws InputError if a size does not fit or a value is not finite; OperationError if a
  ///         neo-Hookean element is inverted
  virtual void set_state(const Eigen::Ref<const Eigen::VectorXd>& u,
                         const Eigen::Ref<const Eigen::VectorXd>& v,
                         const Eigen::Ref<const Eigen::VectorXd>& f) = 0;

  virtual double dt() const = 0;                     ///< s
  virtual Eigen::VectorXd displacement() const = 0;  ///< 3n [m]
  virtual Eigen::VectorXd velocity() const = 0;      ///< 3n [m/s]
  virtual double strain_energy() const = 0;          ///< J
  virtual double kinetic_energy() const = 0;         ///< J

 protected:
  FullDynamics() = default;
  FullDynamics(const FullDynamics&) = default;
  FullDynamics& operator=(const FullDynamics&) = default;
};

}  // namespace haptic
