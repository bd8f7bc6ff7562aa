#include "rt/worlds/cloth/tethers.h"

#include <algorithm>

namespace haptic::cloth {
namespace {

template <class Tether>
std::size_t without(std::uint32_t particle, std::span<Tether> tethers) HAPTIC_REALTIME {
  std::size_t kept = 0;
  for (std::size_t k = 0; k < tethers.size(); ++k) {
    if (tethers[k].particle == particle) continue;
    if (kept != k) tethers[kept] = tethers[k];
    ++kept;
  }
  return kept;
}

}  // namespace

Vector3 constraint_force(const SphereConstraint& constraint, double mass, const Vector3& x,
                         const Vector3& v, const Vector3& f) HAPTIC_REALTIME {
  const Vector3 p = x - constraint.centre;
  const double square = p.squaredNorm();
  if (square == 0.0) return Vector3::Zero();
  const double C = 0.5 * (square - constraint.radius * constraint.radius), rate = p.dot(v);
  const double feedback = constraint.stiffness * C + constraint.damping * rate;
  return -(f.dot(p) + mass * (v.squaredNorm() + feedback)) / square * p;
}

Tethers::Tethers(std::size_t capacity) : springs_(capacity), spheres_(capacity) {}

bool Tethers::add(const TargetSpring& spring) HAPTIC_REALTIME {
  if (spring_count_ == springs_.size()) return false;
  springs_[spring_count_++] = spring;
  return true;
}

bool Tethers::add(const SphereConstraint& constraint) HAPTIC_REALTIME {
  if (sphere_count_ == spheres_.size()) return false;
  spheres_[sphere_count_++] = constraint;
  return true;
}

void Tethers::remove(std::uint32_t particle) HAPTIC_REALTIME {
  spring_count_ = without(particle, std::span(springs_.data(), spring_count_));
  sphere_count_ = without(particle, std::span(spheres_.data(), sphere_count_));
}

void Tethers::add_to(std::span<const double> masses, std::span<const double> x,
                     std::span<const double> v, std::span<double> f) const HAPTIC_REALTIME {
  for (const TargetSpring& spring : springs()) {
    const std::size_t i = spring.particle;
    at(f, i) += spring.stiffness * (spring.target - at(x, i)) - spring.damping * at(v, i);
  }
  for (const SphereConstraint& sphere : spheres()) {
    const std::size_t i = sphere.particle;
    at(f, i) += constraint_force(sphere, masses[i], at(x, i), at(v, i), at(f, i));
  }
}

double Tethers::energy(std::span<const double> x) const HAPTIC_REALTIME {
  double sum = 0.0;
  for (const TargetSpring& spring : springs()) {
    sum += 0.5 * spring.stiffness * (spring.target - at(x, spring.particle)).squaredNorm();
  }
  return sum;
}

}  // namespace haptic::cloth
