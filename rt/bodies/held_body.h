#pragma once

#include <optional>

#include "rt/bodies/held_body_settings.h"
#include "rt/coupling/clutch.h"
#include "rt/coupling/dynamic_coupling.h"
#include "rt/coupling/grasp.h"
#include "rt/coupling/hand_coupling.h"
#include "rt/coupling/held_response.h"
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

  /// Limits the wrench of the coupling on the body to what can reach the hand: up to there, the
  /// body gets what the hand feels. @param force [N], torque [N·m]  > 0; infinity: no limit
  /// @returns false if a setting is out of range
  [[nodiscard]] bool set_limits(double force, double torque) HAPTIC_REALTIME;
  /// The same as published: from half of the plateau F_max [N] on, the body gets less than the hand
  /// feels; T_max = F_max radius. F_max is the force of one point at the permitted depth.
  [[nodiscard]] bool set_plateau(double plateau) HAPTIC_REALTIME;
  /// For a world that makes several steps of dt in one that a faster servo renders. @param period
  /// of the latter [s]; default: dt
  void set_period(double period) { period_ = period; }
  /// Settings that an operator can change: stiffness, rotational_stiffness, static_damping. A
  /// change takes effect with the next set_limits or set_plateau.
  HeldBodySettings& adjustable() HAPTIC_REALTIME { return adjustable_; }
  const HeldBodySettings& adjustable() const HAPTIC_REALTIME { return adjustable_; }
  const CouplingSettings& settings() const HAPTIC_REALTIME { return coupling_.settings(); }

  /// For a world whose contact forces are those of the end of a step, at its start: where no static
  /// damping is given, it is 0.5 in contact and until 0.1 s after it, in which it keeps a held body
  /// calm that touches and leaves soft bodies, and 0 in the air, where it is a drag. Other worlds
  /// have 0.5.
  /// @param touches  whether the body was in contact in the last step
  void damp_in_contact(bool touches) HAPTIC_REALTIME;
  /// Updates the manipulandum from the hand of this cycle, device frame.
  void follow(const DeviceState& hand) HAPTIC_REALTIME;
  const Pose& manipulandum() const HAPTIC_REALTIME { return manipulandum_; }

  const Pose& pose() const HAPTIC_REALTIME { return pose_; }
  const Grasp& grasp() const HAPTIC_REALTIME { return grasp_; }
  Vector3 grasp_position() const HAPTIC_REALTIME {
    return grasp_.frame(pose_).position;
  }                                                              ///< world
  const Twist& twist() const HAPTIC_REALTIME { return twist_; }  ///< of the grasp, last cycle
  /// Motion of the last cycle over the largest one, of translation or rotation: 1 at the speed
  /// limit.
  double speed_fraction() const HAPTIC_REALTIME;
  /// By how much the force that the hand feels exceeds the one that the body gets, over the latter:
  /// 0 unless the coupling saturates below `limit`.
  /// @param limit  of the force on the hand [N], > 0
  double felt_excess(double limit) const HAPTIC_REALTIME;
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
    Vector6 mass;  ///< in `matrix`, with the moments of inertia [kg, kg·m²]; zero: quasi-static
  };
  /// Quasi-static: coupling and static damping, as a damper that leaves the part alpha of the gap
  /// in free space; with mass: one backward Euler step. The coupling's stiffness is the secant to
  /// M.
  StepSystem prepare(const CouplingLoad& load) const HAPTIC_REALTIME;
  /// Bounding radius about the grasp [m].
  double radius() const HAPTIC_REALTIME { return radius_; }
  /// Largest motion of the body between two steps that a faster servo renders [m], [rad].
  double max_motion() const HAPTIC_REALTIME;
  double max_rotation() const HAPTIC_REALTIME;
  /// How far the clearance of a body that touches nothing has to be known [m]: well beyond the way
  /// of the hand in the two steps in which a faster servo renders this one.
  double way_in_air() const HAPTIC_REALTIME;
  /// How the body follows a faster servo's hand after a step in which it touches nothing: it is
  /// where the hand is, as far as it is sure not to touch. With a mass or a static damping it stays
  /// where it is, and so until 0.1 s after the last contact: a light hand that bounces on a slow
  /// world needs this drag.
  /// @param clearance  how far no point of the body touches anything [m], >= 0
  /// @param arm        of the furthest point about the grasp [m]; 0: turning moves no point
  HeldResponse response_in_air(double clearance, double arm) const HAPTIC_REALTIME;
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
  bool set_laws(const SpringLaw& force, double torque) HAPTIC_REALTIME;
  struct Implicit {
    Wrench wrench;
    Matrix6 gradient;
  };
  Implicit implicit_contact(const ContactLoad& contact) const HAPTIC_REALTIME;

  HeldBodySettings adjustable_;
  Pose home_;
  Grasp grasp_;
  double length_scale_, radius_, dt_, period_;
  VirtualCoupling coupling_;
  std::optional<DynamicCoupling> dynamic_;
  LimitCycleGuard guard_;
  Clutch clutch_;
  Pose manipulandum_, pose_;
  Twist manipulandum_twist_, twist_;
  double damping_ = HeldBodySettings::kStaticDamping;  // where none is given
  static constexpr double kNoContact_s = 1e9;
  double since_contact_s_ = kNoContact_s;  // since the last step with contact
};

}  // namespace haptic
