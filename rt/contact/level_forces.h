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

/// What a contact brings, and what it would bring were fewer levels rendered: the forces of the
/// points of the levels 1..k alone, scaled as these are, for every k.
class LevelSums {
 public:
  LevelSums(std::uint32_t levels, std::size_t shell_dimension, std::size_t field_dimension);

  /// Down to `level` (from 1), the deepest where it is deeper than what was rendered.
  const ContactForces& down_to(std::uint32_t level) const HAPTIC_REALTIME;
  std::uint32_t level() const HAPTIC_REALTIME { return level_; }  ///< rendered; 0: nothing yet
  void forget() HAPTIC_REALTIME { level_ = 0; }

 private:
  friend class LevelForces;
  std::vector<ContactForces> of_;  // a level
  std::uint32_t level_ = 0;
};

/// Takes the forces of a contact apart by levels, after ContactLaw has found them. Costs a third of
/// a sum over the contacts, as every level has a quarter of the points of the next.
class LevelForces {
 public:
  /// The views outlive it. Allocates all working memory; `gather` allocates nothing.
  LevelForces(const PointShell& shell, const PointTree& tree, const SignedField& field,
              const ContactSettings& settings, HeldSide held, std::span<const float> area_weights);

  /// @param law, touching, shell, field  of the same application  @param level  rendered, from 1
  void gather(const ContactLaw& law, const BodyMotion& shell, const BodyMotion& field,
              std::span<const TouchingPoint> touching, std::uint32_t level,
              LevelSums& sums) HAPTIC_REALTIME;

 private:
  struct Frames {
    Vector3 held_origin, field_position;
    Matrix3 world_to_shell, world_to_field;
  };

  void add(const Frames& frames, const Contact& contact, double ratio,
           ContactForces& sum) const HAPTIC_REALTIME;

  const PointShell* shell_;
  const SignedField* field_;
  HeldSide held_;
  ContactScale scale_;
  // Points of the levels at hand, and where they stand among the contacts.
  std::vector<TouchingPoint> kept_;
  std::vector<std::uint32_t> place_;
};

}  // namespace haptic
