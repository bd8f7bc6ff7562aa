#pragma once

#include <algorithm>

#include "rt/geometry/signed_field.h"

namespace haptic::oracle {

/// Half-space z < 0, exact. With three reduced coordinates its body moves by scale * q: what a
/// deforming field is, in closed form.
class PlaneField final : public SignedField {
 public:
  explicit PlaneField(std::uint32_t dimension = 0, double scale = 1.0)
      : dimension_(dimension), scale_(scale) {}

  void evaluate(const FieldPoints& points, std::uint32_t count, Culling,
                FieldSamples& samples) const HAPTIC_REALTIME override {
    for (std::uint32_t i = 0; i < count; ++i) {
      samples.distance[i] = points.z[i] - offset_.z();
      samples.free_radius[i] = std::max(0.0, samples.distance[i]);
    }
  }
  void prefetch(const FieldPoints&, std::uint32_t) const HAPTIC_REALTIME override {}
  Sample distance_and_gradient(const Vector3& p) const HAPTIC_REALTIME override {
    return {p.z() - offset_.z(), Vector3::UnitZ()};
  }
  double edge() const HAPTIC_REALTIME override { return 0.01; }
  double reach() const HAPTIC_REALTIME override { return 1e3; }
  std::uint32_t dimension() const HAPTIC_REALTIME override { return dimension_; }
  std::uint32_t cost_of_deform() const HAPTIC_REALTIME override { return kCostOfDeform; }
  void deform(std::span<const double> q) HAPTIC_REALTIME override {
    ++deformed;
    if (!q.empty()) offset_ = scale_ * Vector3(q[0], q[1], q[2]);
  }
  double deformation_bound(std::span<const double> dq) const HAPTIC_REALTIME override {
    return dq.empty() ? 0.0 : scale_ * Vector3(dq[0], dq[1], dq[2]).norm();
  }
  FieldAnchor anchor(const Vector3& p) const HAPTIC_REALTIME override { return {0, p - offset_}; }
  Vector3 anchor_position(const FieldAnchor& anchor) const HAPTIC_REALTIME override {
    return anchor.local + offset_;
  }
  void add_reduced_force(const Vector3&, const Vector3& f,
                         std::span<double> reduced_force) const HAPTIC_REALTIME override {
    for (std::size_t j = 0; j < reduced_force.size(); ++j) reduced_force[j] += scale_ * f[j];
  }

  static constexpr std::uint32_t kCostOfDeform = 100;
  std::uint32_t deformed = 0;  ///< calls of deform

 private:
  std::uint32_t dimension_;
  double scale_;
  Vector3 offset_ = Vector3::Zero();
};

}  // namespace haptic::oracle
