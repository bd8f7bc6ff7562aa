#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "rt/contact/contact_settings.h"
#include "rt/coupling/virtual_coupling.h"
#include "shared/math/pose.h"

namespace haptic {

/// How the held body follows the hand (docs/methods/contact-and-coupling.md, "Virtual coupling").
enum class CouplingMode : std::uint8_t {
  kStatic,   ///< quasi-static: one Newton step per cycle
  kDynamic,  ///< a mass on spring and damper
};

struct HeldBodySettings {
  CouplingMode mode = CouplingMode::kStatic;
  /// Point of the body that the hand holds, in its frame [m, simulated].
  Vector3 grasp{0.0, 0.0, 0.0};
  double stiffness = 400.0;           ///< k_VC [N/m]
  double rotational_stiffness = 0.5;  ///< small-angle slope k_T / 2 [N·m/rad]
  /// alpha in [0, 1); absent: kStaticDamping, as published, but none in the air where contact
  /// forces are those of the end of a step (HeldBody::damp_in_contact).
  std::optional<double> static_damping;
  static constexpr double kStaticDamping = 0.5;
  /// Of the hand that the held body can follow [m/s], [rad/s]. Absent: kMaxSpeed and
  /// kMaxAngularSpeed, none where contact is found at any speed (unlimited_if_absent).
  std::optional<double> max_speed, max_angular_speed;
  static constexpr double kMaxSpeed = 0.6, kMaxAngularSpeed = 6.283185307179586;
  /// Depth of one point at which the simulated coupling saturates [m]. Absent: it gives no more
  /// than the limits of force and torque; with explicit contact one voxel.
  std::optional<double> permitted_depth;
  ContactGradient contact_gradient = ContactGradient::kMirror;
  SaturationGradient saturation_gradient = SaturationGradient::kSecant;
  double mass = 0.05;             ///< kg, dynamic
  std::optional<double> inertia;  ///< about the grasp [kg·m²], dynamic; absent: of a solid ball
  double damping_ratio = 1.0;     ///< of the coupling's damper over critical, dynamic
  /// Largest stiffness of the coupling at the hand [N per m of hand].
  double max_stiffness = std::numeric_limits<double>::infinity();
  bool limit_to_device = false;               ///< max_stiffness is the device's rating
  bool limit_cycle_guard = false;             ///< shorter steps while the static mode oscillates
  std::optional<std::int64_t> clutch_button;  ///< bit of the device's buttons
  double clutch_fade_s = 0.2;                 ///< time from the clutch's release to full force [s]
};

/// For a world that finds contact at any speed: a limit that is absent is none, so that a fast hand
/// feels nothing in free air.
inline HeldBodySettings unlimited_if_absent(HeldBodySettings settings) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  settings.max_speed = settings.max_speed.value_or(kNone);
  settings.max_angular_speed = settings.max_angular_speed.value_or(kNone);
  return settings;
}

}  // namespace haptic
