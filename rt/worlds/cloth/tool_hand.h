#pragma once

#include <cstdint>
#include <string>

#include "rt/bodies/held_body.h"
#include "rt/coupling/held_response.h"
#include "rt/geometry/signed_field.h"
#include "rt/worlds/cloth/cloth_settings.h"
#include "rt/worlds/cloth/collision/volume_hierarchy.h"
#include "rt/worlds/cloth/contact/cloth_sites.h"
#include "rt/worlds/cloth/contact/field_contacts.h"

namespace haptic::cloth {

/// A rigid tool in the hand, six degrees of freedom: points of the cloth against its field, and its
/// quasi-static equation, or that of its mass, in the same step as the cloth.
///
/// A cycle: approach(); ContactStep::step(); follow().
/// Source: docs/methods/cloth.md, "Hand and cloth in one step".
class ToolHand {
 public:
  /// @param field    of the tool, rigid; outlives this
  /// @param cloth    triangles and particles at rest
  /// @param partner  of the tool in the step, with six unknowns
  ToolHand(const SignedField& field, std::span<const TriangleCorners> cloth,
           std::span<const double> rest, const ClothSettings& settings, std::uint32_t partner,
           double dt);

  void clear() HAPTIC_REALTIME { contacts_.clear_history(); }

  /// Finds the contacts and sets the tool's equation.
  /// @returns false if the step has no place for all contacts
  bool approach(const HeldBody& held, const HeldBody::StepSystem& system,
                const BoxHierarchy& hierarchy, const ClothState& state,
                ContactStep& step) HAPTIC_REALTIME;
  /// @returns the pose of the tool after the step
  Pose follow(const HeldBody& held, const ContactStep& step) HAPTIC_REALTIME;

  /// How the tool would have moved with the hand elsewhere: with the cloth, and off it. Where
  /// nothing presses it follows the hand as far as it is sure not to touch.
  /// @param hierarchy, state  after the step
  HeldResponse response(const HeldBody& held, const HeldBody::StepSystem& system,
                        const BoxHierarchy& hierarchy, const ClothState& state,
                        ContactStep& step) HAPTIC_REALTIME;

  const Wrench& wrench() const HAPTIC_REALTIME {
    return wrench_;
  }  ///< on the tool, about its grasp
  std::size_t left_out() const HAPTIC_REALTIME { return contacts_.left_out(); }
  std::string warning() const { return sites_.warning(); }
  const ClothSites& sites() const { return sites_; }
  void set_contact(double stiffness, double friction) HAPTIC_REALTIME;

 private:
  ClothSites sites_;
  FieldContacts contacts_;
  std::uint32_t partner_;
  double dt_;
  Wrench wrench_;
};

}  // namespace haptic::cloth
