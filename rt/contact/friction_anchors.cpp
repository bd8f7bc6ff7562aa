#include "rt/contact/friction_anchors.h"

namespace haptic {

namespace {

// Larger than the rounding of a spring whose point has not moved, far smaller than a motion.
constexpr double kSlack = 1.0 + 1e-9;

FrictionAnchors::Spring spring_to(const Vector3& anchor, const Vector3& p,
                                  const Vector3& normal) HAPTIC_REALTIME {
  const Vector3 offset = p - anchor;
  const Vector3 stretch = offset - normal.dot(offset) * normal;
  return {anchor, stretch, stretch.norm(), false, -1.0};
}

}  // namespace

/// The anchor of a point in contact; a new one at p if it had none.
FrictionAnchors::Anchor& FrictionAnchors::touch(std::uint32_t point, const SignedField& field,
                                                const Vector3& p,
                                                bool fresh_slides) HAPTIC_REALTIME {
  Anchor& anchor = anchors_[point];
  if (anchor.cycle + 1 != cycle_) {
    anchor.at = field.anchor(p);
    anchor.sliding = fresh_slides;
    anchor.normal_force = anchor.force = -1.0;
  }
  anchor.cycle = cycle_;
  return anchor;
}

FrictionAnchors::Spring FrictionAnchors::pull(std::uint32_t point, const SignedField& field,
                                              const Vector3& p, const Vector3& normal,
                                              double static_reach,
                                              double dynamic_reach) HAPTIC_REALTIME {
  Anchor& anchor = touch(point, field, p, false);
  Spring spring = spring_to(field.anchor_position(anchor.at), p, normal);
  const double reach = anchor.sliding ? dynamic_reach : static_reach;
  spring.sliding = spring.trial > kSlack * reach;
  anchor.sliding = spring.sliding;
  if (spring.sliding) {
    spring.stretch *= dynamic_reach / spring.trial;
    anchor.at = field.anchor(p - spring.stretch);
  }
  return spring;
}

FrictionAnchors::Spring FrictionAnchors::measure(std::uint32_t point, const SignedField& field,
                                                 const Vector3& p, const Vector3& normal,
                                                 double stiffness) HAPTIC_REALTIME {
  Anchor& anchor = touch(point, field, p, true);
  Spring spring = spring_to(field.anchor_position(anchor.at), p, normal);
  const double force = stiffness * spring.trial;
  if (anchor.force >= 0.0 && force > kSlack * anchor.force) {
    spring.stretch *= anchor.force / force;
    anchor.at = field.anchor(p - spring.stretch);
  }
  spring.sliding = anchor.sliding;
  spring.normal_force = anchor.normal_force;
  return spring;
}

void FrictionAnchors::settle(std::uint32_t point, const SignedField& field,
                             const Settled& settled) HAPTIC_REALTIME {
  Anchor& anchor = anchors_[point];
  anchor.sliding = settled.slides;
  anchor.normal_force = settled.normal_force;
  anchor.force = settled.force;
  if (settled.slides) anchor.at = field.anchor(field.anchor_position(anchor.at) + settled.drag);
}

}  // namespace haptic
