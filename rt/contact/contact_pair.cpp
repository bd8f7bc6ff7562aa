#include "rt/contact/contact_pair.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rt/contact/point_shell.h"
#include "shared/error.h"

namespace haptic {
namespace {

void require_settings(const ContactSettings& settings) {
  if (!(settings.stiffness > 0.0) || !std::isfinite(settings.stiffness)) {
    throw InputError("contact", "stiffness", fmt::format("found {} N/m", settings.stiffness),
                     "a number > 0 [N/m]");
  }
  if (settings.scaling_count == 0) {
    throw InputError("contact", "scaling_count", "found 0", "at least 1");
  }
}

}  // namespace

ContactPair::ContactPair(const PointShell& shell, const PointTree& tree, const SignedField& field,
                         const ContactSettings& settings, HeldSide held)
    : shell_(&shell),
      settings_(settings),
      held_(held),
      traversal_(shell, tree, field, {settings.safe_culling ? Culling::kSafe : Culling::kText}),
      q_(shell.dimension()) {
  require_settings(settings);
  contacts_.resize(shell.size());
  reduced_force_.assign(shell.dimension(), 0.0);
}

const ContactResult& ContactPair::evaluate(const Pose& shell_pose, const Pose& field_pose,
                                           std::span<const double> shell_q) HAPTIC_REALTIME {
  begin(shell_pose, field_pose, shell_q);
  return accumulate(traversal_.run(shell_pose, field_pose, q_));
}

const ContactResult& ContactPair::evaluate_brute_force(
    const Pose& shell_pose, const Pose& field_pose,
    std::span<const double> shell_q) HAPTIC_REALTIME {
  begin(shell_pose, field_pose, shell_q);
  return accumulate(traversal_.run_all(shell_pose, field_pose, q_));
}

std::span<const Contact> ContactPair::contacts() const HAPTIC_REALTIME {
  return {contacts_.data(), result_.contacts};
}

std::span<const double> ContactPair::reduced_force() const HAPTIC_REALTIME {
  return reduced_force_;
}

void ContactPair::set_stiffness(double stiffness) HAPTIC_REALTIME {
  HAPTIC_ASSERT(stiffness > 0.0);
  settings_.stiffness = stiffness;
}

double ContactPair::stiffness() const HAPTIC_REALTIME {
  return settings_.stiffness;
}

void ContactPair::begin(const Pose& shell_pose, const Pose& field_pose,
                        std::span<const double> shell_q) HAPTIC_REALTIME {
  q_.assign(shell_q);
  to_world_ = {shell_pose.orientation.toRotationMatrix(), shell_pose.position};
  held_origin_ = held_ == HeldSide::kField ? field_pose.position : shell_pose.position;
}

/// Contact law over the touching points in ascending order (spec 2.3): forces, gradient as the sum
/// of -k w w^T with w = (n; r x n) (2.22 with grad d = n, either side held), reduced force.
const ContactResult& ContactPair::accumulate(std::span<const TouchingPoint> touching)
    HAPTIC_REALTIME {
  const auto count = static_cast<std::uint32_t>(touching.size());
  const double scale =
      count > settings_.scaling_count ? double(settings_.scaling_count) / count : 1.0;
  const double stiffness = scale * settings_.stiffness;
  const double side = held_ == HeldSide::kField ? 1.0 : -1.0;  // held force = side * k d n

  result_ = {};
  result_.contacts = count;
  result_.visited_nodes = traversal_.visited_nodes();
  std::fill(reduced_force_.begin(), reduced_force_.end(), 0.0);

  std::uint32_t filled = 0;
  for (const auto& [point, weight, d] : touching) {
    const Vector3 position = to_world_(shell_->position(point, q_));
    const Vector3 n_shell = shell_->normal(point, q_);
    const Vector3 normal = to_world_.rotation * n_shell;
    const Vector3 arm = position - held_origin_;
    const Vector3 force = side * stiffness * d * normal;

    result_.on_held.force += force;
    result_.on_held.torque += arm.cross(force);
    Vector6 w;
    w.head<3>() = normal;
    w.tail<3>() = arm.cross(normal);
    result_.gradient.noalias() -= (stiffness * w) * w.transpose();
    if (shell_->dimension() != 0) {
      add_transpose_product(shell_->displacement(point), -stiffness * d * n_shell, reduced_force_);
    }
    contacts_[filled++] = {point, position, normal, -d, force};
  }
  finish_gradient();
  return result_;
}

/// Adds what turns and moves with the held body. Field held: the arm r = p - x_field shortens with
/// Dx, hence F~ in dT/dx. Shell held: force and torque turn with the shell, hence -F~, -T~ in the
/// world's axes and nothing in the shell's. Mirror = direct + (F~, T~) in the rotation columns.
void ContactPair::finish_gradient() HAPTIC_REALTIME {
  const Matrix3 force = skew(result_.on_held.force);
  const Matrix3 torque = skew(result_.on_held.torque);
  const bool field_held = held_ == HeldSide::kField;
  const bool mirror = settings_.gradient == ContactGradient::kMirror;
  if (field_held) result_.gradient.bottomLeftCorner<3, 3>() += force;
  if (field_held == mirror) {
    const double sign = mirror ? 1.0 : -1.0;
    result_.gradient.topRightCorner<3, 3>() += sign * force;
    result_.gradient.bottomRightCorner<3, 3>() += sign * torque;
  }
}

}  // namespace haptic
