#include "rt/worlds/cloth/cloth_system.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "shared/error.h"

namespace haptic::cloth {
namespace {

std::vector<double> checked_masses(std::vector<double> masses) {
  for (std::size_t i = 0; i < masses.size(); ++i) {
    if (std::isfinite(masses[i]) && masses[i] > 0.0) continue;
    throw InputError("", fmt::format("particle {}", i), fmt::format("mass {} kg", masses[i]),
                     "a number > 0 [kg]");
  }
  return masses;
}

void require_index(const char* what, std::size_t number, std::uint32_t index, std::size_t size) {
  if (index < size) return;
  throw InputError("", fmt::format("{} {}", what, number), fmt::format("particle {}", index),
                   fmt::format("a number below {}", size));
}

/// Before memory is sized by what the springs name.
Springs checked_springs(Springs springs, std::size_t size) {
  for (std::size_t s = 0; s < springs.size(); ++s) {
    require_index("spring", s, springs.first[s], size);
    require_index("spring", s, springs.second[s], size);
  }
  return springs;
}

}  // namespace

ClothSystem::ClothSystem(std::vector<double> masses, Springs springs,
                         std::vector<std::array<std::uint32_t, 3>> triangles,
                         ClothSurroundings surroundings, std::size_t tethers)
    : masses_(checked_masses(std::move(masses))),
      springs_(checked_springs(std::move(springs), masses_.size())),
      triangles_(std::move(triangles)),
      surroundings_(std::move(surroundings)),
      constraints_(masses_),
      tethers_(tethers),
      applied_(3 * masses_.size(), 0.0) {
  if (!surroundings_.gravity.allFinite()) {
    throw InputError("", "gravity", "a component that is not finite", "three numbers [m/s^2]");
  }
  check_air(surroundings_.air);
  for (std::size_t t = 0; t < triangles_.size(); ++t) {
    for (const std::uint32_t corner : triangles_[t]) require_index("triangle", t, corner, size());
  }
}

void ClothSystem::set_external_forces(std::span<const double> x, std::span<const double> v,
                                      double time, std::span<double> f) HAPTIC_REALTIME {
  for (std::size_t i = 0; i < size(); ++i) {
    at(f, i) = masses_[i] * surroundings_.gravity + at(applied_, i);
  }
  add_drag_and_gust(surroundings_.air, masses_, x, v, time, f);
  std::fill(wind_damping_.begin(), wind_damping_.end(), SymmetricBlock{});
  add_wind(surroundings_.air.wind, triangles_, x, v, f, wind_damping_);
}

void ClothSystem::forces_without_springs(std::span<const double> x, std::span<const double> v,
                                         double time, std::span<double> f) HAPTIC_REALTIME {
  set_external_forces(x, v, time, f);
  constraints_.set_spheres(x, v, f);
  tethers_.add_to(masses_, x, v, f);
}

void ClothSystem::forces(std::span<const double> x, std::span<const double> v, double time,
                         std::span<double> f) HAPTIC_REALTIME {
  set_external_forces(x, v, time, f);
  left_out_ = springs_.add_to(x, v, f);
  ++evaluations_;
  constraints_.set_spheres(x, v, f);
  tethers_.add_to(masses_, x, v, f);
}

void ClothSystem::accelerations(std::span<const double> x, std::span<const double> v, double time,
                                std::span<double> a) HAPTIC_REALTIME {
  forces(x, v, time, a);
  const std::span<const double> w = constraints_.inverse_masses();
  for (std::size_t i = 0; i < size(); ++i) at(a, i) *= w[i];
  constraints_.filter(a);
}

double ClothSystem::energy(const ClothState& state) const HAPTIC_REALTIME {
  double sum = springs_.energy(state.x) + tethers_.energy(state.x);
  for (std::size_t i = 0; i < size(); ++i) {
    sum += masses_[i] *
           (0.5 * at(state.v, i).squaredNorm() - surroundings_.gravity.dot(at(state.x, i)));
  }
  return sum;
}

double ClothSystem::dissipation(const ClothState& state) const HAPTIC_REALTIME {
  double sum = springs_.dissipation(state.x, state.v);
  for (std::size_t i = 0; i < size(); ++i) {
    sum += surroundings_.air.drag_of(masses_[i]) * at(state.v, i).squaredNorm();
  }
  for (const TargetSpring& spring : tethers_.springs()) {
    sum += spring.damping * at(state.v, spring.particle).squaredNorm();
  }
  return sum;
}

ClothState state_at_rest(const ClothMesh& mesh) {
  ClothState state;
  for (const auto& vertex : mesh.vertices) {
    state.x.insert(state.x.end(), vertex.begin(), vertex.end());
  }
  state.v.assign(state.x.size(), 0.0);
  return state;
}

}  // namespace haptic::cloth
