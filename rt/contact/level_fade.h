#pragma once

#include <cstdint>

#include "rt/contact/level_forces.h"
#include "shared/realtime.h"

namespace haptic {

/// Keeps the forces of a contact continuous where the levels that are rendered change (test
/// A13). Source: docs/methods/contact-and-coupling.md, "Level fade".
///
/// Work is taken up and shed at once, its force is not. What a change of levels takes from the
/// forces or adds to them is carried along from then on, with the opposite sign, and fades:
///   - finer: carried = forces of the levels of before - forces of all, both of this cycle;
///   - coarser: carried = forces of all - forces of the levels that remain, both of the last cycle,
///     the last in which the finer ones were looked at.
/// So the cycle of the change itself brings what the motion does to the coarser levels, no more.
///
/// The carried part fades over `fade_cycles` at the quickest, sooner where the points press less
/// than at the change, and never by more in a cycle than kMostOfForce of the net force, that of
/// this cycle or of the last, whichever is less: where opposite walls cancel, a small net force is
/// all that the hand feels, and it is what A13 divides by. Below kRounding of what the points press
/// a net force counts as that: it is the rounding of their normals, which are floats, and has no
/// digits that could change by a part. So a contact at rest gets from any force to any other,
/// through zero too, in a bounded time: fade_cycles + 2 ln(1 / kRounding) / kMostOfForce cycles at
/// the most. A contact of fewer than kFewestContacts in this cycle and the last, which A13 leaves
/// out, fades without that bound. With the contact goes what is carried.
class LevelFade {
 public:
  static constexpr double kMostOfForce = 0.025;  ///< half of what A13 allows at a change of level
  static constexpr std::uint32_t kFewestContacts = 50;
  static constexpr double kRounding = 0x1p-24;

  /// @param fade_cycles  0: nothing is carried, forces jump
  LevelFade(std::uint32_t fade_cycles, std::uint32_t levels, std::size_t shell_dimension,
            std::size_t field_dimension);

  /// Where the forces of the cycle at hand are to be gathered, before `apply`.
  LevelSums& sums() HAPTIC_REALTIME { return sums_[now_]; }

  /// Ends a cycle. @param depth  level down to which all that touches was rendered
  /// @param contacts  of the cycle
  void apply(std::uint32_t depth, std::uint32_t contacts) HAPTIC_REALTIME;

  /// What is to be added to the forces of the cycle: `carried` times `remaining`, 0..1.
  const ContactForces& carried() const HAPTIC_REALTIME { return carried_; }
  double remaining() const HAPTIC_REALTIME { return remaining_; }
  /// By how much fading changed the force in this cycle [N].
  double change() const HAPTIC_REALTIME { return change_; }

  /// Whether the last cycle left levels out or something is carried, so that the next one's sums
  /// are needed even without a limit of nodes.
  bool limited() const HAPTIC_REALTIME {
    return remaining_ != 0.0 || (depth_ != 0 && depth_ < levels_);
  }
  /// Nothing is carried, and the next cycle has none before it.
  void forget() HAPTIC_REALTIME;

 private:
  bool changes(std::uint32_t depth, std::uint32_t contacts) const HAPTIC_REALTIME;
  void carry(std::uint32_t depth) HAPTIC_REALTIME;
  void take_up(const ContactForces& plus, const ContactForces& minus) HAPTIC_REALTIME;
  void fade(std::uint32_t contacts) HAPTIC_REALTIME;

  std::uint32_t fade_cycles_, levels_;
  LevelSums sums_[2];
  int now_ = 0;  // of sums_, the other is the last cycle's
  ContactForces carried_;
  double pressed_ = 0.0;  // at the last change [N]
  double remaining_ = 0.0, change_ = 0.0;

  // The last cycle.
  std::uint32_t depth_ = 0, contacts_ = 0;
  double force_ = 0.0;  // N
};

}  // namespace haptic
