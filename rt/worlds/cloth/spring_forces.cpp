#include "rt/worlds/cloth/spring_forces.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "shared/assert.h"

namespace haptic::cloth {
namespace {

/// Share of the rest length below which a spring has no direction.
constexpr double kNoDirection = 1e-12;

std::size_t particles_of(const Springs& springs) {
  std::uint32_t most = 0;
  for (const std::uint32_t i : springs.first) most = std::max(most, i + 1);
  for (const std::uint32_t j : springs.second) most = std::max(most, j + 1);
  return most;
}

}  // namespace

SpringForces::SpringForces(Springs springs)
    : springs_(std::move(springs)),
      bands_(springs_, particles_of(springs_)),
      x_(particles_of(springs_)),
      v_(particles_of(springs_)),
      plus_(particles_of(springs_)),
      minus_(particles_of(springs_)) {
  set_slots();
  const auto begin = springs_.kind.begin(), end = springs_.kind.end();
  const auto strip = std::find(begin, end, SpringKind::kInterlaced);
  strips_from_ = static_cast<std::size_t>(strip - begin);
  HAPTIC_DEMAND(std::all_of(strip, end, [](auto kind) { return kind == SpringKind::kInterlaced; }));
  for (std::size_t s = strips_from_; s < springs_.size(); ++s) {
    strips_.emplace_back(springs_.rest[s], springs_.bending[s], springs_.stiffness[s]);
  }
}

SpringForces::Pull SpringForces::pull(std::size_t spring, double length) const HAPTIC_REALTIME {
  if (spring >= strips_from_) {
    const BucklingStrip::State strip = strips_[spring - strips_from_].at(length);
    return {strip.tension, strip.stiffness, strip.energy};
  }
  const double longer = length - springs_.rest[spring];
  if (longer < 0.0 && springs_.kind[spring] == SpringKind::kSequential) return {0.0, 0.0, 0.0};
  const double k = springs_.stiffness[spring];
  return {k * longer, k, 0.5 * k * longer * longer};
}

std::size_t SpringForces::add_to(std::span<const double> x, std::span<const double> v,
                                 std::span<double> f) const HAPTIC_REALTIME {
  std::size_t left_out = add_bands(x, v, f);
  for (const std::uint32_t s : bands_.loose()) {
    const std::size_t i = springs_.first[s], j = springs_.second[s];
    const Vector3 d = at(x, i) - at(x, j);
    const double length = std::sqrt(d.squaredNorm());
    Vector3 force = -plate(s) * d;
    if (length <= kNoDirection * springs_.rest[s]) {
      ++left_out;
    } else {
      const Vector3 u = d / length;
      const double closing = (at(v, j) - at(v, i)).dot(u);
      force += (springs_.damping[s] * closing - pull(s, length).tension) * u;
    }
    at(f, i) += force;
    at(f, j) -= force;
  }
  return left_out;
}

double SpringForces::energy(std::span<const double> x) const HAPTIC_REALTIME {
  double sum = 0.0;
  for (std::size_t s = 0; s < springs_.size(); ++s) {
    const Vector3 d = at(x, springs_.first[s]) - at(x, springs_.second[s]);
    sum += pull(s, std::sqrt(d.squaredNorm())).energy + 0.5 * plate(s) * d.squaredNorm();
  }
  return sum;
}

double SpringForces::dissipation(std::span<const double> x,
                                 std::span<const double> v) const HAPTIC_REALTIME {
  double sum = 0.0;
  for (std::size_t s = 0; s < springs_.size(); ++s) {
    const std::size_t i = springs_.first[s], j = springs_.second[s];
    const Vector3 d = at(x, i) - at(x, j);
    const double length = std::sqrt(d.squaredNorm());
    if (length <= kNoDirection * springs_.rest[s]) continue;
    const double closing = (at(v, j) - at(v, i)).dot(d) / length;
    sum += springs_.damping[s] * closing * closing;
  }
  return sum;
}

SpringForces::Gradient SpringForces::gradient(std::span<const double> x, std::size_t spring,
                                              bool exact) const HAPTIC_REALTIME {
  const Vector3 d = at(x, springs_.first[spring]) - at(x, springs_.second[spring]);
  const double length = std::sqrt(d.squaredNorm());
  Gradient gradient;
  gradient.along = gradient.across = plate(spring);
  if (length <= kNoDirection * springs_.rest[spring]) return gradient;
  const Pull of = pull(spring, length);
  gradient.u = d / length;
  gradient.along += of.stiffness;
  gradient.across += exact ? of.tension / length : std::max(of.tension / length, 0.0);
  gradient.damping = springs_.damping[spring];
  return gradient;
}

}  // namespace haptic::cloth
