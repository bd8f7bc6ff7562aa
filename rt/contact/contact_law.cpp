#include "rt/contact/contact_law.h"

#include <algorithm>
#include <cmath>

#include "rt/contact/contact_law_input.h"
#include "rt/contact/field_normal.h"
#include "rt/geometry/point_shell.h"
#include "rt/geometry/signed_field.h"
#include "shared/assert.h"

namespace haptic {
namespace {

/// Prefetch distance, in touching points.
constexpr std::size_t kAhead = 8;

}  // namespace

ContactLaw::ContactLaw(const PointShell& shell, const PointTree& tree, const SignedField& field,
                       const ContactSettings& settings, HeldSide held,
                       std::span<const float> area_weights)
    : shell_(&shell),
      field_(&field),
      settings_(settings),
      held_(held),
      scale_(shell, tree, field, settings, area_weights),
      anchors_(settings.friction.static_coefficient > 0.0 ? shell.size() : 0),
      qdot_(shell.dimension()) {
  require_settings(settings);
  require_area_weights(area_weights, shell.size());
  contacts_.resize(shell.size());
  shell_force_.assign(shell.dimension(), 0.0);
  field_force_.assign(field.dimension(), 0.0);
  scratch_.assign(field.dimension(), 0.0);
  if (settings.wall > 0.0) springs_.resize(shell.size());
}

void ContactLaw::set_stiffness(double stiffness) HAPTIC_REALTIME {
  HAPTIC_ASSERT(stiffness > 0.0);
  settings_.stiffness = stiffness;
}

const ContactResult& ContactLaw::apply(const BodyMotion& shell, const BodyMotion& field,
                                       const ModalCoordinates& q,
                                       std::span<const TouchingPoint> touching,
                                       std::uint32_t level) HAPTIC_REALTIME {
  shell_motion_ = shell;
  field_motion_ = field;
  q_ = &q;
  if (shell.qdot.size() == shell_->dimension()) qdot_.assign(shell.qdot);
  shell_to_world_ = shell.pose.orientation.toRotationMatrix();
  field_to_world_ = field.pose.orientation.toRotationMatrix();
  held_grasp_ = held_ == HeldSide::kField ? field.grasp_position() : shell.grasp_position();
  anchors_.begin();
  result_ = {};
  result_.contacts = static_cast<std::uint32_t>(touching.size());
  result_.level = level;
  std::fill(shell_force_.begin(), shell_force_.end(), 0.0);
  std::fill(field_force_.begin(), field_force_.end(), 0.0);

  scale_.weigh(touching, level);
  find_give(touching);
  for (std::size_t i = 0; i < std::min(kAhead, touching.size()); ++i) {
    shell_->prefetch_contact(touching[i].point);
  }
  for (std::uint32_t i = 0; i < touching.size(); ++i) {
    if (i + kAhead < touching.size()) shell_->prefetch_contact(touching[i + kAhead].point);
    add(touching[i], scale_.weight(touching[i].point) * scale_.scale(i), scale_.site(i), i);
  }
  if (held_ != HeldSide::kNeither && !end_of_step_) finish_gradient();
  return result_;
}

/// D of a wall, before the forces that depend on it.
void ContactLaw::find_give(std::span<const TouchingPoint> touching) HAPTIC_REALTIME {
  give_ = wall_stiffness_ = 0.0;
  if (settings_.wall == 0.0) return;
  wall_push_.setZero();
  wall_way_.setZero();
  for (std::size_t i = 0; i < touching.size(); ++i) {
    springs_[i] = {-touching[i].distance, settings_.stiffness};
  }
  give_ = ContactWall::give(settings_.wall, std::span(springs_).first(touching.size()));
}

double ContactLaw::projection(std::uint32_t point, const Vector3& direction,
                              const ModalCoordinates& q) const HAPTIC_REALTIME {
  // Along its own normal, all of the area counts.
  if (!settings_.foundation || settings_.normals == ContactNormals::kShell) return 1.0;
  return std::max(0.0, direction.dot(shell_->normal(point, q)));
}

void ContactLaw::clear() HAPTIC_REALTIME {
  result_ = {};
  give_ = 0.0;
  result_.level = 1;
  std::fill(shell_force_.begin(), shell_force_.end(), 0.0);
  std::fill(field_force_.begin(), field_force_.end(), 0.0);
}

ContactLaw::Place ContactLaw::place(const TouchingPoint& touching) const HAPTIC_REALTIME {
  Place at;
  at.point = touching.point;
  at.distance = touching.distance;
  at.position = shell_to_world_ * shell_->position(at.point, *q_) + shell_motion_.pose.position;
  at.slope = at.slope_squared = 1.0;
  at.arm = at.position - held_grasp_;
  at.p_field = field_to_world_.transpose() * (at.position - field_motion_.pose.position);
  if (settings_.normals == ContactNormals::kField) {
    const FieldNormal along = field_normal(*field_, at.p_field, at.distance);
    at.distance = along.distance;
    at.slope_squared = along.slope_squared;
    at.slope = along.slope();
    at.n_field = along.normal;
    at.normal = field_to_world_ * at.n_field;
    at.n_shell = shell_to_world_.transpose() * at.normal;
  } else {
    at.n_shell = shell_->normal(at.point, *q_);
    at.normal = shell_to_world_ * at.n_shell;
    at.n_field = field_to_world_.transpose() * at.normal;
  }
  return at;
}

/// Rate of depth of a point [m/s]; assumes that the field's gradient equals the shell normal.
double ContactLaw::depth_rate(const Place& at) HAPTIC_REALTIME {
  const auto at_point = [&](const BodyMotion& body) HAPTIC_REALTIME {
    return Vector3(body.twist.linear + body.twist.angular.cross(at.position - body.pose.position));
  };
  double rate = at.normal.dot(at_point(field_motion_) - at_point(shell_motion_));
  if (!shell_force_.empty() && !shell_motion_.qdot.empty()) {
    rate -= at.n_shell.dot(qdot_.apply(shell_->displacement(at.point)));
  }
  if (!field_force_.empty() && !field_motion_.qdot.empty()) {
    // n . U qdot = (U^T n) . qdot
    std::fill(scratch_.begin(), scratch_.end(), 0.0);
    field_->add_reduced_force(at.p_field, at.n_field, scratch_);
    for (std::size_t j = 0; j < scratch_.size(); ++j) rate += scratch_[j] * field_motion_.qdot[j];
  }
  return rate;
}

/// Friction is computed for each point before its weight is applied. The weight multiplies both
/// spring and limit, so an anchor does not depend on which other points are in contact.
ContactLaw::Friction ContactLaw::friction_force(const Place& at, double weight,
                                                double gain) HAPTIC_REALTIME {
  const double k = settings_.friction.stiffness.value_or(settings_.stiffness);
  const double reach = -settings_.stiffness * gain * at.distance / k;
  const double mu_s = settings_.friction.static_coefficient;
  const double mu_d = settings_.friction.dynamic_coefficient;
  const FrictionAnchors::Spring spring =
      anchors_.pull(at.point, *field_, at.p_field, at.n_field, mu_s * reach, mu_d * reach);
  const Matrix3 tangent = Matrix3::Identity() - at.normal * at.normal.transpose();
  const Vector3 stretch = field_to_world_ * spring.stretch;
  Friction friction;
  friction.on_shell = -weight * k * stretch;
  friction.anchor_arm = field_motion_.pose.to_world(spring.anchor) - held_grasp_;
  if (!spring.sliding) {
    friction.grip = ContactGrip::kSticks;
    friction.stiffness = weight * k * tangent;
    return friction;
  }
  friction.grip = ContactGrip::kSlides;
  const double held = mu_d * reach;
  if (held > 0.0) {
    const Vector3 along = stretch / held;
    friction.slope = -mu_d * along;
    friction.stiffness = weight * k * held / spring.trial * (tangent - along * along.transpose());
  }
  return friction;
}

ContactLaw::Friction ContactLaw::friction_spring(const Place& at, double weight) HAPTIC_REALTIME {
  const double k = settings_.friction.stiffness.value_or(settings_.stiffness);
  const FrictionAnchors::Spring spring =
      anchors_.measure(at.point, *field_, at.p_field, at.n_field, weight * k);
  Friction friction;
  friction.on_shell = -weight * k * (field_to_world_ * spring.stretch);
  friction.grip = spring.sliding ? ContactGrip::kSlides : ContactGrip::kSticks;
  friction.last_normal_force = spring.normal_force;
  return friction;
}

/// Adds forces and gradient of a point. The gradient, with either side held and in the axes that
/// finish_gradient() begins from, is
///   -K (n + slope; r x (n + slope)) v^T - [I; r~] C [I, -a~],
/// with v = (n; r x n), friction stiffness C, and r, a the arms of point and anchor.
void ContactLaw::add(const TouchingPoint& touching, double weight, std::uint32_t site,
                     std::uint32_t index) HAPTIC_REALTIME {
  Place at = place(touching);
  const double depth = -at.distance;
  const double give = give_ / at.slope;
  at.distance = std::min(0.0, at.distance + give);
  const double c = end_of_step_ ? 0.0 : settings_.damping;
  const double gain = c > 0.0 ? std::max(0.0, 1.0 + c * depth_rate(at)) : 1.0;
  weight *= at.slope_squared * projection(at.point, at.n_shell, *q_);
  const double undamped = weight * settings_.stiffness;
  const double stiffness = undamped * gain;
  const double d = at.distance;
  Friction friction;
  if (has_friction()) {
    friction = end_of_step_ ? friction_spring(at, weight) : friction_force(at, weight, gain);
  }

  result_.pressed -= stiffness * d;
  const Vector3 on_shell = -stiffness * d * at.normal + friction.on_shell;
  const Vector3 force = held_ == HeldSide::kShell ? on_shell : Vector3(-on_shell);
  contacts_[index] = {at.point,
                      at.position,
                      at.normal,
                      depth,
                      force,
                      site,
                      friction.grip,
                      undamped,
                      scale_.scale(index),
                      friction.last_normal_force,
                      give,
                      at.slope};
  if (!shell_force_.empty()) {
    const Vector3 f = -stiffness * d * at.n_shell + shell_to_world_.transpose() * friction.on_shell;
    add_transpose_product(shell_->displacement(at.point), f, shell_force_);
  }
  if (!field_force_.empty()) {
    field_->add_reduced_force(at.p_field, -(field_to_world_.transpose() * on_shell), field_force_);
  }
  if (held_ == HeldSide::kNeither) return;

  result_.on_held.force += force;
  result_.on_held.torque += at.arm.cross(force);
  if (end_of_step_) return;
  Vector6 v, u;
  v << at.normal, at.arm.cross(at.normal);
  const Vector3 pushed = at.normal + friction.slope;
  u << pushed, at.arm.cross(pushed);
  if (settings_.wall == 0.0) {
    result_.gradient.noalias() -= (stiffness * u) * v.transpose();
  } else if (d < 0.0) {
    result_.gradient.noalias() -= (stiffness * u) * v.transpose();
    wall_push_ += stiffness / at.slope * u;
    wall_way_ += stiffness / at.slope * v;
    wall_stiffness_ += stiffness / (at.slope * at.slope);
  }
  if (gain > 0.0 && c > 0.0) result_.damping.noalias() += (undamped * c * d * u) * v.transpose();
  if (friction.grip == ContactGrip::kNone) return;
  const Matrix3& C = friction.stiffness;
  const Matrix3 turned = -C * skew(friction.anchor_arm), arm = skew(at.arm);
  result_.gradient.topLeftCorner<3, 3>() -= C;
  result_.gradient.topRightCorner<3, 3>() -= turned;
  result_.gradient.bottomLeftCorner<3, 3>().noalias() -= arm * C;
  result_.gradient.bottomRightCorner<3, 3>().noalias() -= arm * turned;
}

/// Adds the terms from the motion of the held body. Field held: the arm r = p - x_grasp shortens
/// with Dx, which gives F~ in dT/dx. Shell held: force and torque turn with the shell, which gives
/// -F~, -T~ in world axes and no term in shell axes. Mirror = direct + (F~, T~) in the rotation
/// columns. The sum of `add` is the direct derivative for a held field and the mirror derivative
/// for a held shell, in whose axes points and normals are fixed while field and anchors move.
void ContactLaw::finish_gradient() HAPTIC_REALTIME {
  // dD = (sum k d(depth)) / (K + sum k).
  if (wall_stiffness_ > 0.0) {
    result_.gradient.noalias() +=
        wall_push_ * wall_way_.transpose() / (settings_.wall + wall_stiffness_);
  }
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
