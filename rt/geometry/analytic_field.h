#pragma once

#include "rt/geometry/analytic_shape.h"
#include "rt/geometry/signed_field.h"

namespace haptic {

/// Signed distance in closed form, exact and 1-Lipschitz: the safe free radius is reduced by the
/// rounding of positions only.
/// Source: docs/methods/contact-and-coupling.md, "Analytic shapes"; the formulas are those of the
/// distance to a point, a segment and a circle.
class AnalyticField final : public SignedField {
 public:
  /// @throws InputError if a size is not positive and finite, or the tube of a torus is not thinner
  ///         than the radius of its circle
  explicit AnalyticField(const AnalyticShape& shape);

  const AnalyticShape& shape() const { return shape_; }

  void evaluate(const FieldPoints& points, std::uint32_t count, Culling culling,
                FieldSamples& samples) const HAPTIC_REALTIME override;
  void prefetch(const FieldPoints&, std::uint32_t) const HAPTIC_REALTIME override {}
  /// On the medial axis, where the gradient is undefined, it is one of the one-sided limits.
  Sample distance_and_gradient(const Vector3& p) const HAPTIC_REALTIME override;
  double distance(const Vector3& p) const HAPTIC_REALTIME;

  double edge() const HAPTIC_REALTIME override { return edge_; }
  /// 10^6 m for a plane, which is unbounded.
  double reach() const HAPTIC_REALTIME override { return reach_; }
  double inner_depth() const HAPTIC_REALTIME override;

 private:
  AnalyticShape shape_;
  double edge_, reach_, margin_;
};

}  // namespace haptic
