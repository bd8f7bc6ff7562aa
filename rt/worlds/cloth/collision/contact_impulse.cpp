#include "rt/worlds/cloth/collision/contact_impulse.h"

#include <algorithm>
#include <cmath>

#include "rt/worlds/cloth/particle_vectors.h"

namespace haptic::cloth {
namespace {

/// Changes of the four velocities by a unit impulse along a direction, and of their difference.
struct Response {
  PairVectors change;
  double along = 0.0;  // 1/kg
};

Response response_to(const FeaturePair& pair, const std::array<double, 4>& weights,
                     const Vector3& direction, const PairMotion& motion) HAPTIC_REALTIME {
  const std::span<const double> inverse = motion.constraints.inverse_masses();
  Response response;
  for (std::size_t i = 0; i < 4; ++i) {
    const std::uint32_t particle = pair.particles[i];
    response.change[i] = weights[i] * inverse[particle] * direction;
    motion.constraints.filter(particle, Eigen::Map<Vector3>(response.change[i].data()));
    response.along += weights[i] * direction.dot(response.change[i]);
  }
  return response;
}

void add(const FeaturePair& pair, const Response& response, double amount,
         std::span<double> vectors) HAPTIC_REALTIME {
  for (std::size_t i = 0; i < 4; ++i) {
    at(vectors, pair.particles[i]) += amount * response.change[i];
  }
}

}  // namespace

bool separate(const FeaturePair& pair, const PairDistance& where, double wanted, double friction,
              PairMotion& motion) HAPTIC_REALTIME {
  const auto& weights = where.weights;
  const double missing = wanted - where.normal.dot(difference(weights, gather(pair, motion.moves)));
  if (!(missing > 0.0)) return false;
  const Response normal = response_to(pair, weights, where.normal, motion);
  if (!(normal.along > 0.0)) return false;  // none of them can move along it

  const double approach = -where.normal.dot(difference(weights, gather(pair, motion.velocities)));
  const double stopped = std::clamp(missing / motion.dt, 0.0, std::max(approach, 0.0));  // m/s
  const double impulse = stopped / normal.along;                                         // N s
  add(pair, normal, impulse, motion.velocities);
  add(pair, normal, missing / normal.along, motion.moves);
  for (const std::uint32_t particle : pair.particles) motion.changed[particle] = 1;

  Vector3 sliding = difference(weights, gather(pair, motion.velocities));
  sliding -= where.normal.dot(sliding) * where.normal;
  const double speed = std::sqrt(sliding.squaredNorm());
  if (!(impulse * friction > 0.0 && speed > 0.0)) return true;
  const Response along = response_to(pair, weights, sliding / speed, motion);
  if (!(along.along > 0.0)) return true;
  // With constraints the impulse along the normal may also turn the sliding: never beyond rest.
  const double rub = -std::min(friction * impulse, speed / along.along);
  add(pair, along, rub, motion.velocities);
  add(pair, along, rub * motion.dt, motion.moves);
  return true;
}

}  // namespace haptic::cloth
