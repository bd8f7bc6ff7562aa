#include "rt/worlds/solids/coupled_contact.h"

#include <Eigen/LU>
#include <cmath>

namespace haptic {

CoupledContact::CoupledContact(std::size_t body, const PointShell& shell)
    : body_(body),
      shell_(&shell),
      B_(Blocks::Zero(6, shell.dimension())),
      image_(B_),
      stiffness_(Eigen::MatrixXd::Zero(shell.dimension(), shell.dimension())),
      u_(Eigen::VectorXd::Zero(shell.dimension())),
      force_(u_) {}

void CoupledContact::gather(const ContactSet& contacts, std::size_t held, const Pose& held_pose,
                            const Quaternion& body_orientation) HAPTIC_REALTIME {
  B_.setZero();
  stiffness_.setZero();
  touches_ = false;
  const Eigen::Index r = u_.size();
  for (const ContactSet::Pair& pair : contacts.pairs()) {
    if (pair.points != body_ || pair.field != held) continue;
    for (const Contact& contact : pair.contact.contacts()) {
      // The force includes scale, weights and the damping factor.
      const double k = std::abs(contact.force.dot(contact.normal)) / contact.depth;
      if (!(k > 0.0 && std::isfinite(k))) continue;
      Vector6 w;
      w << contact.normal, (contact.position - held_pose.position).cross(contact.normal);
      const Vector3 n = body_orientation.conjugate() * contact.normal;
      const float* U = shell_->displacement(contact.point);  // 3 x r, row-major
      for (Eigen::Index j = 0; j < r; ++j) {
        u_[j] = n.x() * U[j] + n.y() * U[r + j] + n.z() * U[2 * r + j];
      }
      for (Eigen::Index j = 0; j < r; ++j) {
        B_.col(j) += k * u_[j] * w;
        stiffness_.col(j) += k * u_[j] * u_;
      }
      touches_ = true;
    }
  }
}

void CoupledContact::condense(const Matrix6& gradient, const Vector6& wrench, double step_fraction,
                              std::span<const double> force) HAPTIC_REALTIME {
  const Eigen::Map<const Eigen::VectorXd> f(force.data(), u_.size());
  force_ = f;
  if (!touches_) return;
  // z = -step_fraction A^-1 (W + B dq). The mirror gradient is not symmetric, but the matrix that
  // the integrator factors must be. The skew part does no work to first order.
  const Eigen::PartialPivLU<Matrix6> lu(0.5 * (gradient + gradient.transpose()));
  const Vector6 z = -step_fraction * lu.solve(wrench);
  image_.noalias() = lu.inverse() * B_;
  // Singular, with a saturated coupling: the held body counts as fixed.
  if (!z.allFinite() || !image_.allFinite()) return;
  force_.noalias() += B_.transpose() * z;
  for (Eigen::Index j = 0; j < stiffness_.cols(); ++j) {
    for (Eigen::Index i = 0; i < stiffness_.rows(); ++i) {
      stiffness_(i, j) += step_fraction * B_.col(i).dot(image_.col(j));
    }
  }
}

Vector6 CoupledContact::wrench_of(std::span<const double> moved) const HAPTIC_REALTIME {
  return B_ * Eigen::Map<const Eigen::VectorXd>(moved.data(), u_.size());
}

}  // namespace haptic
