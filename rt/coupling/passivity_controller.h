#pragma once

#include <cstdint>
#include <limits>

#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic {

/// Reference for the energy at the device port.
enum class PassivityReference : std::uint8_t {
  kZero,    ///< zero: energy that flowed in may flow out at any later time
  kStored,  ///< energy stored in the coupling: energy leaked by the sampled spring counts at once
};

struct PassivitySettings {
  bool enabled = false;  ///< whether damping is added; the energy is observed in any case
  PassivityReference reference = PassivityReference::kStored;
  double max_damping = 5.0;  ///< largest damping added at the port [N·s/m], >= 0
  /// Physical damping b of the device [N·s/m], >= 0. The energy that it dissipates in a step covers
  /// the deficit of that step, so that nothing is added if K < 2b/T makes the sampled spring
  /// passive.
  double device_damping = 0.0;
  double length = 0.05;  ///< lever arm that converts rotations to metres [m], > 0
  /// Deficit without added damping [J], >= 0: about the energy of one encoder step.
  double tolerance = 1e-6;
  /// Largest surplus kept for later [J]: a long contact at rest must not permit a later burst.
  double max_surplus = std::numeric_limits<double>::infinity();
  double max_deficit = 0.02;  ///< a deficit beyond this is discarded [J], >= 0
};

/// Energy observer and damping controller at the device port, six degrees of freedom as one port.
///
/// A device that holds the wrench W_k from sample k to k+1 transfers exactly W_k . (x_{k+1} - x_k)
/// to the hand, whatever the motion between the samples. The observer's sum over samples is
/// therefore the exact energy of the sampled port, sample-and-hold included. It counts the energy
/// received from the hand; the port is passive as long as this is not below the reference. If it
/// is, or with kZero would be after another step at the present velocity, the controller adds the
/// damping that dissipates the difference in the coming step, up to `max_damping`.
/// Source: Hannaford and Ryu 2002 (observer, controller), Ryu et al. 2005 (reference energy);
/// docs/methods/contact-and-coupling.md, "Passivity at the device port".
///
/// A cycle: observe(hand);  damping wrench = control(intended wrench);  sent(wrench).
class PassivityController {
 public:
  /// @param dt      time for which a wrench is held [s], > 0
  /// @param torque  whether the device has torque output; without it only forces and translations
  ///                count
  /// @throws InputError if a setting is out of range or not a number
  PassivityController(const PassivitySettings& settings, double dt, bool torque);

  /// Resets the energy of the port; the hand is at `hand` and no wrench was sent.
  void begin(const Pose& hand) HAPTIC_REALTIME;

  /// Observes the pose `hand` (device frame), reached under the wrench sent last.
  void observe(const Pose& hand) HAPTIC_REALTIME { observe(hand, dt_); }
  /// The same if slots were missed, so that the wrench was held for `elapsed_s` >= dt [s]. The
  /// energy does not depend on this time, but the velocity that predicts the next step does.
  void observe(const Pose& hand, double elapsed_s) HAPTIC_REALTIME;

  /// Wrench to add to `intended`, which is about to be sent.
  /// @param stored   energy that the coupling can return through `intended` [J], >= 0
  /// @param granted  part of it that arose without motion, such as by a force that ramps in, and is
  ///                 not counted [J]
  Wrench control(const Wrench& intended, double stored, double granted) HAPTIC_REALTIME;

  /// Records the wrench sent to the device, after all limits.
  void sent(const Wrench& wrench) HAPTIC_REALTIME { sent_ = wrench; }

  /// Energy received from the hand since begin() [J]; negative if the hand has received energy.
  double energy() const HAPTIC_REALTIME { return energy_; }
  double damping() const HAPTIC_REALTIME { return damping_; }  ///< last added damping [N·s/m]
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
  // Motion in dt at the velocity of the last step [m], [rad].
  Vector3 moved_ = Vector3::Zero(), turned_ = Vector3::Zero();
  double periods_ = 1.0;  // periods of the last step
  Wrench sent_;
  double energy_ = 0.0;
  double balance_ = 0.0;  // energy_, granted and discarded amounts included [J]
  double damping_ = 0.0;
};

}  // namespace haptic
