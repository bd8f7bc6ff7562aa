#pragma once

#include <cstdint>

#include "rt/contact/level_forces.h"
#include "shared/realtime.h"

namespace haptic {

/// Keeps the forces of a contact continuous when the rendered levels change (test A13).
/// Source: docs/methods/contact-and-coupling.md, "Level fade".
///
/// The levels change at once, the force does not. The difference that a change of levels makes to
/// the forces is added with the opposite sign from then on (the carried part) and fades:
///   - finer: carried = forces of the previous levels - forces of all levels, both of this cycle;
///   - coarser: carried = forces of all levels - forces of the remaining levels, both of the last
///     cycle, which was the last to render the finer levels.
/// In the cycle of the change, the force thus changes only by the effect of motion on the coarser
/// levels.
///
/// The carried part fades over `fade_cycles`, or sooner if the points press less than at the
/// change. From kFewestContacts contacts on, in this cycle or the last, its change in a cycle is at
/// most kMaxForceFraction of the net force, which may take longer; A13 leaves out smaller contacts.
/// The net force is the smaller one of this cycle and the last: where opposite walls cancel, only a
/// small net force is felt, and A13 is relative to it. It counts as at least kRounding of the
/// pressed forces, the rounding error of the float normals. A contact at rest therefore changes
/// from any force to any other, also through zero, in a bounded time: at most fade_cycles +
/// 2 ln(1 / kRounding) / kMaxForceFraction cycles. When the contact ends, the carried part is
/// dropped.
class LevelFade {
 public:
  static constexpr double kMaxForceFraction =
      0.025;  ///< half the bound of A13 at a change of level
  static constexpr std::uint32_t kFewestContacts = 50;
  static constexpr double kRounding = 0x1p-24;

  /// @param fade_cycles  0: nothing is carried, forces jump
  LevelFade(std::uint32_t fade_cycles, std::uint32_t levels, std::size_t shell_dimension,
            std::size_t field_dimension);

  /// Sums of the current cycle, to be filled before `apply`.
  LevelSums& sums() HAPTIC_REALTIME { return sums_[now_]; }

  /// Ends a cycle. @param depth  level down to which all touching points are rendered
  /// @param contacts  of the cycle
  void apply(std::uint32_t depth, std::uint32_t contacts) HAPTIC_REALTIME;

  /// The caller adds `carried` times `remaining`, 0..1, to the forces of the cycle.
  const ContactForces& carried() const HAPTIC_REALTIME { return carried_; }
  double remaining() const HAPTIC_REALTIME { return remaining_; }
  /// By how much fading changed the force in this cycle [N].
  double change() const HAPTIC_REALTIME { return change_; }

  /// Whether the last cycle left out levels or a force is carried: then the next cycle needs sums
  /// even without a node limit.
  bool limited() const HAPTIC_REALTIME {
    return remaining_ != 0.0 || (depth_ != 0 && depth_ < levels_);
  }
  /// Discards the carried part and the last cycle.
  void clear_history() HAPTIC_REALTIME;

 private:
  bool changes(std::uint32_t depth, std::uint32_t contacts) const HAPTIC_REALTIME;
  void carry(std::uint32_t depth) HAPTIC_REALTIME;
  void take_up(const ContactForces& plus, const ContactForces& minus) HAPTIC_REALTIME;
  void fade(std::uint32_t contacts) HAPTIC_REALTIME;

  std::uint32_t fade_cycles_, levels_;
  LevelSums sums_[2];
  int now_ = 0;  // current one of sums_; the other is that of the last cycle
  ContactForces carried_;
  double pressed_ = 0.0;  // at the last change [N]
  double remaining_ = 0.0, change_ = 0.0;

  // The last cycle.
  std::uint32_t depth_ = 0, contacts_ = 0;
  double force_ = 0.0;  // N
};

}  // namespace haptic
