#pragma once

#include "rt/worlds/solids/joint.h"
#include "shared/realtime.h"

namespace haptic::solids {

/// The spring of a servo in the system of a step: force -stiffness (stretch + J x).
struct ServoSpring {
  double stiffness;  ///< N/m or N·m/rad
  double stretch;    ///< m or rad
};

/// The spring with which the amplitude of an inertia on a servo decays in a step as that of the
/// exact solution does, so that the damping is the one typed at any rate. The force at rest is
/// exact, the frequency w within (w dt)^2 / 24 and half the decay in a step. Where the servo is too
/// fast for the step (kSlow, kFast in the source), and where the inertia is unknown, it is that of
/// backward Euler, which settles at any stiffness. An inertia that is too small changes the damping
/// by terms of second order in dt only. Source: docs/methods/multibody.md, "Joints".
/// @param inertia  of what the servo moves [kg or kg·m²]; 0: unknown
/// @param dt       of the step [s]
/// @param offset   coordinate less target at the start of the step [m or rad]
ServoSpring servo_spring(const ServoSettings& servo, double inertia, double dt,
                         double offset) HAPTIC_REALTIME;

}  // namespace haptic::solids
