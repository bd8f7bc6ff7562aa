#pragma once

#include <Eigen/Core>

#include "lab/linear_reference/small_system.h"
#include "rt/dynamics/rayleigh_damping.h"

namespace haptic::lab {

/// "Reduced dynamics": the modes alone, u = U1 q, by backward Euler in stiffness and damping,
///   v+ = (v + h (Gamma - k q)) / (1 + h d + h^2 k),  q+ = q + h v+,
/// with k = lambda_i, d = alpha + beta lambda_i and the force Gamma = U1^T f.
/// Source: Sedaghat 2011, section 3.2 and eq 3.21.
class ModalDynamics {
 public:
  /// Starts at rest.
  /// @param modes       n x m, mass-normalised [kg^-1/2]
  /// @param eigenvalues m [s^-2]
  /// @param dt          [s] > 0
  /// @throws InputError if dt or damping is out of range
  ModalDynamics(Eigen::MatrixXd modes, Eigen::VectorXd eigenvalues, RayleighDamping damping,
                double dt);

  /// One step under the forces f of the nodes (n) [N].
  void step(const Eigen::VectorXd& f);
  /// One step that ends with H u = u*, as far as the modes allow: with fewer modes than rows in
  /// the least-squares sense.
  /// @returns forces of the contacts on the object (c) [N]
  Eigen::VectorXd step_to(const ContactRows& rows, const Eigen::VectorXd& target);

  void set_state(const Eigen::VectorXd& q, const Eigen::VectorXd& velocity);
  const Eigen::VectorXd& q() const { return q_; }         ///< m [m kg^1/2]
  const Eigen::VectorXd& velocity() const { return v_; }  ///< m
  Eigen::VectorXd displacement() const { return modes_ * q_; }
  Eigen::VectorXd damping_coefficients() const;  ///< alpha + beta lambda_i [1/s]

 private:
  void advance(const Eigen::VectorXd& modal_force);

  Eigen::MatrixXd modes_;
  Eigen::VectorXd lambda_;
  RayleighDamping damping_;
  double h_;
  Eigen::VectorXd inverse_;  ///< 1 / (1 + h d + h^2 k)
  Eigen::VectorXd q_, v_;
};

}  // namespace haptic::lab
