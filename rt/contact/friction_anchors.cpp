#include "rt/contact/friction_anchors.h"

namespace haptic {

namespace {

// Larger than the rounding of a spring whose point has not moved, far smaller than a motion.
constexpr double kRounding = 1.0 + 1e-9;

}  // namespace

FrictionAnchors::Spring FrictionAnchors::pull(std::uint32_t point, const SignedField& field,
                                              const Vector3& p, const Vector3& normal,
                                              double static_reach,
                                              double dynamic_reach) HAPTIC_REALTIME {
  Anchor& anchor = anchors_[point];
  if (anchor.cycle + 1 != cycle_) {
    anchor.at = field.anchor(p);
    anchor.sliding = false;
  }
  anchor.cycle = cycle_;

  Spring spring;
  spring.anchor = field.anchor_position(anchor.at);
  const Vector3 offset = p - spring.anchor;
  spring.stretch = offset - normal.dot(offset) * normal;
  spring.trial = spring.stretch.norm();
  const double reach = anchor.sliding ? dynamic_reach : static_reach;
  spring.sliding = spring.trial > kRounding * reach;
  anchor.sliding = spring.sliding;
  if (spring.sliding) {
    spring.stretch *= dynamic_reach / spring.trial;
    anchor.at = field.anchor(p - spring.stretch);
  }
  return spring;
}

}  // namespace haptic
