#pragma once

#include <cstdint>
#include <limits>

#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic {

/// What the energy at the device port is held against.
enum class PassivityReference : std::uint8_t {
  kZero,    ///< nothing: what flowed in may flow out at any later time
  kStored,  ///< what the coupling stores now: a sampled spring's leak is charged while it loads
};

struct PassivitySettings {
  bool enabled = false;  ///< whether damping is added; the energy is observed in any case
  PassivityReference reference = PassivityReference::kStored;
  double max_damping = 5.0;  ///< most that is added at the port [N·s/m], >= 0
  /// Of the device itself [N·s/m], >= 0: what it dissipates in a step pays for what the step is
  /// short of, so that nothing is added where K < 2b/T already makes the sampled spring passive.
  double device_damping = 0.0;
  double length = 0.05;  ///< rotations count as motion at this distance [m], > 0
  /// What may be missing before damping is added [J], >= 0: what one step of an encoder is worth.
  double tolerance = 1e-6;
  /// Most that may be left over for later [J]: a long calm contact must not license a later burst.
  double max_surplus = std::numeric_limits<double>::infinity();
  double max_deficit = 0.02;  ///< a deficit beyond this is discarded [J], >= 0
};

/// Energy observer and damping controller at the device port, six degrees of freedom as one port.
///
/// A device that holds the wrench W_k from sample k to k+1 gives the hand exactly
/// W_k . (x_{k+1} - x_k), whatever happened between; so the observer's sum over samples is the true
/// energy of the sampled port, sample-and-hold included. It counts what the hand gives to us; we
/// are passive as long as that is not below the reference. Where it is, or would be after another
/// step of the present velocity, the controller adds the damping that pays the difference over the
/// coming step, as much of it as `max_damping` allows.
/// Source: Hannaford and Ryu 2002 (observer, controller), Ryu et al. 2005 (reference energy);
/// docs/methods/contact-and-coupling.md, "Passivity at the device port".
///
/// A cycle: observe(hand);  damping wrench = control(hand's wrench to come);  sent(what was sent).
class PassivityController {
 public:
  /// @param dt      seconds a wrench is held, > 0
  /// @param torque  whether the device turns the hand: without it only forces and translations
  ///                count
  /// @throws InputError if a setting is out of range or not a number
  PassivityController(const PassivitySettings& settings, double dt, bool torque);

  /// The port's energy counts from here: the hand is at `hand` and nothing was sent.
  void begin(const Pose& hand) HAPTIC_REALTIME;

  /// The hand has come to `hand` (device frame) under the wrench last sent.
  void observe(const Pose& hand) HAPTIC_REALTIME { observe(hand, dt_); }
  /// The same where the wrench was held for `elapsed_s` >= dt: slots were missed. The energy does
  /// not ask how long; the speed, from which the coming step is foreseen, does.
  void observe(const Pose& hand, double elapsed_s) HAPTIC_REALTIME;

  /// Wrench to add to `intended`, which is about to be sent.
  /// @param stored   energy the coupling could give back through `intended` [J], >= 0
  /// @param granted  part of it that arose without motion and is not charged: a force
  ///                 that ramps in [J]
  Wrench control(const Wrench& intended, double stored, double granted) HAPTIC_REALTIME;

  /// What went to the device after all limits.
  void sent(const Wrench& wrench) HAPTIC_REALTIME { sent_ = wrench; }

  /// Given by the hand since begin() [J]; negative where we fed the hand.
  double energy() const HAPTIC_REALTIME { return energy_; }
  double damping() const HAPTIC_REALTIME { return damping_; }  ///< added last [N·s/m]
  /// The same about the device's origin [N·m·s/rad].
  double rotational_damping() const HAPTIC_REALTIME {
    return torque_ ? damping_ * settings_.length * settings_.length : 0.0;
  }
  const PassivitySettings& settings() const HAPTIC_REALTIME { return settings_; }

 private:
  double squared_motion() const HAPTIC_REALTIME;

  PassivitySettings settings_;
  double dt_;
  bool torque_;
  Pose hand_;
  // In dt at the speed of the last step [m], [rad].
  Vector3 moved_ = Vector3::Zero(), turned_ = Vector3::Zero();
  double periods_ = 1.0;  // that the last step took
  Wrench sent_;
  double energy_ = 0.0;
  double balance_ = 0.0;  // energy_, granted and discarded amounts included [J]
  double damping_ = 0.0;
};

}  // namespace haptic
