#include "rt/worlds/cloth/point_hand.h"

#include <algorithm>
#include <cmath>

namespace haptic::cloth {

namespace {

/// Where the point is put when it lets go of a particle, in radii from it along the normal.
constexpr double kBeside = 2.0;
/// In which a particle that is grabbed comes to the hand [s].
constexpr double kGather_s = 0.1;

}  // namespace

PointHand::PointHand(const std::vector<std::array<std::uint32_t, 3>>& triangles,
                     std::size_t particles, const NearTriangles& near, const Settings& settings,
                     double dt)
    : god_(triangles, near, settings.touch),
      shading_(triangles, particles, 1.0, settings.shading),
      fans_(triangles, particles),
      grip_(settings.grip, dt),
      settings_(settings.touch),
      gather_(std::exp(-dt / kGather_s)),
      shaded_(settings.shading != ForceShading::kNone) {}

bool PointHand::place(const Vector3& p, std::span<const double> x) HAPTIC_REALTIME {
  if (!god_.place(p, x)) return false;
  grip_.reset();
  last_held_.reset();
  position_ = device_ = p;
  contact_count_ = 0;
  return true;
}

TouchResult PointHand::move_god(std::span<const double> x) HAPTIC_REALTIME {
  const Vector3 from = god_.position();
  return god_.move_to(from + fraction_ * (device_ - from), x);
}

TouchResult PointHand::approach(const Vector3& device, std::uint64_t buttons, double fraction,
                                double stiffness, std::span<const double> x) HAPTIC_REALTIME {
  if (!device.allFinite()) return TouchResult::kNotFinite;
  device_ = device;
  fraction_ = fraction;
  stiffness_ = stiffness;
  const bool touches = grip_.held() || !god_.contacts().empty();
  grip_.update(buttons, device, x, touches ? stiffness * (device - position_).norm() : 0.0);
  if (last_held_ && !grip_.held()) let_go(x);
  // At first the hand feels what it felt; then the particle comes to it.
  if (!last_held_ && grip_.held()) offset_ = at(x, *grip_.held()) - position_;
  last_held_ = grip_.held();
  contact_count_ = 0;
  if (grip_.held()) {
    offset_ *= gather_;
    position_ = at(x, *grip_.held()) - offset_;
    return TouchResult::kDone;
  }
  const TouchResult result = move_god(x);
  position_ = god_.position();
  if (result != TouchResult::kNotFinite) set_contacts(stiffness);
  return result;
}

/// Where it was, or beside the particle, on the hand's side of the cloth or, if that is not free,
/// on the other. If no place is free, the god-object stays where it was when it took hold, carried
/// along since.
void PointHand::let_go(std::span<const double> x) HAPTIC_REALTIME {
  const Vector3 p = at(x, *last_held_), n = fans_.normal(*last_held_, x);
  const double side = n.dot(device_ - p) >= 0.0 ? 1.0 : -1.0;
  const Vector3 aside = side * kBeside * settings_.radius * n;
  for (const Vector3& place :
       {Vector3(position_ + aside), Vector3(p + aside), Vector3(p - aside)}) {
    if (god_.place(place, x)) break;
  }
  position_ = god_.position();
}

/// The way from the hand to the god-object along each plane's normal, as contacts whose overlap it
/// is. The god-object has gone `fraction` of its way, and the shares of the planes grow with that.
void PointHand::set_contacts(double stiffness) HAPTIC_REALTIME {
  Vector3 lag = position_ - device_;
  const std::span<const TouchContact> touched = god_.contacts();
  std::size_t largest = 0;
  for (std::size_t i = 0; i < touched.size(); ++i) {
    const std::array<std::uint32_t, 3>& t = god_.triangles()[touched[i].triangle];
    ClothContact& contact = contacts_[contact_count_++];
    contact = {};
    contact.particles = t;
    contact.count = 3;
    for (std::size_t k = 0; k < 3; ++k) {
      contact.weights[k] = touched[i].weights[static_cast<Eigen::Index>(k)];
    }
    contact.normal = -touched[i].normal;
    contact.gap = -touched[i].share / fraction_;
    contact.stiffness = stiffness;
    contact.last_normal_force = -stiffness * contact.gap;
    lag -= touched[i].share / fraction_ * touched[i].normal;
    if (touched[i].share > touched[largest].share) largest = i;
  }
  if (contact_count_ == 0) return;
  // Friction, at the plane that is pressed most.
  ClothContact& most = contacts_[largest];
  most.friction = settings_.friction;
  most.stretch = lag - lag.dot(most.normal) * most.normal;
}

std::optional<TargetSpring> PointHand::spring() const HAPTIC_REALTIME {
  if (!grip_.held()) return {};
  return TargetSpring{*grip_.held(), device_ + offset_, stiffness_, 0.0};
}

TouchResult PointHand::follow(std::span<const double> before,
                              std::span<const double> x) HAPTIC_REALTIME {
  TouchResult result = god_.carry(before, x);
  if (result == TouchResult::kNotFinite) return result;
  if (grip_.held()) {
    position_ = at(x, *grip_.held()) - offset_;
    return TouchResult::kDone;
  }
  if (!god_.contacts().empty()) result = move_god(x);
  position_ = god_.position();
  return result;
}

Vector3 PointHand::rendered(std::span<const double> x) const HAPTIC_REALTIME {
  if (!shaded_ || grip_.held() || god_.contacts().empty()) return position_;
  return device_ + shading_.force(god_, device_, x);  // of a spring of 1 N/m
}

HeldResponse PointHand::response(const Pose& manipulandum, const HeldBody::StepSystem& system,
                                 const CouplingSettings& settings) const HAPTIC_REALTIME {
  HeldResponse response;
  response.manipulandum = manipulandum;
  // Rotations follow the hand.
  response.free.bottomRightCorner<3, 3>().setIdentity();
  response.max_motion = settings.max_step;
  response.max_rotation = settings.max_rotation;
  if (grip_.held()) return response;  // the particle stays where it is
  const Vector3 held_back = system.held_back.head<3>();
  response.free.topLeftCorner<3, 3>() = (Vector3::Ones() - held_back).asDiagonal();
  const std::span<const TouchContact> touched = god_.contacts();
  if (touched.empty()) return response;
  // Orthonormal directions that the planes hold.
  Matrix3 held = Matrix3::Zero();
  double pressure = 0.0;
  Vector3 push = Vector3::Zero();
  for (const TouchContact& contact : touched) {
    const Vector3 rest = contact.normal - held * contact.normal;
    const double length = rest.norm();
    if (length > 1e-6) held += rest * rest.transpose() / (length * length);
    push += contact.share / fraction_ * contact.normal;
    pressure += contact.share / fraction_;
  }
  if (!(pressure > 0.0)) return response;
  // Normal to the planes nothing is held back: they stop the point, or it leaves them with the
  // hand. Tangentially a part of its motion is held back; with friction it sticks, up to the limit.
  const Matrix3 left = Matrix3::Identity() - held;
  const Matrix3 along = left * (Vector3::Ones() - held_back).asDiagonal() * left;
  response.free.topLeftCorner<3, 3>() = held + along;
  response.contact.topLeftCorner<3, 3>() =
      settings_.friction > 0.0 ? Matrix3(-held - along) : Matrix3(-held);
  response.pushed.head<3>() = settings_.friction > 0.0 ? Vector3(position_ - device_) : push;
  response.release.head<3>() = -push / push.squaredNorm();
  response.reach = push.norm() * std::hypot(1.0, settings_.friction);
  return response;
}

}  // namespace haptic::cloth
