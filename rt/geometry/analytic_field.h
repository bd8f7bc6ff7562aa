#pragma once

#include "rt/geometry/analytic_shape.h"
#include "rt/geometry/signed_field.h"

namespace haptic {

/// Signed distance by formula: exact, 1-Lipschitz, so that nothing is taken off for safety but the
/// rounding of positions.
/// Source: docs/methods/contact-and-coupling.md, "Analytic shapes"; the formulas are those of the
/// distance to a point, a segment and a circle.
class AnalyticField final : public SignedField {
 public:
  /// @throws InputError if a size is not positive, or a torus' tube not thinner than its circle
  explicit AnalyticField(const AnalyticShape& shape);

  const AnalyticShape& shape() const { return shape_; }

  void evaluate(const FieldPoints& points, std::uint32_t count, Culling culling,
                FieldSamples& samples) const HAPTIC_REALTIME override;
  void prefetch(const FieldPoints&, std::uint32_t) const HAPTIC_REALTIME override {}
  /// On the medial axis, where there is no gradient, one of its one-sided limits.
  Sample distance_and_gradient(const Vector3& p) const HAPTIC_REALTIME override;
  double distance(const Vector3& p) const HAPTIC_REALTIME;

  double edge() const HAPTIC_REALTIME override { return edge_; }
  /// Of a plane, which has no end, 10^6 m.
  double reach() const HAPTIC_REALTIME override { return reach_; }

 private:
  AnalyticShape shape_;
  double edge_, reach_, margin_;
};

}  // namespace haptic
