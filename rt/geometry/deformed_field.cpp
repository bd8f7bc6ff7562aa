#include "rt/geometry/deformed_field.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "shared/assert.h"

namespace haptic {
namespace {

using Blend = DeformedField::Blend;

/// If the sum of 1/d_i - 1/d_k is at most this part of 1/d_k, the proxies count as lying on one
/// sphere about the point.
constexpr double kOnOneSphere = 1e-12;

/// Weights of the nearest proxies, in the order of `nearest`.
Blend blend_of(std::span<const Proxy> proxies, const NearestProxies& nearest, std::uint32_t lane,
               const Vector3& p) HAPTIC_REALTIME {
  Blend blend;
  const auto k = std::min(static_cast<std::uint32_t>(proxies.size()), kProxyNeighbours);
  double largest = 0.0;
  for (std::uint32_t i = 0; i < k; ++i) {
    blend.proxy[i] = nearest.proxy[i][lane];
    const double* at = proxies[blend.proxy[i]].position;
    const double x = p.x() - at[0], y = p.y() - at[1], z = p.z() - at[2];
    const double d = std::sqrt(std::fma(z, z, std::fma(y, y, x * x)));
    blend.farthest = std::max(d, blend.farthest);  // a NaN d propagates
    blend.inverse_distance[i] = 1.0 / d;
    largest = std::max(largest, blend.inverse_distance[i]);
  }
  // With k proxies or fewer the set of neighbours never changes, so no weight has to reach zero.
  const bool all = proxies.size() <= kProxyNeighbours;
  const double least = all ? 0.0 : 1.0 / blend.farthest;
  blend.count = all ? k : k - 1;
  if (largest > 1e300) {  // p is at the nearest proxy
    blend.weight[0] = 1.0;
    return blend;
  }
  double sum = 0.0;
  for (std::uint32_t i = 0; i < blend.count; ++i) {
    blend.weight[i] = std::max(blend.inverse_distance[i] - least, 0.0);
    sum += blend.weight[i];
  }
  const bool on_one_sphere = sum <= kOnOneSphere * least;
  for (std::uint32_t i = 0; i < blend.count; ++i) {
    blend.weight[i] = on_one_sphere ? 1.0 / blend.count : blend.weight[i] / sum;
  }
  return blend;
}

/// P + F^-1 (x - p), one fused multiply-add per column.
Vector3 pull_back(const Proxy& proxy, const Vector3& p) HAPTIC_REALTIME {
  const __m256d x = _mm256_set1_pd(p.x() - proxy.position[0]);
  const __m256d y = _mm256_set1_pd(p.y() - proxy.position[1]);
  const __m256d z = _mm256_set1_pd(p.z() - proxy.position[2]);
  __m256d X = _mm256_fmadd_pd(_mm256_load_pd(proxy.inverse + 8), z, _mm256_load_pd(proxy.rest));
  X = _mm256_fmadd_pd(_mm256_load_pd(proxy.inverse + 4), y, X);
  X = _mm256_fmadd_pd(_mm256_load_pd(proxy.inverse), x, X);
  return {X[0], X[1], X[2]};
}

bool in_use(const Proxy& proxy) HAPTIC_REALTIME {
  return proxy.position[0] < FieldProxies::kFarAway;
}

void put(FieldPoints& batch, std::uint32_t i, const Vector3& p) HAPTIC_REALTIME {
  batch.x[i] = p.x(), batch.y[i] = p.y(), batch.z[i] = p.z();
}

Vector3 take(const FieldPoints& batch, std::uint32_t i) HAPTIC_REALTIME {
  return {batch.x[i], batch.y[i], batch.z[i]};
}

}  // namespace

DeformedField::DeformedField(std::vector<DistanceField> domains, const ProxyData& proxies,
                             ProxyForce force, std::string_view source)
    : domains_(std::move(domains)),
      proxies_(proxies, static_cast<std::uint32_t>(domains_.size()), source),
      kernels_(&deformed_kernels(simd_target())),
      force_(force),
      edge_(std::numeric_limits<double>::infinity()) {
  for (const DistanceField& domain : domains_) {
    edge_ = std::min(edge_, domain.edge());
    rest_reach_ = std::max(rest_reach_, domain.reach());
  }
  proxies_.set_reach(rest_reach_);
  reach_ = rest_reach_;
}

double DeformedField::inner_depth() const HAPTIC_REALTIME {
  double depth = 0.0;
  for (const DistanceField& domain : domains_) depth = std::max(depth, domain.inner_depth());
  return depth;
}

void DeformedField::deform(std::span<const double> q) HAPTIC_REALTIME {
  proxies_changed_ = proxies_.deform(q);
  reach_ = rest_reach_ + proxies_.motion_bound(q);
}

double DeformedField::deformation_bound(std::span<const double> dq) const HAPTIC_REALTIME {
  return proxies_changed_ ? std::numeric_limits<double>::infinity() : proxies_.motion_bound(dq);
}

void DeformedField::evaluate(const FieldPoints& points, std::uint32_t count, Culling culling,
                             FieldSamples& samples) const HAPTIC_REALTIME {
  evaluate_domain(0, points, count, culling, samples);
  for (std::uint32_t d = 1; d < domains_.size(); ++d) {
    FieldSamples other;
    evaluate_domain(d, points, count, culling, other);
    for (std::uint32_t i = 0; i < count; ++i) {
      samples.distance[i] = std::min(samples.distance[i], other.distance[i]);
      samples.free_radius[i] = std::min(samples.free_radius[i], other.free_radius[i]);
    }
  }
}

void DeformedField::evaluate_domain(std::uint32_t domain, const FieldPoints& points,
                                    std::uint32_t count, Culling culling,
                                    FieldSamples& samples) const HAPTIC_REALTIME {
  const std::span<const Proxy> proxies = proxies_.of_domain(domain);
  const auto number = static_cast<std::uint32_t>(proxies.size());
  NearestProxies nearest;
  kernels_->nearest(proxies.data(), number, points, count, nearest);

  Blend blends[kFieldBatch];
  FieldPoints pulled[kProxyNeighbours];
  FreeRadiusQuery query;
  for (std::uint32_t i = 0; i < count; ++i) {
    const Vector3 p = take(points, i);
    blends[i] = blend_of(proxies, nearest, i, p);
    for (std::uint32_t s = 0; s < blends[i].count; ++s) {
      put(pulled[s], i, pull_back(proxies[blends[i].proxy[s]], p));
    }
    query.farthest[i] = blends[i].farthest;
    query.radius[i] = std::numeric_limits<double>::infinity();
    samples.distance[i] = 0.0;
  }
  const std::uint32_t blended = blends[0].count;  // the same for every point of a domain
  for (std::uint32_t s = 0; s < blended; ++s) {
    FieldSamples rest;
    domains_[domain].evaluate(pulled[s], count, culling, rest);
    for (std::uint32_t i = 0; i < count; ++i) {
      samples.distance[i] = std::fma(blends[i].weight[s], rest.distance[i], samples.distance[i]);
      const double free = rest.distance[i] < 0.0 ? 0.0 : rest.free_radius[i];
      if (s == 0) query.rest_radius[i] = free;
      query.radius[i] = std::min(query.radius[i], free / proxies[blends[i].proxy[s]].stretch);
    }
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    // If the nearest proxy is not in use, none is: no contact, and nothing is culled.
    if (!in_use(proxies[blends[i].proxy[0]])) {
      samples.distance[i] = edge_;
      query.radius[i] = 0.0;
    }
  }
  if (culling == Culling::kPublished) {
    std::copy_n(samples.distance, count, samples.free_radius);
    return;
  }
  if (number > kProxyNeighbours) {
    query.rest = pulled[0];
    kernels_->bound_radii(proxies.data(), number, points, count, query);
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    // The factor covers the rounding of the maps; a NaN distance gives a NaN radius.
    samples.free_radius[i] =
        !std::isnan(samples.distance[i]) ? (1.0 - 1e-9) * query.radius[i] : samples.distance[i];
  }
}

Blend DeformedField::blend(const Vector3& p, std::uint32_t domain) const HAPTIC_REALTIME {
  const std::span<const Proxy> proxies = proxies_.of_domain(domain);
  FieldPoints points;
  put(points, 0, p);
  NearestProxies nearest;
  kernels_->nearest(proxies.data(), static_cast<std::uint32_t>(proxies.size()), points, 1, nearest);
  return blend_of(proxies, nearest, 0, p);
}

SignedField::Sample DeformedField::sample_of_domain(std::uint32_t domain,
                                                    const Vector3& p) const HAPTIC_REALTIME {
  const std::span<const Proxy> proxies = proxies_.of_domain(domain);
  const Blend b = blend(p, domain);
  if (!in_use(proxies[b.proxy[0]])) return {edge_, Vector3::Zero()};
  Sample rest[kProxyNeighbours];
  Sample result{0.0, Vector3::Zero()};
  for (std::uint32_t s = 0; s < b.count; ++s) {
    const Proxy& proxy = proxies[b.proxy[s]];
    rest[s] = domains_[domain].distance_and_gradient(pull_back(proxy, p));
    result.distance = std::fma(b.weight[s], rest[s].distance, result.distance);
    for (int axis = 0; axis < 3; ++axis) {
      const double* column = proxy.inverse + 4 * axis;
      result.gradient[axis] += b.weight[s] * rest[s].gradient.dot(Vector3(column));
    }
  }
  // Derivative of the weights u_i / sum u with u_i = 1/d_i - 1/d_k.
  const bool all = proxies.size() <= kProxyNeighbours;
  const std::uint32_t last = kProxyNeighbours - 1;
  const double least = all ? 0.0 : b.inverse_distance[last];
  double sum = 0.0;
  for (std::uint32_t s = 0; s < b.count; ++s) sum += b.inverse_distance[s] - least;
  if (!(sum > kOnOneSphere * least) || !(sum < 1e300)) return result;
  const auto derivative = [&](std::uint32_t s) {  // of 1/d_s
    const double inverse = b.inverse_distance[s];
    const Vector3 from = p - Vector3(proxies[b.proxy[s]].position);
    return Vector3(-inverse * inverse * inverse * from);
  };
  const Vector3 fade = all ? Vector3(Vector3::Zero()) : derivative(last);
  for (std::uint32_t s = 0; s < b.count; ++s) {
    result.gradient += (rest[s].distance - result.distance) / sum * (derivative(s) - fade);
  }
  return result;
}

SignedField::Sample DeformedField::distance_and_gradient(const Vector3& p) const HAPTIC_REALTIME {
  Sample least = sample_of_domain(0, p);
  for (std::uint32_t d = 1; d < domains_.size(); ++d) {
    const Sample other = sample_of_domain(d, p);
    if (other.distance < least.distance) least = other;
  }
  return least;
}

std::uint32_t DeformedField::nearest_proxy(const Vector3& p) const HAPTIC_REALTIME {
  const std::span<const Proxy> proxies = proxies_.all();
  std::uint32_t nearest = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::uint32_t i = 0; i < proxies.size(); ++i) {
    const double square = (p - Vector3(proxies[i].position)).squaredNorm();
    if (square < least) least = square, nearest = i;
  }
  return nearest;
}

