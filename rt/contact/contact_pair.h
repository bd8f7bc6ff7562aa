#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "rt/contact/contact_law.h"
#include "rt/contact/contact_settings.h"
#include "rt/contact/contact_traversal.h"
#include "rt/contact/contact_workspace.h"
#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic {

class PointShell;
class PointTree;
class SignedField;

/// A point near a field, but not in contact.
struct ApproachingPoint {
  std::uint32_t point;   ///< index into the shell
  Vector3 position;      ///< m, world
  Vector3 normal;        ///< inward unit normal of the shell point, world
  Vector3 gradient;      ///< of the field's distance, world
  double distance;       ///< along the normal, >= 0 [m]
  double stiffness;      ///< in contact, scaled like the present contacts [N/m]
  double value;          ///< of the field, >= 0 [m]
  double at_unit_slope;  ///< stiffness where the gradient has length 1 [N/m]
  double slope;          ///< of the field's value along the normal, > 0: Contact::slope
};

/// Contact of the points of one body with the field of another: a traversal, then the contact law
/// (docs/methods/contact-and-coupling.md, "Traversal"). A pose that is not finite gives no contact.
class ContactPair {
 public:
  /// Shell, field and weights outlive the pair. Allocates all working memory; `evaluate` allocates
  /// nothing.
  /// @param area_weights  one per shell point; empty: all 1
  /// @throws InputError if a setting or weight is out of range or shell and tree do not match
  ContactPair(const PointShell& shell, const PointTree& tree, const SignedField& field,
              const ContactSettings& settings, HeldSide held,
              std::span<const float> area_weights = {});
  /// A pair that has no working memory of its own: it has no contacts but between borrow() and
  /// give_back(). @param idle  a workspace of such pairs that is never borrowed; outlives the pair
  ContactPair(const PointShell& shell, const SignedField& field, ContactWorkspace& idle);

  /// Whether the pair can be evaluated.
  bool has_workspace() const HAPTIC_REALTIME { return space_ != idle_; }
  /// @pre the pair has none; `space` is of the same models and settings
  void borrow(ContactWorkspace& space) HAPTIC_REALTIME;
  /// leave(), without the workspace from now on. @returns what was borrowed; nullptr: nothing was
  ContactWorkspace* give_back() HAPTIC_REALTIME;

  /// Traversal and contact law; the force is continuous when the node limit changes the levels
  /// (LevelFade). A deforming field is already in the state `field.q`.
  const ContactResult& evaluate(const BodyMotion& shell, const BodyMotion& field) HAPTIC_REALTIME;
  /// Margin of the traversal from the next evaluation on [m], finite; < 0: near() is empty. Needs
  /// `near_points` of the settings.
  void set_margin(double margin) HAPTIC_REALTIME { margin_ = margin; }
  double margin() const HAPTIC_REALTIME { return margin_; }
  /// The points of near() that are not in contact.
  /// @param shell, field  of the last evaluation
  /// @param reach         largest distance [m], if smaller than the margin
  /// @param[out] points   filled from the front; further points are left out
  /// @returns their number
  std::size_t approaching(const BodyMotion& shell, const BodyMotion& field, double reach,
                          std::span<ApproachingPoint> points) const HAPTIC_REALTIME;
  /// Of the traversal of the last evaluation.
  std::span<const NearPoint> near() const HAPTIC_REALTIME { return space_->traversal_.near(); }
  std::uint32_t level() const HAPTIC_REALTIME {
    return has_workspace() ? space_->traversal_.level() : 1;  // as after leave()
  }
  bool was_cut() const HAPTIC_REALTIME { return space_->traversal_.was_cut(); }

  /// How far a body can go relative to the other before a point may touch, at most `most` [m]; a
  /// test of every point. @pre has_workspace(); a deforming field is in the state of its last one
  double clearance(const BodyMotion& shell, const BodyMotion& field, double most) HAPTIC_REALTIME {
    space_->q_.assign(shell.q);
    return space_->traversal_.clearance(shell.pose, field.pose, space_->q_, most);
  }

  /// Tests every point, without the tree or the fade: the oracle of tests and `--brute-force`.
  const ContactResult& evaluate_brute_force(const BodyMotion& shell,
                                            const BodyMotion& field) HAPTIC_REALTIME;

