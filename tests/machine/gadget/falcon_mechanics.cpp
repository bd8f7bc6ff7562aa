#include "tests/machine/gadget/falcon_mechanics.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace haptic::machine {
namespace {

constexpr double kMass = 0.15;    // kg, grip and arms seen at the grip
constexpr double kDamping = 1.0;  // N·s/m
constexpr double kRadius = 0.05;  // m, box about (0, 0, kCentre)
constexpr double kCentre = 0.125;
constexpr double kStep = 0.0005;  // s

}  // namespace

FalconMechanics::Vector FalconMechanics::angles(const Vector& position) {
  constexpr double a = .060, b = .1025, c = .01443, d = .01125, e = .01125, f = -.025, r = .0400,
                   s = -.02309;
  constexpr double legs[3] = {105, -15, -135};
  Vector result{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double phi = legs[i] * std::numbers::pi / 180;
    const double pu = std::cos(phi) * position[0] + std::sin(phi) * position[1] - r;
    const double pv = -std::sin(phi) * position[0] + std::cos(phi) * position[1] - s;
    const double pw = position[2];
    const double theta3 = std::acos((pv + f) / b);
    const double L = d + e + b * std::sin(theta3);
    const double R = std::hypot(pu + c, pw);
    const double K = (R * R + a * a - L * L) / (2 * a);
    result[i] = std::atan2(pw, pu + c) - std::acos(K / R);
  }
  return result;
}

std::array<int, 3> FalconMechanics::counts(const Vector& angles) {
  constexpr double kPerDegree = 1280.0 / 360.0 * (.110 / .01425);
  std::array<int, 3> result{};
  for (std::size_t i = 0; i < 3; ++i)
    result[i] =
        static_cast<int>(std::lround((angles[i] * 180 / std::numbers::pi - 35) * kPerDegree));
  return result;
}

void FalconMechanics::advance(double seconds, const Vector& torques) {
  const int steps = static_cast<int>(std::ceil(std::clamp(seconds, 0.0, 0.5) / kStep));
  for (int i = 0; i < steps; ++i) step(std::clamp(seconds, 0.0, 0.5) / steps, torques);
}

void FalconMechanics::step(double dt, const Vector& torques) {
  constexpr double h = 1e-6;
  const double hand_damping = 2 * std::sqrt(hand_stiffness_ * kMass);
  Vector force{};
  for (std::size_t j = 0; j < 3; ++j) {
    Vector ahead = position_;
    Vector behind = position_;
    ahead[j] += h;
    behind[j] -= h;
    const Vector plus = angles(ahead);
    const Vector minus = angles(behind);
    for (std::size_t i = 0; i < 3; ++i) force[j] += torques[i] * (plus[i] - minus[i]) / (2 * h);
    force[j] += hand_stiffness_ * (hand_[j] - position_[j]);
  }
  for (std::size_t j = 0; j < 3; ++j) {
    // Implicit in the damping.
    speed_[j] = (speed_[j] + force[j] / kMass * dt) / (1 + (kDamping + hand_damping) / kMass * dt);
    const double middle = j == 2 ? kCentre : 0;
    const double next = position_[j] + speed_[j] * dt;
    position_[j] = std::clamp(next, middle - kRadius, middle + kRadius);
    if (position_[j] != next) speed_[j] = 0;
  }
}

}  // namespace haptic::machine