void DeformedField::add_reduced_force(const Vector3& p, const Vector3& f,
                                      std::span<double> reduced_force) const HAPTIC_REALTIME {
  HAPTIC_ASSERT(reduced_force.size() == dimension());
  if (force_ == ProxyForce::kNearest) {
    proxies_.add_force(nearest_proxy(p), f, 1.0, reduced_force);
    return;
  }
  std::uint32_t domain = 0;  // the nearest one
  double least = std::numeric_limits<double>::infinity();
  for (std::uint32_t d = 0; d < domains_.size() && domains_.size() > 1; ++d) {
    const double distance = sample_of_domain(d, p).distance;
    if (distance < least) least = distance, domain = d;
  }
  const Blend b = blend(p, domain);
  const auto first =
      static_cast<std::uint32_t>(proxies_.of_domain(domain).data() - proxies_.all().data());
  for (std::uint32_t s = 0; s < b.count; ++s) {
    proxies_.add_force(first + b.proxy[s], f, b.weight[s], reduced_force);
  }
}

FieldAnchor DeformedField::anchor(const Vector3& p) const HAPTIC_REALTIME {
  const std::uint32_t i = nearest_proxy(p);
  const Proxy& proxy = proxies_.all()[i];
  return {i, pull_back(proxy, p) - Vector3(proxy.rest)};
}

Vector3 DeformedField::anchor_position(const FieldAnchor& anchor) const HAPTIC_REALTIME {
  const Proxy& proxy = proxies_.all()[anchor.patch];
  const Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> F(proxy.F);
  return Vector3(proxy.position) + F * anchor.local;
}

}  // namespace haptic
