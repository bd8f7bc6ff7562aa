#pragma once

#include <span>
#include <vector>

#include "rt/contact/contact_law.h"
#include "rt/contact/contact_settings.h"
#include "rt/contact/contact_traversal.h"
#include "rt/contact/level_fade.h"
#include "rt/contact/level_forces.h"
#include "rt/geometry/modal_coordinates.h"
#include "shared/realtime.h"

namespace haptic {

class PointShell;
class PointTree;
class SignedField;

/// Working memory and history of a ContactPair: about 0.36 kB for each point of the shell.
///
/// Pairs of the same two models with the same settings can use one after the other.
class ContactWorkspace {
 public:
  /// As ContactPair.
  ContactWorkspace(const PointShell& shell, const PointTree& tree, const SignedField& field,
                   const ContactSettings& settings, HeldSide held,
                   std::span<const float> area_weights);

 private:
  friend class ContactPair;

  /// For a pair of other bodies. @pre both have the same data as those before
  void serve(const PointShell& shell, const SignedField& field) HAPTIC_REALTIME;
  /// As after an evaluation without contact, without history.
  void clear() HAPTIC_REALTIME;
  void clear_history() HAPTIC_REALTIME;
  /// Copies the result of the contact law.
  void take_result() HAPTIC_REALTIME;
  void fade(const BodyMotion& shell, const BodyMotion& field,
            std::span<const TouchingPoint> touching) HAPTIC_REALTIME;

  HeldSide held_;
  ContactTraversal traversal_;
  ContactLaw law_;
  LevelForces level_forces_;
  LevelFade fade_;
  ModalCoordinates q_;  // of the shell's body
  ContactResult result_;
  std::vector<double> shell_force_, field_force_;
};

}  // namespace haptic
