#include "rt/worlds/cloth/filtered_forces.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <span>

#include "rt/worlds/cloth/particle_matrix.h"
#include "shared/error.h"

namespace haptic::cloth {

FilteredForces::FilteredForces(ClothSystem& of, double dt)
    : ClothIntegrator(of, dt),
      inverse_masses_(of.size()),
      internal_(3 * of.size()),
      filtered_(3 * of.size()),
      correction_(3 * of.size()),
      external_(3 * of.size()) {
  const std::span<const double> masses = of.masses();
  if (std::any_of(masses.begin(), masses.end(), [&](double m) { return m != masses[0]; })) {
    throw InputError("", "masses", "different ones", "the same for all particles (force filter)");
  }
  if (of.size() > kMaxParticles) {
    throw InputError("", "particles", fmt::format("{}", of.size()),
                     fmt::format("at most {} (force filter)", kMaxParticles));
  }
  filter_.resize(of.size() * of.size());
  rebuild();
}

void FilteredForces::rebuild() {
  const std::size_t n = system().size();
  const Springs& springs = system().springs().springs();
  const std::span<const double> w = system().constraints().inverse_masses();
  std::copy(w.begin(), w.end(), inverse_masses_.begin());
  const double scale = dt() * dt() / system().masses()[0];
  std::vector<double> weights(springs.stiffness);
  for (double& weight : weights) weight *= scale;
  ParticleMatrix matrix(n, springs.first, springs.second);
  if (!matrix.factor(std::vector<double>(n, 1.0), weights, w)) {
    throw InputError("", "springs",
                     fmt::format("h^2 k / m up to {:g}", *std::ranges::max_element(weights)),
                     "values with which the force filter's matrix is finite");
  }
  // Three columns at once, as x, y and z.
  ParticleVectors columns(3 * n);
  for (std::size_t j = 0; j < n; j += 3) {
    std::fill(columns.begin(), columns.end(), 0.0);
    const std::size_t count = std::min<std::size_t>(3, n - j);
    for (std::size_t c = 0; c < count; ++c) columns[3 * (j + c) + c] = 1.0;
    matrix.solve(columns);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t c = 0; c < count; ++c) filter_[i * n + j + c] = columns[3 * i + c];
    }
  }
}

/// F_c from the filtered forces and the positions at which they were found.
void FilteredForces::correct_torque(const ParticleVectors& x) HAPTIC_REALTIME {
  const std::size_t n = system().size();
  Vector3 centre = Vector3::Zero(), torque = Vector3::Zero();
  for (std::size_t i = 0; i < n; ++i) centre += at(x, i);
  centre /= static_cast<double>(n);
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();
  for (std::size_t i = 0; i < n; ++i) {
    const Vector3 r = at(x, i) - centre;
    torque += Vector3(at(filtered_, i)).cross(r);
    inertia += r.squaredNorm() * Eigen::Matrix3d::Identity() - r * r.transpose();
  }
  // Particles on a line have no inertia about it, and no torque.
  const double size = inertia.trace();
  const double determinant = inertia.determinant();
  if (!(determinant > 1e-12 * size * size * size)) {
    std::fill(correction_.begin(), correction_.end(), 0.0);
    return;
  }
  const Vector3 turn = inertia.inverse() * torque;
  for (std::size_t i = 0; i < n; ++i) {
    at(correction_, i) = Vector3(centre - at(x, i)).cross(turn);
  }
}

ClothStepResult FilteredForces::advance(ClothState& state) HAPTIC_REALTIME {
  const std::size_t n = system().size();
  const double h = dt();
  const std::span<const double> w = system().constraints().inverse_masses();
  if (!std::equal(w.begin(), w.end(), inverse_masses_.begin())) return ClothStepResult::kStale;
  std::fill(internal_.begin(), internal_.end(), 0.0);
  const SpringForces& forces = system().springs();
  forces.add_to(state.x, state.v, internal_);
  const Springs& springs = forces.springs();
  for (std::size_t s = 0; s < springs.size(); ++s) {
    const std::size_t i = springs.first[s], j = springs.second[s];
    const Vector3 viscous = springs.stiffness[s] * h * (at(state.v, j) - at(state.v, i));
    at(internal_, i) += viscous;
    at(internal_, j) -= viscous;
  }
  bool pinned = false;
  for (std::size_t i = 0; i < n; ++i) {
    const double* const row = filter_.data() + i * n;
    Vector3 sum = Vector3::Zero();
    for (std::size_t j = 0; j < n; ++j) sum += row[j] * at(internal_, j);
    at(filtered_, i) = sum;
    pinned = pinned || w[i] == 0.0;
  }
  if (pinned) {
    std::fill(correction_.begin(), correction_.end(), 0.0);
  } else {
    correct_torque(state.x);
  }
  system().forces_without_springs(state.x, state.v, state.time, external_);
  for (std::size_t i = 0; i < n; ++i) {
    Vector3 change = h * w[i] * (at(filtered_, i) + at(correction_, i) + at(external_, i));
    system().constraints().filter(i, Eigen::Map<Vector3>(change.data()));
    at(state.v, i) += change;
  }
  add_scaled(h, state.v, state.x);
  state.time += h;
  hold(state);
  return ClothStepResult::kOk;
}

}  // namespace haptic::cloth
