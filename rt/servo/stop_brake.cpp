#include "rt/servo/stop_brake.h"

#include <algorithm>
#include <cmath>

namespace haptic {
namespace {

constexpr double kLightestHandle = 0.05;  // kg
constexpr double kShareOfForce = 0.05;    // one encoder count's step of force
constexpr double kRestSpeed = 0.01;       // m/s
constexpr double kRestTurn = 0.2;         // rad/s

double safe_damping(const PassivitySettings& settings, const DeviceCapabilities& device,
                    double dt) {
  double b = std::min(settings.max_damping, 0.5 * kLightestHandle / dt);
  if (device.resolution > 0.0) {
    b = std::min(b, kShareOfForce * device.max_force * dt / device.resolution);
  }
  return b;
}

void shorten(Vector3& v, double most) HAPTIC_REALTIME {
  const double norm = v.norm();
  if (norm > most) v *= most / norm;
}

}  // namespace

StopBrake::StopBrake(const PassivitySettings& settings, const DeviceCapabilities& device, double dt)
    : damping_(safe_damping(settings, device, dt)),
      rotational_damping_(settings.length * settings.length * damping_),
      torque_(device.actuated_freedoms >= 6),
      rest_speed_(std::max(kRestSpeed, 2.0 * device.resolution / dt)) {}

void StopBrake::begin(const Pose& hand) HAPTIC_REALTIME {
  hand_ = hand;
  held_ = Wrench{};
  taken_ = 0.0;
}

void StopBrake::observe(const Pose& hand) HAPTIC_REALTIME {
  double given = held_.force.dot(hand.position - hand_.position);
  if (torque_) {
    given += held_.torque.dot(rotation_logarithm(hand.orientation * hand_.orientation.conjugate()));
  }
  hand_ = hand;
  if (std::isfinite(given)) taken_ -= given;
}

Wrench StopBrake::wrench(const Twist& hand, double most_force, double most_torque) HAPTIC_REALTIME {
  held_ = Wrench{};
  if (taken_ < 0.0) return held_;
  held_.force = -damping_ * hand.linear;
  shorten(held_.force, most_force);
  if (torque_) {
    held_.torque = -rotational_damping_ * hand.angular;
    shorten(held_.torque, most_torque);
  }
  return held_;
}

bool StopBrake::at_rest(const Twist& hand) const HAPTIC_REALTIME {
  return hand.linear.norm() <= rest_speed_ && hand.angular.norm() <= kRestTurn;
}

}  // namespace haptic
