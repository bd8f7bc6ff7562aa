#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rt/contact/contact_law.h"
#include "rt/contact/contact_scale.h"
#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic {

/// Forces of a contact at an instant, on both bodies.
struct ContactForces {
  Wrench wrench;              ///< as Contact::force, about the held body's origin, world axes
  double pressed = 0.0;       ///< ContactResult::pressed [N]
  std::vector<double> shell;  ///< reduced, r each, material frames
  std::vector<double> field;
};

/// Forces of a contact by number of levels: for every k up to the rendered level, the forces that
/// the points of the levels 1..k alone have, with the scale for these points.
class LevelSums {
 public:
  LevelSums(std::uint32_t levels, std::size_t shell_dimension, std::size_t field_dimension);

  /// Forces of the levels 1..`level`, or of all rendered levels if `level` is deeper.
  const ContactForces& down_to(std::uint32_t level) const HAPTIC_REALTIME;
  std::uint32_t level() const HAPTIC_REALTIME { return level_; }  ///< rendered; 0: none yet
  void clear_history() HAPTIC_REALTIME { level_ = 0; }

 private:
  friend class LevelForces;
  std::vector<ContactForces> of_;  // per level
  std::uint32_t level_ = 0;
};

/// Computes the LevelSums of a contact after ContactLaw::apply. Costs a third of a sum over the
/// contacts if every level has a quarter of the points of the next.
class LevelForces {
 public:
  /// Shell, field and weights outlive the object. Allocates all working memory; `gather` allocates
  /// nothing.
  LevelForces(const PointShell& shell, const PointTree& tree, const SignedField& field,
              const ContactSettings& settings, HeldSide held, std::span<const float> area_weights);

  /// Another shell and field from the next call on. @pre they have the same data
  void serve(const PointShell& shell, const SignedField& field) HAPTIC_REALTIME {
    shell_ = &shell;
    field_ = &field;
  }
  /// @param law, touching, shell, field  of the same ContactLaw::apply  @param level  rendered
  void gather(const ContactLaw& law, const BodyMotion& shell, const BodyMotion& field,
              std::span<const TouchingPoint> touching, std::uint32_t level,
              LevelSums& sums) HAPTIC_REALTIME;

 private:
  struct Frames {
    Vector3 held_grasp, field_position;
    Matrix3 world_to_shell, world_to_field;
  };

  void add(const Frames& frames, const Contact& contact, double ratio,
           ContactForces& sum) const HAPTIC_REALTIME;

  const PointShell* shell_;
  const SignedField* field_;
  HeldSide held_;
  ContactScale scale_;
  // Points of the current levels, and their indices in the contacts.
  std::vector<TouchingPoint> kept_;
  std::vector<std::uint32_t> place_;
};

}  // namespace haptic
