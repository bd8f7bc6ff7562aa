#pragma once

#include <cstdint>
#include <vector>

#include "rt/geometry/signed_field.h"
#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic {

/// Static and dynamic Coulomb friction with anchors. A point that comes into contact sets an anchor
/// on the field's body, to which a spring connects it. When the spring exceeds the length that
/// static friction allows, the point slides and drags the anchor at the length that dynamic
/// friction allows. It sticks again after a cycle in which the spring does not exceed that length;
/// the spring is then left as it is. A point that is out of contact for a cycle loses its anchor.
/// Source: Xu, Zhao & Barbic 2014, Section 4. Their rule for sticking again (mu_d F < mu_s F) is
/// true in every cycle if mu_d < mu_s; here sliding ends with motion
/// (docs/methods/contact-and-coupling.md, "Friction").
class FrictionAnchors {
 public:
  /// The spring of one point, field's material frame.
  struct Spring {
    Vector3 anchor;  ///< position before dragging in this cycle [m]
    /// Component of (point - anchor) in the tangent plane [m]; of a sliding point, shortened to the
    /// length that dynamic friction allows.
    Vector3 stretch;
    double trial;  ///< length before shortening [m]
    bool sliding;
    double normal_force = -1.0;  ///< that settle() was given [N]; < 0: none, a fresh anchor
  };

  /// @param points  of the shell; 0 without friction
  explicit FrictionAnchors(std::uint32_t points) : anchors_(points) {}

  /// Begins a cycle: removes the anchors that were not pulled in the previous cycle.
  void begin() HAPTIC_REALTIME { ++cycle_; }
  /// Removes every anchor.
  void clear_history() HAPTIC_REALTIME { cycle_ += 2; }

  /// Pulls the spring of one point in contact.
  /// @param p, normal       position [m] and unit normal of the point, field's material frame
  /// @param static_reach    length of the spring beyond which the point slides [m]
  /// @param dynamic_reach   length of the spring while the point slides [m], <= static_reach
  Spring pull(std::uint32_t point, const SignedField& field, const Vector3& p,
              const Vector3& normal, double static_reach, double dynamic_reach) HAPTIC_REALTIME;

  /// State of a spring at the end of a step.
  struct Settled {
    Vector3 drag = Vector3::Zero();  ///< by how far the anchor was dragged [m], field's frame
    bool slides = false;
    double normal_force = 0.0;  ///< N
    double force = 0.0;         ///< of the spring [N]
  };
  /// The spring of a point in contact at the start of a step, for a force of the step's end; then
  /// call settle(). The spring is not shortened to what friction allows, but its force is no larger
  /// than at the end of the last step. Without this limit, the depth of a point would stretch the
  /// spring where the normal changes direction at an edge. A fresh anchor slides, so that points
  /// which come into contact while the body slides do not hold it with static friction.
  /// @param stiffness  > 0 [N/m]
  Spring measure(std::uint32_t point, const SignedField& field, const Vector3& p,
                 const Vector3& normal, double stiffness) HAPTIC_REALTIME;
  /// Sets an anchor at p for a point that comes into contact during the step; then call settle().
  void place(std::uint32_t point, const SignedField& field, const Vector3& p) HAPTIC_REALTIME {
    touch(point, field, p, true);
  }
  /// Of a measured or placed point.
  void settle(std::uint32_t point, const SignedField& field,
              const Settled& settled) HAPTIC_REALTIME;

 private:
  struct Anchor {
    FieldAnchor at;
    std::uint64_t cycle = 0;  // last cycle in contact
    bool sliding = false;
    double normal_force = -1.0;
    double force = -1.0;  // of the spring at the end of the last step [N]; < 0: unknown
  };

  Anchor& touch(std::uint32_t point, const SignedField& field, const Vector3& p,
                bool fresh_slides) HAPTIC_REALTIME;

  std::vector<Anchor> anchors_;
  std::uint64_t cycle_ = 1;
};

}  // namespace haptic
