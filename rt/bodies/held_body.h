#pragma once

#include <optional>

#include "rt/bodies/held_body_settings.h"
#include "rt/coupling/clutch.h"
#include "rt/coupling/dynamic_coupling.h"
#include "rt/coupling/grasp.h"
#include "rt/coupling/hand_coupling.h"
#include "rt/coupling/limit_cycle_guard.h"
#include "rt/coupling/virtual_coupling.h"
#include "rt/device/device.h"
#include "shared/math/pose.h"

namespace haptic {

/// Sum of all contacts on the held body.
struct ContactLoad {
  Wrench wrench;                       ///< about its grasp, world axes [N, N·m]
  Matrix6 gradient = Matrix6::Zero();  ///< d(force, torque)/d(Dx, Dw)
  Matrix6 damping = Matrix6::Zero();   ///< d(force, torque)/d(velocity, angular velocity)
};

/// What the held body transmits to the hand.
struct HeldBodyFeel {
  Wrench device_wrench;    ///< on the hand, device frame, before limits [N, N·m]
  double stored_energy_J;  ///< energy that device_wrench can return to the hand, >= 0
  double force_scale;      ///< of the clutch, 0 to 1
};

/// The held body: clutch, manipulandum, virtual coupling in the mode of the scene, and simulation
/// object (docs/methods/contact-and-coupling.md, "Virtual coupling"). Poses are of the body's
/// frame; wrenches, twists and steps count at its grasp.
///
/// A cycle:  follow(hand);  load = couple();  contact at pose();  advance(load, contact, next);
///           accept(next);  feel().
class HeldBody {
 public:
  /// @param home    pose of the body with the hand at the device's origin
  /// @param radius  bounding radius about the grasp [m], > 0
  /// @param dt      of a cycle [s]
  /// @throws InputError if a setting is out of range
  HeldBody(const HeldBodySettings& settings, const Pose& home, double length_scale, double radius,
           double dt);

  /// Sets the plateau F_max [N] of the coupling force, the force of one point at the permitted
  /// depth, and T_max = F_max radius. @returns false if a setting is out of range
  [[nodiscard]] bool set_plateau(double plateau) HAPTIC_REALTIME;
  /// Settings that an operator can change: stiffness, rotational_stiffness, static_damping. A
  /// change takes effect with the next set_plateau.
  HeldBodySettings& adjustable() HAPTIC_REALTIME { return adjustable_; }
  const HeldBodySettings& adjustable() const HAPTIC_REALTIME { return adjustable_; }
  const CouplingSettings& settings() const HAPTIC_REALTIME { return coupling_.settings(); }

  /// Updates the manipulandum from the hand of this cycle, device frame.
  void follow(const DeviceState& hand) HAPTIC_REALTIME;
  const Pose& manipulandum() const HAPTIC_REALTIME { return manipulandum_; }

  const Pose& pose() const HAPTIC_REALTIME { return pose_; }
  const Grasp& grasp() const HAPTIC_REALTIME { return grasp_; }
  Vector3 grasp_position() const HAPTIC_REALTIME {
    return grasp_.frame(pose_).position;
  }                                                              ///< world
  const Twist& twist() const HAPTIC_REALTIME { return twist_; }  ///< of the grasp, last cycle
  /// The same, of the body's origin.
  Twist origin_twist() const HAPTIC_REALTIME { return grasp_.body(twist_, pose_.orientation); }
  /// Sets the pose; the twist becomes zero.
  void place(const Pose& pose) HAPTIC_REALTIME;

  /// Saturated coupling wrench at the grasp and its gradient.
  CouplingLoad couple() const HAPTIC_REALTIME;
  /// Computes the next pose by the quasi-static step, with the contact's damper implicit, or by the
  /// step of mass, spring and damper.
  [[nodiscard]] CouplingStatus advance(const CouplingLoad& load, const ContactLoad& contact,
                                       Pose& next) const HAPTIC_REALTIME;
  /// The body's rows of a system solved together with other bodies: the displacement z of its grasp
  /// (linear, angular) over the step satisfies A z = b + contact wrench at the step's end.
  struct StepSystem {
    Matrix6 matrix;     ///< symmetric, positive definite
    Vector6 load;       ///< N, N·m
    Vector6 stiffness;  ///< of the coupling, dF/d(manipulandum): diagonal, the secant to M
    /// `matrix` without the static damping, which only delays the body: what a hand in steady
    /// motion feels.
    Matrix6 undelayed;
    /// How far a response of the body within the step is held back, 0 to 1: k h² over the least
    /// mass of a hand, k the stiffness at the hand and h the step
    /// (docs/methods/contact-and-coupling.md, "Response within a world step").
    Vector6 held_back;
  };
  /// Quasi-static: coupling and static damping, as a damper that leaves the part alpha of the gap
  /// in free space; with mass: one backward Euler step. The coupling's stiffness is the secant to
  /// M.
  StepSystem prepare(const CouplingLoad& load) const HAPTIC_REALTIME;
  /// How many times z is longer than the largest motion of a cycle, translation (the first three)
  /// and rotation each: at least 1.
  Vector6 excess(const Vector6& z) const HAPTIC_REALTIME;
  Pose moved(const Vector6& z) const HAPTIC_REALTIME;
  void accept(const Pose& next) HAPTIC_REALTIME;

  HeldBodyFeel feel() const HAPTIC_REALTIME;
  /// The coupling law as a value, for a servo at a different rate.
  HandCoupling hand_coupling() const HAPTIC_REALTIME;

  /// Resets clutch, guard and twist; the pose is unchanged.
  void reset() HAPTIC_REALTIME;

 private:
  struct Implicit {
    Wrench wrench;
    Matrix6 gradient;
  };
  Implicit implicit_contact(const ContactLoad& contact) const HAPTIC_REALTIME;

  HeldBodySettings adjustable_;
  Pose home_;
  Grasp grasp_;
  double length_scale_, radius_, dt_;
  VirtualCoupling coupling_;
  std::optional<DynamicCoupling> dynamic_;
  LimitCycleGuard guard_;
  Clutch clutch_;
  Pose manipulandum_, pose_;
  Twist manipulandum_twist_, twist_;
};

}  // namespace haptic
