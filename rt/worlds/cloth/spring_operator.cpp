#include "rt/worlds/cloth/spring_operator.h"

#include <algorithm>

#include "shared/assert.h"

namespace haptic {

SpringOperator::SpringOperator(const Springs& springs, std::size_t particles)
    : first_(springs.first),
      second_(springs.second),
      direction_(3 * springs.size()),
      across_(springs.size()),
      along_(springs.size()),
      elastic_(springs.size()),
      own_(particles),
      anchored_(particles),
      diagonal_(particles) {}

void SpringOperator::set(const ClothSystem& system, std::span<const double> x, Scales scales,
                         std::span<const unsigned char> left_out) HAPTIC_REALTIME {
  HAPTIC_ASSERT(left_out.empty() || left_out.size() == first_.size());
  const double of_drag = scales.damping * system.surroundings().air.drag;
  for (std::size_t i = 0; i < own_.size(); ++i) {
    own_[i] = scales.mass * system.masses()[i] + of_drag;
    anchored_[i] = 0.0;
  }
  for (const TargetSpring& spring : system.tethers().springs()) {
    anchored_[spring.particle] += scales.stiffness * spring.stiffness;
    own_[spring.particle] += scales.damping * spring.damping + scales.stiffness * spring.stiffness;
  }
  std::copy(own_.begin(), own_.end(), diagonal_.begin());
  for (std::size_t s = 0; s < first_.size(); ++s) {
    if (!left_out.empty() && left_out[s] != 0) {
      across_[s] = along_[s] = elastic_[s] = 0.0;
      continue;
    }
    const SpringForces::Gradient gradient = system.springs().gradient(x, s);
    at(direction_, s) = gradient.u;
    across_[s] = scales.stiffness * gradient.across;
    elastic_[s] = scales.stiffness * (gradient.along - gradient.across);
    along_[s] = elastic_[s] + scales.damping * gradient.damping;
    const double mean = across_[s] + along_[s] / 3.0;
    diagonal_[first_[s]] += mean;
    diagonal_[second_[s]] += mean;
  }
}

void SpringOperator::add_springs(std::span<const double> along, std::span<const double> z,
                                 std::span<double> y) const HAPTIC_REALTIME {
  for (std::size_t s = 0; s < first_.size(); ++s) {
    const std::size_t i = first_[s], j = second_[s];
    const Vector3 u = at(direction_, s), apart = at(z, i) - at(z, j);
    const Vector3 part = across_[s] * apart + along[s] * u.dot(apart) * u;
    at(y, i) += part;
    at(y, j) -= part;
  }
}

void SpringOperator::multiply(std::span<const double> z,
                              std::span<double> y) const HAPTIC_REALTIME {
  for (std::size_t i = 0; i < own_.size(); ++i) at(y, i) = own_[i] * at(z, i);
  add_springs(along_, z, y);
}

void SpringOperator::multiply_stiffness(std::span<const double> z,
                                        std::span<double> y) const HAPTIC_REALTIME {
  for (std::size_t i = 0; i < own_.size(); ++i) at(y, i) = anchored_[i] * at(z, i);
  add_springs(elastic_, z, y);
}

}  // namespace haptic
