#pragma once

#include <string_view>
#include <vector>

#include "rt/geometry/deformed_kernels.h"
#include "rt/geometry/distance_field.h"
#include "rt/geometry/field_proxies.h"

namespace haptic {

class ModelFile;

/// Proxies whose modes receive a force on the field's body.
enum class ProxyForce : std::uint8_t {
  kNearest,   ///< the nearest proxy
  kWeighted,  ///< all blended proxies with their weights: no jump between proxies
};

/// Approximate distance to a body that deforms in reduced coordinates. Each point is pulled back to
/// rest by the affine maps of its nearest proxies, and the rest distances are blended:
///
///   X_i = P_i + F_i^-1 (x - p_i),   d(x) = sum_i w_i d_0(X_i),
///   w_i = (1/|x - p_i| - 1/d_k) / sum over the k nearest.
///
/// The farthest of the k = 5 has weight 0, so the blend is continuous (a domain of k proxies or
/// fewer blends all of them by 1/|x - p_i|). A body of several domains has a rest field and proxies
/// for each; its distance is the smallest over the domains. The distance is measured in the
/// material frame: under a stretch of e its error is about e d.
///
/// Free radii are safe for the field as defined: a ball is free if each proxy that can be a
/// neighbour of a point in it maps it (stretched by |F_i^-1|) into a ball that is free in the rest
/// field. Only `deform` changes the state.
/// Source: docs/methods/contact-and-coupling.md, "Deforming field"; Barbic 2007, Eq 3.16, 3.17.
class DeformedField final : public SignedField {
 public:
  /// @param domains rest field of each domain, whose samples outlive the field
  /// @throws InputError if the proxies are invalid (FieldProxies)
  DeformedField(std::vector<DistanceField> domains, const ProxyData& proxies,
                ProxyForce force = ProxyForce::kNearest, std::string_view source = "field");

  void evaluate(const FieldPoints& points, std::uint32_t count, Culling culling,
                FieldSamples& samples) const HAPTIC_REALTIME override;
  /// No effect: finding the samples that a point reads is most of the work.
  void prefetch(const FieldPoints&, std::uint32_t) const HAPTIC_REALTIME override {}
  Sample distance_and_gradient(const Vector3& p) const HAPTIC_REALTIME override;

  double edge() const HAPTIC_REALTIME override { return edge_; }  ///< of the finest domain
  double reach() const HAPTIC_REALTIME override { return reach_; }
  double inner_depth() const HAPTIC_REALTIME override;

  std::uint32_t dimension() const HAPTIC_REALTIME override { return proxies_.dimension(); }
  /// A proxy takes about as long as a point of `evaluate` (40 to 100 ns).
  std::uint32_t cost_of_deform() const HAPTIC_REALTIME override {
    return static_cast<std::uint32_t>(proxies_.all().size());
  }
  void deform(std::span<const double> q) HAPTIC_REALTIME override;
  /// Infinite if the last `deform` changed the set of proxies in use.
  double deformation_bound(std::span<const double> dq) const HAPTIC_REALTIME override;
  void add_reduced_force(const Vector3& p, const Vector3& f,
                         std::span<double> reduced_force) const HAPTIC_REALTIME override;
  FieldAnchor anchor(const Vector3& p) const HAPTIC_REALTIME override;
  Vector3 anchor_position(const FieldAnchor& anchor) const HAPTIC_REALTIME override;

  std::uint32_t domains() const { return static_cast<std::uint32_t>(domains_.size()); }
  const FieldProxies& proxies() const { return proxies_; }

  /// Proxies that are blended at a point, and their weights (>= 0, sum 1).
  struct Blend {
    std::uint32_t count = 0;
    std::uint32_t proxy[kProxyNeighbours] = {};  ///< index in the domain, nearest first
    double weight[kProxyNeighbours] = {};
    double inverse_distance[kProxyNeighbours] = {};  ///< 1/m
    double farthest = 0.0;                           ///< distance of neighbour k [m]
  };
  Blend blend(const Vector3& p, std::uint32_t domain) const HAPTIC_REALTIME;

 private:
  void evaluate_domain(std::uint32_t domain, const FieldPoints& points, std::uint32_t count,
                       Culling culling, FieldSamples& samples) const HAPTIC_REALTIME;
  Sample sample_of_domain(std::uint32_t domain, const Vector3& p) const HAPTIC_REALTIME;
  std::uint32_t nearest_proxy(const Vector3& p) const HAPTIC_REALTIME;  // of all domains

  std::vector<DistanceField> domains_;
  FieldProxies proxies_;
  const DeformedKernels* kernels_;
  ProxyForce force_;
  double edge_ = 0.0, rest_reach_ = 0.0, reach_ = 0.0;
  bool proxies_changed_ = false;
};

}  // namespace haptic
