#pragma once

#include <cstdint>
#include <vector>

#include "rt/geometry/signed_field.h"
#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic {

/// Static and dynamic Coulomb friction by anchors: where a point comes into contact it drops one on
/// the field's body and hangs on it by a spring. A point that stretches its spring beyond what
/// static friction bears slides, dragging the anchor behind it at the length that dynamic friction
/// bears, until a cycle in which the spring is no longer stretched; then it sticks again, its
/// spring as it is. A point that leaves the contact for a cycle loses its anchor.
/// Source: Xu, Zhao & Barbic 2014, Section 4. Their rule for sticking again (mu_d F < mu_s F) is
/// always true; here sliding ends with motion (docs/methods/contact-and-coupling.md, "Friction").
class FrictionAnchors {
 public:
  /// The spring of one point, field's material frame.
  struct Spring {
    Vector3 anchor;  ///< before it was dragged in this cycle [m]
    /// Component of (point - anchor) in the tangent plane [m]; of a sliding point shortened to what
    /// dynamic friction bears.
    Vector3 stretch;
    double trial;  ///< length before shortening [m]
    bool sliding;
  };

  /// @param points  of the shell, 0 where there is no friction
  explicit FrictionAnchors(std::uint32_t points) : anchors_(points) {}

  /// Begins a cycle: anchors that were not pulled in the cycle before are lost.
  void begin() HAPTIC_REALTIME { ++cycle_; }
  /// Every anchor is lost.
  void forget() HAPTIC_REALTIME { cycle_ += 2; }

  /// Pulls the spring of one point in contact.
  /// @param p, normal       where it is [m] and its unit normal, field's material frame
  /// @param static_reach    length at which it begins to slide [m]
  /// @param dynamic_reach   length while it slides [m], <= static_reach
  Spring pull(std::uint32_t point, const SignedField& field, const Vector3& p,
              const Vector3& normal, double static_reach, double dynamic_reach) HAPTIC_REALTIME;

 private:
  struct Anchor {
    FieldAnchor at;
    std::uint64_t cycle = 0;  // last one in contact
    bool sliding = false;
  };

  std::vector<Anchor> anchors_;
  std::uint64_t cycle_ = 1;
};

}  // namespace haptic
