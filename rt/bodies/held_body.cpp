#include "rt/bodies/held_body.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

namespace haptic {

namespace {

DynamicSettings dynamic_settings(const HeldBodySettings& of, double radius) {
  DynamicSettings settings;
  settings.mass = of.mass;
  // Absent: of a solid ball with the body's radius.
  settings.inertia = of.inertia.value_or(0.4 * of.mass * radius * radius);
  settings.damping_ratio = of.damping_ratio;
  return settings;
}

/// Least mass and moment of inertia of a hand with its device [kg], [kg·m²].
constexpr double kLightestHand = 0.02, kLightestInertia = 5e-5;
/// How long a contact counts after its end [s]: one that begins and ends for an instant stays
/// damped.
constexpr double kContactLasts_s = 0.1;

Twist twist_between(const Pose& from, const Pose& to, double dt) HAPTIC_REALTIME {
  return {(to.position - from.position) / dt,
          rotation_logarithm(to.orientation * from.orientation.conjugate()) / dt};
}

}  // namespace

HeldBody::HeldBody(const HeldBodySettings& settings, const Pose& home, double length_scale,
                   double radius, double dt)
    : adjustable_(settings),
      home_(home),
      grasp_(settings.grasp),
      length_scale_(length_scale),
      radius_(radius),
      dt_(dt),
      period_(dt),
      coupling_(CouplingSettings{}),
      guard_(radius),
      clutch_(settings.clutch_button ? static_cast<int>(*settings.clutch_button) : -1,
              settings.clutch_fade_s, dt),
      pose_(home) {
  if (settings.mode == CouplingMode::kDynamic)
    dynamic_.emplace(dynamic_settings(settings, radius), dt);
}

bool HeldBody::set_limits(double force, double torque) HAPTIC_REALTIME {
  return set_laws({.stiffness = 0.0, .maximum = force, .linear = 1.0}, torque);
}

bool HeldBody::set_plateau(double plateau) HAPTIC_REALTIME {
  return set_laws({.stiffness = 0.0, .maximum = plateau, .linear = 0.5}, plateau * radius_);
}

/// @param force  without its stiffness
bool HeldBody::set_laws(const SpringLaw& force, double torque) HAPTIC_REALTIME {
  CouplingSettings settings;
  settings.bounding_radius = radius_;
  // The rendered stiffness is at most that of the coupling in any contact, so the coupling's
  // stiffness is limited. Per metre of hand it is length_scale times the simulated one.
  settings.force = force;
  settings.force.stiffness =
      std::min(adjustable_.stiffness, adjustable_.max_stiffness / length_scale_);
  settings.torque = {2.0 * adjustable_.rotational_stiffness, torque};
  settings.static_damping = adjustable_.static_damping.value_or(damping_);
  settings.max_step =
      adjustable_.max_speed.value_or(HeldBodySettings::kMaxSpeed) * length_scale_ * dt_;
  settings.max_rotation =
      adjustable_.max_angular_speed.value_or(HeldBodySettings::kMaxAngularSpeed) * dt_;
  settings.gradient = adjustable_.saturation_gradient;
  return coupling_.set_settings(settings);
}

void HeldBody::damp_in_contact(bool touches) HAPTIC_REALTIME {
  since_contact_s_ = touches ? 0.0 : since_contact_s_ + dt_;
  damping_ = since_contact_s_ < kContactLasts_s ? HeldBodySettings::kStaticDamping : 0.0;
  const double damping = adjustable_.static_damping.value_or(damping_);
  CouplingSettings settings = coupling_.settings();
  if (settings.static_damping == damping) return;
  settings.static_damping = damping;
  [[maybe_unused]] const bool in_range = coupling_.set_settings(settings);
}

void HeldBody::follow(const DeviceState& hand) HAPTIC_REALTIME {
  const Pose seen = clutch_.follow(hand.pose, hand.buttons);
  const HandCoupling law = hand_coupling();
  manipulandum_ = law.manipulandum(seen);
  manipulandum_twist_ = clutch_.open() ? Twist{} : law.manipulandum(hand.twist);
}

void HeldBody::place(const Pose& pose) HAPTIC_REALTIME {
  pose_ = pose;
  twist_ = Twist{};
  guard_.reset();
}

CouplingLoad HeldBody::couple() const HAPTIC_REALTIME {
  return coupling_.simulated(grasp_.frame(manipulandum_), grasp_.frame(pose_));
}

// The damper acts on the velocity of this step, not of the last one:
// wrench - D v_last, gradient + D / dt.
HeldBody::Implicit HeldBody::implicit_contact(const ContactLoad& contact) const HAPTIC_REALTIME {
  Vector6 last;
  last << twist_.linear, twist_.angular;
  const Vector6 damped = contact.damping * last;
  return {{contact.wrench.force - damped.head<3>(), contact.wrench.torque - damped.tail<3>()},
          contact.gradient + contact.damping / dt_};
}

CouplingStatus HeldBody::advance(const CouplingLoad& load, const ContactLoad& contact,
                                 Pose& next) const HAPTIC_REALTIME {
  Pose grasp = grasp_.frame(pose_);
  CouplingStatus status;
  if (dynamic_) {
    Twist twist = twist_;
    status = dynamic_->advance(coupling_.settings(), manipulandum_twist_, load, contact.wrench,
                               contact.gradient, contact.damping, grasp, twist);
  } else {
    const Implicit implicit = implicit_contact(contact);
    status =
        coupling_.advance(grasp_.frame(manipulandum_), load, implicit.wrench, implicit.gradient,
                          grasp, adjustable_.limit_cycle_guard ? guard_.factor() : 1.0);
  }
  next = grasp_.body(grasp);
  return status;
}

HeldBody::StepSystem HeldBody::prepare(const CouplingLoad& load) const HAPTIC_REALTIME {
  const CouplingSettings& settings = coupling_.settings();
  const double gap = (grasp_.frame(manipulandum_).position - grasp_.frame(pose_).position).norm();
  const double angle =
      rotation_logarithm(manipulandum_.orientation * pose_.orientation.conjugate()).norm();
  const double torque = load.wrench.torque.norm();
  StepSystem system;
  system.stiffness << Vector3::Constant(gap > 0.0 ? load.wrench.force.norm() / gap
                                                  : settings.force.stiffness),
      Vector3::Constant(angle > 1e-6 ? torque / angle : 0.5 * settings.torque.stiffness);
  const Vector6& stiffness = system.stiffness;
  system.held_back << Vector3::Constant(settings.force.stiffness * length_scale_ / kLightestHand),
      Vector3::Constant(0.5 * settings.torque.stiffness / kLightestInertia);
  system.held_back = (period_ * period_ * system.held_back).cwiseMin(1.0);
  system.load << load.wrench.force, load.wrench.torque;
  if (!dynamic_) {
    const double kept =
        (1.0 - settings.static_damping) * (adjustable_.limit_cycle_guard ? guard_.factor() : 1.0);
    system.matrix = (stiffness / kept).asDiagonal();
    system.undelayed = stiffness.asDiagonal();
    system.mass.setZero();
    return system;
  }
  Vector6& mass = system.mass;
  Vector6 damper, v0, vm;
  mass << Vector3::Constant(dynamic_->settings().mass),
      Vector3::Constant(dynamic_->settings().inertia);
  damper << Vector3::Constant(dynamic_->damping(settings)),
      Vector3::Constant(dynamic_->rotational_damping(settings));
  v0 << twist_.linear, twist_.angular;
  vm << manipulandum_twist_.linear, manipulandum_twist_.angular;
  system.matrix = (mass / (dt_ * dt_) + damper / dt_ + stiffness).asDiagonal();
  system.undelayed = system.matrix;
  system.load += mass.cwiseProduct(v0) / dt_ + damper.cwiseProduct(vm);
  return system;
}

double HeldBody::max_motion() const HAPTIC_REALTIME {
  return coupling_.settings().max_step * period_ / dt_;
}

double HeldBody::max_rotation() const HAPTIC_REALTIME {
  return coupling_.settings().max_rotation * period_ / dt_;
}

double HeldBody::way_in_air() const HAPTIC_REALTIME {
  constexpr double kSteps = 2.0 * 1.5;    // the hand may become faster
  constexpr double kAcceleration = 50.0;  // of a hand that begins to move [m/s^2]
  const auto speed = [&](const Twist& twist) HAPTIC_REALTIME {
    return twist.linear.norm() + radius_ * twist.angular.norm();
  };
  // The body may have arrived before the last of several steps.
  return kSteps * period_ *
         (std::max(speed(twist_), speed(manipulandum_twist_)) +
          kAcceleration * length_scale_ * period_);
}

HeldResponse HeldBody::response_in_air(double clearance, double arm) const HAPTIC_REALTIME {
  if (dynamic_ || coupling_.settings().static_damping > 0.0 || since_contact_s_ < kContactLasts_s) {
    return {};
  }
  HeldResponse response;
  // Counted from the body, so that it reaches the hand. Counted from the hand, the spring would
  // keep the stretch that static damping has left, and give energy for as long as the hand moves
  // back.
  response.manipulandum = pose_;
  response.free = Matrix6::Identity();
  response.max_motion = std::min(max_motion(), clearance);
  response.max_rotation = max_rotation();
  response.arm = arm;
  return response;
}

Vector6 HeldBody::excess(const Vector6& z) const HAPTIC_REALTIME {
  const CouplingSettings& settings = coupling_.settings();
  Vector6 excess;
  excess << Vector3::Constant(std::max(1.0, z.head<3>().norm() / settings.max_step)),
      Vector3::Constant(std::max(1.0, z.tail<3>().norm() / settings.max_rotation));
  return excess;
}

double HeldBody::speed_fraction() const HAPTIC_REALTIME {
  const CouplingSettings& settings = coupling_.settings();
  return dt_ * std::max(twist_.linear.norm() / settings.max_step,
                        twist_.angular.norm() / settings.max_rotation);
}

double HeldBody::felt_excess(double limit) const HAPTIC_REALTIME {
  const SpringLaw& law = coupling_.settings().force;
  const double gap = (grasp_.frame(manipulandum_).position - grasp_.frame(pose_).position).norm();
  const double given = saturated_magnitude(gap, law);
  return given > 0.0 ? std::max(0.0, std::min(law.stiffness * gap, limit) / given - 1.0) : 0.0;
}

Pose HeldBody::moved(const Vector6& z) const HAPTIC_REALTIME {
  return grasp_.body(
      {grasp_position() + z.head<3>(),
       (rotation_exponential(Vector3(z.tail<3>())) * pose_.orientation).normalized()});
}

void HeldBody::accept(const Pose& next) HAPTIC_REALTIME {
  const Twist twist = twist_between(grasp_.frame(pose_), grasp_.frame(next), dt_);
  Vector6 step;
  step << dt_ * twist.linear, dt_ * twist.angular;
  guard_.observe(step);
  twist_ = twist;
  pose_ = next;
}

HeldBodyFeel HeldBody::feel() const HAPTIC_REALTIME {
  const HandCoupling law = hand_coupling();
  return {law.wrench(manipulandum_, manipulandum_twist_, pose_, twist_),
          law.stored(manipulandum_, pose_), clutch_.force_scale()};
}

HandCoupling HeldBody::hand_coupling() const HAPTIC_REALTIME {
  HandCoupling law;
  law.home = home_;
  law.grasp = grasp_;
  law.length_scale = length_scale_;
  law.stiffness = coupling_.settings().force.stiffness;
  law.rotational_stiffness = coupling_.settings().torque.stiffness;
  if (dynamic_) {
    law.damping = dynamic_->damping(coupling_.settings());
    law.rotational_damping = dynamic_->rotational_damping(coupling_.settings());
  }
  return law;
}

void HeldBody::reset() HAPTIC_REALTIME {
  clutch_.reset();
  guard_.reset();
  twist_ = Twist{};
  since_contact_s_ = kNoContact_s;
}

}  // namespace haptic
