#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "rt/geometry/point_shell.h"
#include "rt/worlds/solids/contact_set.h"
#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic {

/// Contact between the held body's field and the points of an anchored deformable body, solved for
/// both motions together: a (6 + r) x (6 + r) system, condensed to the r x r system of the
/// integrator (docs/methods/contact-and-coupling.md, "Coupled system").
///
/// A point in contact with stiffness k, world normal n, arm p and w = (n; p x n), u = U_s^T n gives
///   d(wrench on held) = -k w (w . z - u . dq),    d(reduced force) = k u (w . z - u . dq).
/// With A the whole gradient on the held body (coupling and contact), W its net wrench and B the
/// sum of k w u^T:   A z + B dq = -W,   (system + C) dq = rhs + f + B^T z,   C the sum of k u u^T.
/// z is eliminated. The held body makes only the fraction of its step that damping and speed limits
/// leave, so z is scaled by that fraction in the second equation.
class CoupledContact {
 public:
  /// @param body   index of the deformable body, which the shell belongs to
  /// @param shell  must outlive this object
  CoupledContact(std::size_t body, const PointShell& shell);

  std::size_t body() const HAPTIC_REALTIME { return body_; }

  /// Gathers B and C of all pairs of the body's points with the held body's field.
  /// @param body_orientation  material frame of the shell -> world
  void gather(const ContactSet& contacts, std::size_t held, const Pose& held_pose,
              const Quaternion& body_orientation) HAPTIC_REALTIME;
  bool touches() const HAPTIC_REALTIME { return touches_; }

  /// Computes force f [r] and stiffness S [r x r, symmetric] of the external force
  /// f - S (q_next - q) for the integrator.
  /// @param gradient  A; @param wrench  W; @param step_fraction  fraction of the held body's Newton
  ///                  step that is made
  /// @param force     U^T (contact forces) at the present state [r]
  void condense(const Matrix6& gradient, const Vector6& wrench, double step_fraction,
                std::span<const double> force) HAPTIC_REALTIME;
  std::span<const double> force() const HAPTIC_REALTIME {
    return {force_.data(), static_cast<std::size_t>(force_.size())};
  }
  std::span<const double> stiffness() const HAPTIC_REALTIME {
    return {stiffness_.data(), static_cast<std::size_t>(stiffness_.size())};
  }

  /// Change of the wrench on the held body due to the deformation `moved` = q_next - q [r].
  Vector6 wrench_of(std::span<const double> moved) const HAPTIC_REALTIME;

 private:
  using Blocks = Eigen::Matrix<double, 6, Eigen::Dynamic>;

  std::size_t body_;
  const PointShell* shell_;
  Blocks B_, image_;
  Eigen::MatrixXd stiffness_;  // C, condensed in place
  Eigen::VectorXd u_, force_;
  bool touches_ = false;
};

}  // namespace haptic
