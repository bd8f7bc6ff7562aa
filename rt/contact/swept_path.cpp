#include "rt/contact/swept_path.h"

#include <algorithm>
#include <cmath>

#include "rt/geometry/point_shell.h"
#include "shared/assert.h"

namespace haptic {
namespace {

double turn_between(const Pose& from, const Pose& to) HAPTIC_REALTIME {
  return rotation_logarithm(to.orientation * from.orientation.conjugate()).norm();
}

}  // namespace

SweptPath::SweptPath(const PointShell& shell, SignedField& field)
    : shell_(&shell),
      field_(&field),
      modal_reach_(shell.dimension(), 0.0),
      q_(shell.dimension()),
      change_(shell.dimension()),
      hull_(shell.dimension()),
      coordinates_(std::max(shell.dimension(), field.dimension())) {
  const std::uint32_t r = shell.dimension();
  for (std::uint32_t s = 0; s < shell.size(); ++s) {
    shell_reach_ = std::max(shell_reach_, shell.rest_position(s).norm());
    if (r == 0) continue;
    const float* U = shell.displacement(s);
    for (std::uint32_t j = 0; j < r; ++j) {
      modal_reach_[j] = std::max<double>(modal_reach_[j], std::hypot(U[j], U[r + j], U[2 * r + j]));
    }
  }
}

bool SweptPath::set(const SweptMotion& motion) HAPTIC_REALTIME {
  motion_ = motion;
  const std::size_t r = shell_->dimension();
  HAPTIC_ASSERT(motion.q_from.size() == r && motion.q_to.size() == r);
  double deformation = 0.0, reach = shell_reach_;
  const std::span<double> change(coordinates_.data(), r);
  q_.assign(motion.q_from);
  for (std::size_t j = 0; j < r; ++j) {
    change[j] = std::max(std::abs(motion.q_from[j]), std::abs(motion.q_to[j]));
    reach += modal_reach_[j] * change[j];
  }
  hull_.assign(change);
  for (std::size_t j = 0; j < r; ++j) {
    change[j] = motion.q_to[j] - motion.q_from[j];
    deformation += modal_reach_[j] * std::abs(change[j]);
  }
  change_.assign(change);
  deforms_ = deformation > 0.0;

  const std::size_t of_field = motion.field_q_from.size();
  HAPTIC_ASSERT(of_field == field_->dimension() && of_field == motion.field_q_to.size());
  const std::span<double> field_change(coordinates_.data(), of_field);
  for (std::size_t j = 0; j < of_field; ++j) {
    field_change[j] = motion.field_q_to[j] - motion.field_q_from[j];
  }
  field_deforms_ = std::any_of(field_change.begin(), field_change.end(),
                               [](double x) HAPTIC_REALTIME { return x != 0.0; });
  const double growth = field_deforms_ ? field_->deformation_bound(field_change) : 0.0;
  if (of_field != 0) field_->deform(motion.field_q_from);

  translation_ = ((motion.shell_to.position - motion.shell_from.position) -
                  (motion.field_to.position - motion.field_from.position))
                     .norm();
  shell_turn_ = turn_between(motion.shell_from, motion.shell_to);
  field_sweep_ = turn_between(motion.field_from, motion.field_to) * field_->reach() + growth;
  travel_ = translation_ + shell_turn_ * reach + field_sweep_ + deformation;
  return std::isfinite(travel_) && is_finite(motion.shell_from) && is_finite(motion.field_from);
}

SweptPath::Placement SweptPath::placement(double time) HAPTIC_REALTIME {
  if (field_deforms_) {
    const std::span<double> q(coordinates_.data(), motion_.field_q_from.size());
    for (std::size_t j = 0; j < q.size(); ++j) {
      q[j] = motion_.field_q_from[j] + time * (motion_.field_q_to[j] - motion_.field_q_from[j]);
    }
    field_->deform(q);
  }
  const Pose shell = interpolated(motion_.shell_from, motion_.shell_to, time);
  const Pose field = interpolated(motion_.field_from, motion_.field_to, time);
  const Matrix3 world_to_field = field.orientation.toRotationMatrix().transpose();
  return {time, world_to_field * shell.orientation.toRotationMatrix(),
          world_to_field * (shell.position - field.position)};
}

SweptPath::Way SweptPath::way(std::uint32_t point) const HAPTIC_REALTIME {
  Vector3 change = Vector3::Zero();
  if (deforms_) change = change_.apply(shell_->displacement(point));
  return {shell_->position(point, q_), change};
}

Vector3 SweptPath::position(const Way& way, const Placement& at) const HAPTIC_REALTIME {
  return at.rotation * (way.from + at.time * way.change) + at.offset;
}

double SweptPath::travel(const Way& way) const HAPTIC_REALTIME {
  const double deformation = deforms_ ? way.change.norm() : 0.0;
  return translation_ + field_sweep_ + deformation +
         (shell_turn_ > 0.0 ? shell_turn_ * (way.from.norm() + deformation) : 0.0);
}

Vector3 SweptPath::normal(std::uint32_t point, const Placement& at) const HAPTIC_REALTIME {
  return at.rotation * shell_->normal(point, q_);
}

}  // namespace haptic
