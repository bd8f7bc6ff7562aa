#include "rt/worlds/cloth/collision/feature_pair.h"

#include <algorithm>
#include <cmath>

#include "rt/geometry/triangle_distance.h"
#include "rt/worlds/cloth/particle_vectors.h"

namespace haptic::cloth {
namespace {

/// Advances of one pair in one step.
constexpr int kAdvances = 40;

double length_of(const Vector3& v) HAPTIC_REALTIME {
  return std::sqrt(v.squaredNorm());
}

/// Fractions s and t of the nearest points of the segments a b and c d.
void nearest_on_segments(const PairVectors& x, double& s, double& t) HAPTIC_REALTIME {
  const Vector3 u = x[1] - x[0], v = x[3] - x[2], r = x[0] - x[2];
  const double a = u.squaredNorm(), e = v.squaredNorm(), f = v.dot(r);
  s = t = 0.0;
  if (!(a > 0.0) && !(e > 0.0)) return;
  if (!(a > 0.0)) {
    t = std::clamp(f / e, 0.0, 1.0);
    return;
  }
  const double c = u.dot(r);
  if (!(e > 0.0)) {
    s = std::clamp(-c / a, 0.0, 1.0);
    return;
  }
  const double b = u.dot(v), parallel = a * e - b * b;
  if (parallel > 1e-14 * a * e) s = std::clamp((b * f - c * e) / parallel, 0.0, 1.0);
  t = (b * s + f) / e;
  if (t < 0.0) {
    t = 0.0;
    s = std::clamp(-c / a, 0.0, 1.0);
  } else if (t > 1.0) {
    t = 1.0;
    s = std::clamp((b - c) / a, 0.0, 1.0);
  }
}

/// The largest sum of the motions of a point of each feature, relative to their mean.
double relative_motion(FeaturePair::Kind kind, const PairVectors& moves) HAPTIC_REALTIME {
  const Vector3 mean = 0.25 * (moves[0] + moves[1] + moves[2] + moves[3]);
  double length[4];
  for (std::size_t i = 0; i < 4; ++i) length[i] = (moves[i] - mean).squaredNorm();
  const bool edges = kind == FeaturePair::Kind::kEdges;
  const double first = edges ? std::max(length[0], length[1]) : length[0];
  const double second = std::max(edges ? 0.0 : length[1], std::max(length[2], length[3]));
  return std::sqrt(first) + std::sqrt(second);
}

}  // namespace

PairVectors gather(const FeaturePair& pair, std::span<const double> vectors) HAPTIC_REALTIME {
  return {at(vectors, pair.particles[0]), at(vectors, pair.particles[1]),
          at(vectors, pair.particles[2]), at(vectors, pair.particles[3])};
}

Vector3 difference(const std::array<double, 4>& weights, const PairVectors& v) HAPTIC_REALTIME {
  return weights[0] * v[0] + weights[1] * v[1] + weights[2] * v[2] + weights[3] * v[3];
}

PairDistance distance_between(FeaturePair::Kind kind, const PairVectors& x) HAPTIC_REALTIME {
  PairDistance result;
  Vector3 apart;
  if (kind == FeaturePair::Kind::kVertexTriangle) {
    const ClosestPoint closest = closest_point({x[1], x[2], x[3]}, x[0]);
    result.weights = {1.0, -closest.weights[0], -closest.weights[1], -closest.weights[2]};
    apart = x[0] - closest.point;
  } else {
    double s, t;
    nearest_on_segments(x, s, t);
    result.weights = {1.0 - s, s, t - 1.0, -t};
    apart = x[0] + s * (x[1] - x[0]) - (x[2] + t * (x[3] - x[2]));
  }
  result.distance = length_of(apart);
  if (result.distance > 0.0) result.normal = apart / result.distance;
  return result;
}

bool is_farther(FeaturePair::Kind kind, const PairVectors& x, double distance) HAPTIC_REALTIME {
  double least = 0.0, most = 0.0;
  Vector3 axis;
  if (kind == FeaturePair::Kind::kVertexTriangle) {
    axis = x[0] - (x[1] + x[2] + x[3]) / 3.0;
    least = axis.dot(x[0]);
    most = std::max({axis.dot(x[1]), axis.dot(x[2]), axis.dot(x[3])});
  } else {
    axis = 0.5 * (x[0] + x[1] - x[2] - x[3]);
    least = std::min(axis.dot(x[0]), axis.dot(x[1]));
    most = std::max(axis.dot(x[2]), axis.dot(x[3]));
  }
  const double apart = least - most;
  return apart > 0.0 && apart * apart > distance * distance * axis.squaredNorm();
}

bool may_come_near(FeaturePair::Kind kind, const PairVectors& x, const PairVectors& moves,
                   double start, double gap, double near, PairDistance& met,
                   std::size_t& measured) HAPTIC_REALTIME {
  const double motion = relative_motion(kind, moves);
  double time = 0.0, distance = start;
  for (int k = 0; k < kAdvances; ++k) {
    const double free = distance - gap;
    if (k > 0 && !(free > near)) return true;
    if (!(motion * (1.0 - time) >= free)) return false;
    time += free / motion;
    PairVectors then;
    for (std::size_t i = 0; i < 4; ++i) then[i] = x[i] + time * moves[i];
    ++measured;
    met = distance_between(kind, then);
    distance = met.distance;
  }
  return true;
}

}  // namespace haptic::cloth
