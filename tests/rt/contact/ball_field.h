#pragma once

#include <algorithm>

#include "rt/geometry/signed_field.h"

namespace haptic::oracle {

/// A ball about its material origin, exact. With three reduced coordinates it is shifted by q.
class BallField final : public SignedField {
 public:
  explicit BallField(double radius, std::uint32_t dimension = 0)
      : radius_(radius), dimension_(dimension) {}

  void evaluate(const FieldPoints& points, std::uint32_t count, Culling,
                FieldSamples& samples) const HAPTIC_REALTIME override {
    for (std::uint32_t i = 0; i < count; ++i) {
      const Vector3 p(points.x[i], points.y[i], points.z[i]);
      samples.distance[i] = (p - centre_).norm() - radius_;
      samples.free_radius[i] = std::max(0.0, samples.distance[i]);
    }
  }
  void prefetch(const FieldPoints&, std::uint32_t) const HAPTIC_REALTIME override {}
  Sample distance_and_gradient(const Vector3& p) const HAPTIC_REALTIME override {
    return {(p - centre_).norm() - radius_, (p - centre_).normalized()};
  }
  double edge() const HAPTIC_REALTIME override { return radius_ / 64.0; }
  double reach() const HAPTIC_REALTIME override { return radius_ + centre_.norm(); }
  std::uint32_t dimension() const HAPTIC_REALTIME override { return dimension_; }
  void deform(std::span<const double> q) HAPTIC_REALTIME override {
    if (!q.empty()) centre_ = {q[0], q[1], q[2]};
  }
  double deformation_bound(std::span<const double> dq) const HAPTIC_REALTIME override {
    return dq.empty() ? 0.0 : Vector3(dq[0], dq[1], dq[2]).norm();
  }

 private:
  double radius_;
  std::uint32_t dimension_;
  Vector3 centre_ = Vector3::Zero();
};

}  // namespace haptic::oracle
