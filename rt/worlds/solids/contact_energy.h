#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rt/contact/block_pattern.h"
#include "rt/worlds/solids/contact_set.h"
#include "shared/realtime.h"

namespace haptic::solids {

/// Energy that the normal forces of each pair create. In a step,
///
///   W + s (V_next - V),    V = sum k d^2 / 2
///
/// where W is the work of the forces on both bodies, V the sum over the points in contact at the
/// start of the step, V_next that at the start of the next one, k without the scale of the forces,
/// and s this scale. Forces of the step's end with the potential s V create nothing or less. Forces
/// along the normals of points have no potential, nor have those in a field that deforms; their sum
/// over the steps is the pair's account. What is positive there is taken out by damping.
///
/// What a change of the scale from s to s' creates, (s' - s) V_next, is summed apart, and not taken
/// out: it comes back where the points leave on the way on which they came.
///
/// Only pairs that are close, or whose account or contact is not yet zero, take time.
///
/// Steps in which a pair renders other levels than in the one before are not counted. Source:
/// docs/methods/contact-and-coupling.md, "Created energy".
class ContactEnergy {
 public:
  /// @param dt  of a step [s]
  ContactEnergy(std::span<const ContactSet::Pair> pairs, double dt);

  /// Start of a step, before the first add_stored().
  void begin() HAPTIC_REALTIME;
  /// A point in contact. @param stiffness  of its force, s k [N/m]; of several points, their sum
  void add_stored(std::uint32_t pair, const Contact& contact, double stiffness) HAPTIC_REALTIME {
    const double depth = contact.pressed_depth();
    const double energy = 0.5 * stiffness * depth * depth;
    pairs_[pair].scaled += energy;
    pairs_[pair].stored += energy / contact.scale;
    activate(pair);
  }
  /// What the spring of a wall stores [J].
  void add_stored_in_wall(std::uint32_t pair, double energy) HAPTIC_REALTIME {
    pairs_[pair].scaled += energy;
    pairs_[pair].stored += energy;
  }
  /// After the last one: what the step before has created is added to the accounts.
  void close(const ContactSet& contacts) HAPTIC_REALTIME;
  /// End of the step: work of a force [J].
  void add_work(std::uint32_t pair, double work) HAPTIC_REALTIME {
    pairs_[pair].work += work;
    activate(pair);
  }
  /// Energy that damping has taken from the bodies of a pair, >= 0 [J].
  void take(std::uint32_t pair, double energy) HAPTIC_REALTIME { pairs_[pair].account -= energy; }

  /// Energy that a pair has created, without what has been taken [J]; < 0: its contacts have taken
  /// more than they have created.
  double account(std::uint32_t pair) const HAPTIC_REALTIME { return pairs_[pair].account; }
  /// Energy that the points of a pair in contact store at the start of this step, with the scale of
  /// its forces [J]; after close().
  double stored(std::uint32_t pair) const HAPTIC_REALTIME {
    return pairs_[pair].scale * pairs_[pair].last_stored;
  }
  /// Discards the account of a pair. The step in which it is evaluated again is not counted.
  void forget(std::uint32_t pair) HAPTIC_REALTIME {
    pairs_[pair] = Account{};
    active_[pair / BlockPattern::kBits] &= ~(std::uint64_t{1} << (pair % BlockPattern::kBits));
  }
  /// Sum of the accounts that are positive, and of the positive sums of changes of scale [J].
  double created() const HAPTIC_REALTIME;
  /// Work of the forces since the start, each pair's of each step without sign [J]: what created()
  /// is to be compared with.
  double work() const HAPTIC_REALTIME { return work_; }
  void reset() HAPTIC_REALTIME;

  /// Time in which a negative account falls to 1/e: what contacts took long ago does not pay for
  /// what they create [s].
  static constexpr double kMemory_s = 1.0;

 private:
  struct Account {
    double account = 0.0, rescaled = 0.0;
    double stored = 0.0, scaled = 0.0;      // V, s V of this step
    double last_stored = 0.0, scale = 1.0;  // V, s of the last step
    double work = 0.0, stiffness = 0.0;     // W, and the pair's stiffness, of the last step
    std::uint32_t level = 0;                // of the last step
  };

  void activate(std::uint32_t pair) HAPTIC_REALTIME {
    active_[pair / BlockPattern::kBits] |= std::uint64_t{1} << (pair % BlockPattern::kBits);
  }

  std::vector<Account> pairs_;
  std::vector<std::uint64_t> active_;  // a bit per pair: the other accounts do not change
  std::vector<char> is_close_;         // per pair, within close()
  double dt_;
  double work_ = 0.0;
};

}  // namespace haptic::solids
