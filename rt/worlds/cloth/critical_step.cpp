#include "rt/worlds/cloth/critical_step.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

#include "rt/worlds/cloth/spring_operator.h"

namespace haptic::cloth {
namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();
constexpr double kPrecise = 1e-6;
constexpr int kMaxIterations = 20000;

/// Largest slope of a spring's tension over all lengths [N/m]. The arc of an interlaced spring
/// stiffens from 7.2 k_b / L^3 at rest to 12 pi^2 k_b / L^3 at length 0; near rest its bound acts.
double stiffest(const ClothSystem& system, std::size_t spring) {
  const Springs& springs = system.springs().springs();
  const double k = springs.stiffness[spring];
  if (springs.kind[spring] != SpringKind::kInterlaced) return k;
  return std::max(
      k, BucklingStrip(springs.rest[spring], springs.bending[spring], k).at(0.0).stiffness);
}

double dot(const ParticleVectors& a, const ParticleVectors& b) {
  double sum = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

}  // namespace

double frequency_bound(const ClothSystem& system) {
  const Springs& springs = system.springs().springs();
  std::vector<double> sums(system.size());
  for (std::size_t s = 0; s < springs.size(); ++s) {
    const double k = stiffest(system, s);
    sums[springs.first[s]] += k;
    sums[springs.second[s]] += k;
  }
  // A spring to a target has one end, so its row has no other entry: half of it counts.
  for (const TargetSpring& spring : system.tethers().springs()) {
    sums[spring.particle] += 0.5 * spring.stiffness;
  }
  double most = 0.0;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    most = std::max(most, 2.0 * sums[i] * system.constraints().inverse_masses()[i]);
  }
  return std::sqrt(most);
}

double damping_bound(const ClothSystem& system) {
  const Springs& springs = system.springs().springs();
  std::vector<double> sums;
  for (const double mass : system.masses()) {
    sums.push_back(0.5 * system.surroundings().air.drag_of(mass));
  }
  for (std::size_t s = 0; s < springs.size(); ++s) {
    sums[springs.first[s]] += springs.damping[s];
    sums[springs.second[s]] += springs.damping[s];
  }
  for (const TargetSpring& spring : system.tethers().springs()) {
    sums[spring.particle] += 0.5 * spring.damping;
  }
  double most = 0.0;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    most = std::max(most, 2.0 * sums[i] * system.constraints().inverse_masses()[i]);
  }
  return most;
}

double safe_verlet_step(const ClothSystem& system) {
  // h^2 w^2 + 2 h d = 4 and h d = 2.
  const double w = frequency_bound(system), d = damping_bound(system);
  if (w == 0.0 && d == 0.0) return std::numeric_limits<double>::infinity();
  return 4.0 / (d + std::sqrt(d * d + 4.0 * w * w));
}

double safe_rk4_step(const ClothSystem& system) {
  const double w = frequency_bound(system), d = damping_bound(system);
  if (w == 0.0 && d == 0.0) return std::numeric_limits<double>::infinity();
  return d == 0.0 ? 2.0 * std::sqrt(2.0) / w : 2.6 / std::max(w, d);
}

double largest_eigenvalue(const ClothSystem& system, std::span<const double> x, double s_D,
                          double s_K) {
  SpringOperator matrix(system.springs().springs(), system.size());
  matrix.set(system, x, {.mass = 0.0, .damping = s_D, .stiffness = s_K});
  const std::span<const double> w = system.constraints().inverse_masses();
  ParticleVectors z(3 * system.size()), y(z.size());
  // A start with a part in every direction: fractional parts of multiples of the golden ratio.
  for (std::size_t k = 0; k < z.size(); ++k) {
    z[k] = std::fmod(0.618034 * static_cast<double>(k + 1), 1.0) - 0.5;
    z[k] *= (k / 3) % 2 == 0 ? 1.0 : -1.0;
  }
  const auto scale = [&](ParticleVectors& vectors) {
    for (std::size_t i = 0; i < w.size(); ++i) at(vectors, i) *= std::sqrt(w[i]);
    system.constraints().filter(vectors);
  };
  system.constraints().filter(z);
  double value = 0.0;
  for (int k = 0; k < kMaxIterations; ++k) {
    const double length = std::sqrt(dot(z, z));
    if (length == 0.0) return 0.0;
    for (double& of : z) of /= length;
    ParticleVectors scaled = z;
    scale(scaled);
    matrix.multiply(scaled, y);
    scale(y);
    const double last = value;
    value = dot(z, y);
    // The distance to an eigenvalue is at most the residual; of the Rayleigh quotient its square.
    double residual = 0.0;
    for (std::size_t i = 0; i < z.size(); ++i) {
      residual += (y[i] - value * z[i]) * (y[i] - value * z[i]);
    }
    if (std::sqrt(residual) <= 1e-3 * value && value - last <= 1e-3 * kPrecise * value) break;
    std::swap(z, y);
  }
  return value;
}

double largest_frequency(const ClothSystem& system, std::span<const double> x) {
  return std::sqrt(largest_eigenvalue(system, x, 0.0, 1.0));
}

double verlet_step_limit(const ClothSystem& system, std::span<const double> x) {
  const double damping = largest_eigenvalue(system, x, 1.0, 0.0);
  const double frequency = largest_frequency(system, x);
  double above = std::min(damping > 0.0 ? 2.0 / damping : kNoLimit,
                          frequency > 0.0 ? 2.0 / frequency : kNoLimit);
  if (damping == 0.0 || above == kNoLimit) return above;
  const auto stable = [&](double h) { return largest_eigenvalue(system, x, 2.0 * h, h * h) < 4.0; };
  if (stable(above)) return above;
  // Both parts at their largest are at most their sum: a step that is stable.
  const double share = damping / (frequency * frequency);
  double below =
      frequency > 0.0 ? std::sqrt(share * share + 4.0 / (frequency * frequency)) - share : above;
  while (above - below > kPrecise * below) {
    const double middle = 0.5 * (below + above);
    (stable(middle) ? below : above) = middle;
  }
  return below;
}

double rk4_step_limit(const ClothSystem& system, std::span<const double> x) {
  const double frequency = largest_frequency(system, x);
  const double damping = largest_eigenvalue(system, x, 1.0, 0.0);
  if (damping == 0.0) return frequency > 0.0 ? 2.0 * std::numbers::sqrt2 / frequency : kNoLimit;
  return 2.6 / std::max(frequency, damping);
}

}  // namespace haptic::cloth
