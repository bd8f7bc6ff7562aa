#pragma once

#include <Eigen/Core>

#include "lab/linear_reference/linear_body.h"
#include "lab/linear_reference/small_system.h"

namespace haptic::lab {

/// "Full linearised dynamics": M u'' + D u' + K u = f by backward Euler on the sparse system,
///   (M + h D + h^2 K) v+ = M v + h (f - K u),  u+ = u + h v+,
/// whose matrix is factored once. With all modes, ModalDynamics is the same.
/// Source: Sedaghat 2011, sections 3.2 and 6.3.
class FullLinearDynamics {
 public:
  /// Starts at rest. @param body outlives it @param dt [s] > 0
  /// @throws InputError if dt or damping is out of range
  FullLinearDynamics(const LinearBody& body, double dt);

  /// One step under the forces f of the nodes (n) [N].
  void step(const Eigen::VectorXd& f);
  /// One step that ends with H u = u*. @returns forces of the contacts on the object (c) [N]
  Eigen::VectorXd step_to(const ContactRows& rows, const Eigen::VectorXd& target);

  void set_state(const Eigen::VectorXd& u, const Eigen::VectorXd& velocity);
  const Eigen::VectorXd& displacement() const { return u_; }  ///< n [m]
  const Eigen::VectorXd& velocity() const { return v_; }      ///< n [m/s]

 private:
  Eigen::VectorXd impulse() const;  ///< M v - h K u

  const LinearBody& body_;
  double h_;
  SparseFactorization system_;
  Eigen::VectorXd u_, v_;
};

}  // namespace haptic::lab
