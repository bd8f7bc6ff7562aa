#include "rt/worlds/cloth/particle_constraints.h"

#include <algorithm>

#include "shared/assert.h"
#include "shared/error.h"

namespace haptic::cloth {

ParticleConstraints::ParticleConstraints(std::span<const double> masses)
    : masses_(masses.begin(), masses.end()),
      inverse_masses_(masses.size()),
      hold_(masses.size(), Hold::kFree),
      held_(masses.size()),
      point_(3 * masses.size()),
      direction_(3 * masses.size()),
      radius_(masses.size()),
      turning_stiffness_(masses.size()) {
  for (std::size_t i = 0; i < masses.size(); ++i) {
    HAPTIC_DEMAND(masses[i] > 0.0);
    inverse_masses_[i] = 1.0 / masses[i];
  }
}

void ParticleConstraints::set(std::size_t particle, Hold hold) HAPTIC_REALTIME {
  HAPTIC_ASSERT(particle < hold_.size());
  const bool was_held = hold_[particle] != Hold::kFree, is_held = hold != Hold::kFree;
  hold_[particle] = hold;
  turning_stiffness_[particle] = 0.0;
  const bool fixed = hold == Hold::kPinned || hold == Hold::kFollowing;
  inverse_masses_[particle] = fixed ? 0.0 : 1.0 / masses_[particle];
  if (was_held == is_held) return;
  const auto begin = held_.begin(), end = begin + static_cast<std::ptrdiff_t>(held_count_);
  const auto place = std::lower_bound(begin, end, particle);
  if (is_held) {
    std::copy_backward(place, end, end + 1);
    *place = static_cast<std::uint32_t>(particle);
    ++held_count_;
  } else {
    std::copy(place + 1, end, place);
    --held_count_;
  }
}

void ParticleConstraints::pin(std::size_t particle, const Vector3& position) HAPTIC_REALTIME {
  set(particle, Hold::kPinned);
  at(point_, particle) = position;
}

void ParticleConstraints::keep_in_plane(std::size_t particle, const Vector3& point,
                                        const Vector3& n) HAPTIC_REALTIME {
  set(particle, Hold::kPlane);
  at(point_, particle) = point;
  at(direction_, particle) = n;
}

void ParticleConstraints::keep_on_line(std::size_t particle, const Vector3& point,
                                       const Vector3& d) HAPTIC_REALTIME {
  set(particle, Hold::kLine);
  at(point_, particle) = point;
  at(direction_, particle) = d;
}

void ParticleConstraints::keep_on_sphere(std::size_t particle, const Vector3& centre,
                                         double radius) HAPTIC_REALTIME {
  set(particle, Hold::kSphere);
  at(point_, particle) = centre;
  radius_[particle] = radius;
}

void ParticleConstraints::follow(std::size_t particle, const Vector3& position,
                                 const Vector3& target) HAPTIC_REALTIME {
  set(particle, Hold::kFollowing);
  at(point_, particle) = target;
  at(direction_, particle) = position;
}

void ParticleConstraints::set_target(std::size_t particle, const Vector3& target) HAPTIC_REALTIME {
  HAPTIC_ASSERT(hold_[particle] == Hold::kFollowing);
  at(point_, particle) = target;
}

void ParticleConstraints::release(std::size_t particle) HAPTIC_REALTIME {
  set(particle, Hold::kFree);
}

void ParticleConstraints::filter(std::size_t particle,
                                 Eigen::Map<Vector3> vector) const HAPTIC_REALTIME {
  const Vector3 direction = at(direction_, particle);
  switch (hold_[particle]) {
    case Hold::kFree:
      return;
    case Hold::kPlane:
    case Hold::kSphere:
      vector -= vector.dot(direction) * direction;
      return;
    case Hold::kLine:
      vector = (vector.dot(direction) * direction).eval();
      return;
    case Hold::kPinned:
    case Hold::kFollowing:
      vector.setZero();
      return;
  }
}

/// The tension T = f . n + m v^2 / R turns with the particle: T / R against motion along the
/// sphere. A push is left out, as of a spring that is compressed.
void ParticleConstraints::set_spheres(std::span<const double> x, std::span<const double> v,
                                      std::span<const double> f) HAPTIC_REALTIME {
  for (std::size_t k = 0; k < held_count_; ++k) {
    const std::size_t i = held_[k];
    if (hold_[i] != Hold::kSphere) continue;
    const Vector3 from = at(x, i) - at(point_, i);
    const double length = from.norm();
    if (length > 0.0) at(direction_, i) = from / length;
    const double tension =
        at(f, i).dot(at(direction_, i)) + masses_[i] * at(v, i).squaredNorm() / radius_[i];
    turning_stiffness_[i] = std::max(0.0, tension) / radius_[i];
  }
}

void ParticleConstraints::filter(std::span<double> vectors) const HAPTIC_REALTIME {
  for (std::size_t k = 0; k < held_count_; ++k) filter(held_[k], at(vectors, held_[k]));
}

void ParticleConstraints::project(std::span<double> x, std::span<double> v,
                                  double dt) HAPTIC_REALTIME {
  for (std::size_t k = 0; k < held_count_; ++k) {
    const std::size_t i = held_[k];
    const Vector3 point = at(point_, i), direction = at(direction_, i);
    const Vector3 from = at(x, i) - point;
    switch (hold_[i]) {
      case Hold::kFree:
        break;
      case Hold::kPlane:
        at(x, i) -= from.dot(direction) * direction;
        filter(i, at(v, i));
        break;
      case Hold::kSphere: {
        const double length = from.norm();
        if (length > 0.0) at(direction_, i) = from / length;
        at(x, i) = point + radius_[i] * at(direction_, i);
        filter(i, at(v, i));
        break;
      }
      case Hold::kLine:
        at(x, i) = point + from.dot(direction) * direction;
        filter(i, at(v, i));
        break;
      case Hold::kPinned:
        at(x, i) = point;
        at(v, i).setZero();
        break;
      case Hold::kFollowing:
        at(x, i) = point;
        at(v, i) = (point - direction) / dt;
        at(direction_, i) = point;
        break;
    }
  }
}

namespace {

GridSize grid_of(const ClothMesh& mesh) {
  if (!mesh.grid)
    throw InputError("", "pins", "a mesh that is no grid", "a grid, or vertices by number");
  return *mesh.grid;
}

}  // namespace

std::vector<std::uint32_t> grid_corners(const ClothMesh& mesh) {
  const auto [nx, ny] = grid_of(mesh);
  return {0, nx - 1, (ny - 1) * nx, ny * nx - 1};
}

std::vector<std::uint32_t> grid_border(const ClothMesh& mesh, GridBorder border) {
  const auto [nx, ny] = grid_of(mesh);
  const bool along_x = border == GridBorder::kBottom || border == GridBorder::kTop;
  const std::uint32_t first = border == GridBorder::kTop     ? (ny - 1) * nx
                              : border == GridBorder::kRight ? nx - 1
                                                             : 0;
  std::vector<std::uint32_t> ids;
  for (std::uint32_t k = 0; k < (along_x ? nx : ny); ++k)
    ids.push_back(first + k * (along_x ? 1 : nx));
  return ids;
}

std::vector<std::uint32_t> border_corners(const ClothMesh& mesh, GridBorder border) {
  const std::vector<std::uint32_t> ids = grid_border(mesh, border);
  return {ids.front(), ids.back()};
}

}  // namespace haptic::cloth
