#include "lab/cloth/touch_reaction.h"

#include <algorithm>

namespace haptic::lab {

TouchReaction::TouchReaction(std::size_t particles) : impulse_(3 * particles, 0.0) {}

void TouchReaction::add(const cloth::GodObject& god, const Vector3& force, double stiffness,
                        double dt) HAPTIC_REALTIME {
  time_ += dt;
  const std::span<const cloth::TouchContact> contacts = god.contacts();
  if (contacts.empty()) return;
  std::size_t largest = 0;
  Vector3 rest = force;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    rest -= stiffness * contacts[i].share * contacts[i].normal;
    if (contacts[i].share > contacts[largest].share) largest = i;
  }
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    Vector3 part = stiffness * contacts[i].share * contacts[i].normal;
    if (i == largest) part += rest;
    const std::array<std::uint32_t, 3>& t = god.triangles()[contacts[i].triangle];
    for (std::size_t k = 0; k < 3; ++k) {
      cloth::at(impulse_, t[k]) -= dt * contacts[i].weights[static_cast<Eigen::Index>(k)] * part;
    }
  }
}

void TouchReaction::take(std::span<double> f) HAPTIC_REALTIME {
  if (time_ > 0.0) {
    for (std::size_t i = 0; i < impulse_.size(); ++i) f[i] += impulse_[i] / time_;
  }
  std::fill(impulse_.begin(), impulse_.end(), 0.0);
  time_ = 0.0;
}

}  // namespace haptic::lab