  /// Bodies at rest; a rigid field. @param shell_q r reduced coordinates (empty if rigid)
  const ContactResult& evaluate(const Pose& shell_pose, const Pose& field_pose,
                                std::span<const double> shell_q) HAPTIC_REALTIME {
    return evaluate({.pose = shell_pose, .q = shell_q}, {.pose = field_pose});
  }
  const ContactResult& evaluate_brute_force(const Pose& shell_pose, const Pose& field_pose,
                                            std::span<const double> shell_q) HAPTIC_REALTIME {
    return evaluate_brute_force({.pose = shell_pose, .q = shell_q}, {.pose = field_pose});
  }

  /// Contacts of the last evaluation, ordered by point index. Their forces sum to the force of the
  /// result without `carried`.
  std::span<const Contact> contacts() const HAPTIC_REALTIME { return space_->law_.contacts(); }
  /// sum U_s^T (force on the shell), shell's material frame [r]; of the last evaluation.
  std::span<const double> reduced_force() const HAPTIC_REALTIME { return space_->shell_force_; }
  /// sum U^T (force on the field's body), its material frame [r]; of the last evaluation.
  std::span<const double> reduced_force_of_field() const HAPTIC_REALTIME {
    return space_->field_force_;
  }

  /// Part of the forces of the last evaluation that comes from contacts(); the rest is carried over
  /// from a change of levels and has no gradient.
  std::span<const double> reduced_force_of_contacts() const HAPTIC_REALTIME {
    return space_->law_.reduced_force_of_shell();
  }
  std::span<const double> reduced_force_of_contacts_on_field() const HAPTIC_REALTIME {
    return space_->law_.reduced_force_of_field();
  }
  const Wrench& carried() const HAPTIC_REALTIME { return space_->result_.carried; }

  /// Discards the state of earlier evaluations: friction anchors, subtrees known to be free, levels
  /// and carried forces.
  void clear_history() HAPTIC_REALTIME { space_->clear_history(); }
  /// For bodies too far apart for contact: as after an evaluation without contact, and
  /// clear_history().
  void leave() HAPTIC_REALTIME;
  /// V_W of the traversal, 0: no limit. A limit after none can change the force at once.
  std::uint32_t node_budget() const HAPTIC_REALTIME { return space_->traversal_.warm_nodes(); }
  void set_node_budget(std::uint32_t nodes) HAPTIC_REALTIME {
    space_->traversal_.set_warm_nodes(nodes);
  }

  const ContactSettings& settings() const HAPTIC_REALTIME { return space_->law_.settings(); }
  void set_stiffness(double stiffness) HAPTIC_REALTIME {
    stiffness_ = stiffness;
    space_->law_.set_stiffness(stiffness);
  }
  double stiffness() const HAPTIC_REALTIME { return stiffness_; }
  /// By how much a wall gave way in the last evaluation [m] (ContactLaw::give).
  double give() const HAPTIC_REALTIME { return space_->law_.give(); }
  /// Whether the forces of the step's end are found elsewhere (ContactLaw::set_end_of_step).
  void set_end_of_step(bool end) HAPTIC_REALTIME {
    end_of_step_ = end;
    space_->law_.set_end_of_step(end);
  }
  /// Sets the friction anchor of a point that comes into contact during the step
  /// (ContactLaw::place_anchor).
  void place_anchor(std::uint32_t point, const Vector3& position) HAPTIC_REALTIME {
    space_->law_.place_anchor(point, position);
  }
  /// State of a point's friction at the step's end (ContactLaw::settle).
  void settle(std::uint32_t point, const FrictionAnchors::Settled& settled) HAPTIC_REALTIME {
    space_->law_.settle(point, settled);
  }

 private:
  const PointShell* shell_;
  const SignedField* field_;
  std::unique_ptr<ContactWorkspace> own_;
  ContactWorkspace* idle_;   // nullptr: it has its own
  ContactWorkspace* space_;  // the one in use
  double stiffness_;
  bool end_of_step_ = false;
  double margin_ = ContactTraversal::kNoMargin;
};

}  // namespace haptic
