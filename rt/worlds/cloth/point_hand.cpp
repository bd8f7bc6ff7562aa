#include "rt/worlds/cloth/point_hand.h"

#include <algorithm>
#include <cmath>

namespace haptic::cloth {

namespace {

/// Where the point is put when it lets go of a particle, in radii from it along the normal.
constexpr double kBeside = 2.0;
/// In which a particle that is grabbed comes to the hand [s].
constexpr double kGather_s = 0.1;
/// Neighbours of the touched triangles count within so many radii, and the point's last way.
constexpr double kNear = 2.0;
/// Part of the friction limit below which the point counts as sticking.
constexpr double kSticking = 0.99;

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
  position_ = device_ = approached_ = p;
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
  if (result != TouchResult::kNotFinite) {
    set_contacts(stiffness);
    set_point(stiffness, x);
  }
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
  position_ = approached_ = god_.position();
}

/// The way from the hand to the god-object along each plane's normal, as contacts whose overlap it
/// is. The god-object has gone `fraction` of its way, and the shares of the planes grow with that.
void PointHand::set_contacts(double stiffness) HAPTIC_REALTIME {
  Vector3 lag = position_ - device_;
  const std::span<const TouchContact> touched = god_.contacts();
  double pressure = 0.0;
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
    pressure += touched[i].share;
  }
  // Friction, on each plane by its pressure: continuous where planes are pressed alike.
  for (std::size_t i = 0; i < contact_count_ && pressure > 0.0; ++i) {
    ClothContact& contact = contacts_[i];
    contact.friction = settings_.friction;
    contact.part = touched[i].share / pressure;
    contact.stretch = contact.part * (lag - lag.dot(contact.normal) * contact.normal);
  }
}

/// All planes that hold the point, and those of neighbours that it may come to within the step.
void PointHand::set_point(double stiffness, std::span<const double> x) HAPTIC_REALTIME {
  const double reach = kNear * settings_.radius + (position_ - approached_).norm();
  approached_ = position_;
  if (contact_count_ == 0) return;
  point_.lag = position_ - device_;
  point_.stiffness = stiffness;
  point_.friction = settings_.friction;
  point_.count = 0;
  const auto add = [&](std::uint32_t triangle, const Vector3& weights, const Vector3& normal,
                       double offset, double part) HAPTIC_REALTIME {
    point_.planes[point_.count++] = {
        god_.triangles()[triangle], {weights[0], weights[1], weights[2]}, normal, offset, part};
  };
  double pressure = 0.0;
  for (const TouchContact& contact : god_.contacts()) pressure += contact.share;
  for (const TouchContact& contact : god_.contacts()) {
    add(contact.triangle, contact.weights, contact.normal, 0.0,
        pressure > 0.0 ? contact.share / pressure : 0.0);
  }
  std::array<NearPlane, PointContact::kMaxPlanes - 3> near;
  const std::size_t found = god_.neighbours(x, reach, near);
  for (const NearPlane& plane : std::span(near).first(found)) {
    add(plane.triangle, plane.weights, plane.normal, -plane.gap, 0.0);
  }
  point_.make_up();
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
                                 const CouplingSettings& settings,
                                 const Matrix3& cloth) const HAPTIC_REALTIME {
  HeldResponse response;
  response.manipulandum = manipulandum;
  // Rotations follow the hand.
  response.free.bottomRightCorner<3, 3>().setIdentity();
  response.max_motion = settings.max_step;
  response.max_rotation = settings.max_rotation;
  if (grip_.held()) return response;  // the particle stays where it is
  response.free.topLeftCorner<3, 3>().setIdentity();
  response.late.head<3>() = system.held_back.head<3>();
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
  // Along the normals of the planes the point goes with the cloth, or it leaves them with the hand.
  // Tangentially it sticks to the cloth, or slides: then its lag follows the depth.
  const Matrix3 stops = held * cloth - held;
  const double depth = push.norm();
  // Of the way beside the normals what friction holds: a point on its way is behind the hand too.
  const double limit = settings_.friction * depth;
  const Vector3 beside = position_ - device_ - push;
  const Vector3 lag = limited(beside, limit);
  const bool sticks = beside.norm() < kSticking * limit;
  const Matrix3 Y =
      sticks
          ? cloth
          : Matrix3(Matrix3::Identity() + stops + lag * push.transpose() * stops / (depth * depth));
  response.contact.topLeftCorner<3, 3>() = Y - Matrix3::Identity();
  response.pushed.head<3>() = push + lag;
  response.release.head<3>() =
      -(Matrix3::Identity() - cloth).transpose() * push / push.squaredNorm();
  response.reach = push.norm() * std::hypot(1.0, settings_.friction);
  return response;
}

}  // namespace haptic::cloth
