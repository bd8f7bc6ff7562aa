#pragma once

#include <optional>

#include "rt/coupling/clutch.h"
#include "rt/coupling/dynamic_coupling.h"
#include "rt/coupling/hand_coupling.h"
#include "rt/coupling/limit_cycle_guard.h"
#include "rt/coupling/virtual_coupling.h"
#include "rt/device/device.h"
#include "rt/worlds/contact_set.h"
#include "rt/worlds/scene.h"
#include "rt/worlds/world.h"

namespace haptic {

/// The body in the hand: clutch, manipulandum, virtual coupling in the mode of the scene, and the
/// simulation object that follows (docs/methods/contact-and-coupling.md, "Virtual coupling").
///
/// A cycle:  follow(hand);  load = couple();  contact at pose();  advance(load, contact, next);
///           accept(next);  feel(output).
class HeldBody {
 public:
  /// @param home    pose of the body when the hand is at the device's origin
  /// @param radius  bounding radius about the grasp [m], > 0
  /// @param dt      of a cycle [s]
  /// @throws InputError if a setting is out of range
  HeldBody(const SceneCoupling& scene, const Pose& home, double length_scale, double radius,
           double dt);

  /// Plateau F_max [N] of the coupling force: what one point pushes at the permitted depth; T_max
  /// is its moment at the radius. @returns false if a setting is out of range
  [[nodiscard]] bool set_plateau(double plateau) HAPTIC_REALTIME;
  /// What an operator may change: stiffness, rotational_stiffness, static_damping. After a change,
  /// set_plateau puts it into force.
  SceneCoupling& scene() HAPTIC_REALTIME { return scene_; }
  const SceneCoupling& scene() const HAPTIC_REALTIME { return scene_; }
  const CouplingSettings& settings() const HAPTIC_REALTIME { return coupling_.settings(); }

  /// The hand of this cycle, device frame.
  void follow(const DeviceState& hand) HAPTIC_REALTIME;
  const Pose& manipulandum() const HAPTIC_REALTIME { return manipulandum_; }

  const Pose& pose() const HAPTIC_REALTIME { return pose_; }
  const Twist& twist() const HAPTIC_REALTIME { return twist_; }  ///< of the last cycle
  /// Puts the body somewhere else; nothing moved it there.
  void place(const Pose& pose) HAPTIC_REALTIME;

  /// Saturated coupling wrench at the body and its gradient.
  CouplingLoad couple() const HAPTIC_REALTIME;
  /// What the quasi-static step solves, z = -A^-1 W: net wrench and gradient, the contact's damper
  /// taken implicitly; and the share of z that damping and speed limit leave.
  struct Balance {
    Vector6 wrench;
    Matrix6 gradient;
    double share;
  };
  Balance balance(const CouplingLoad& load, const ContactSet::Sum& contact) const HAPTIC_REALTIME;
  /// Where the body goes in this cycle: the quasi-static step with the contact's damper taken
  /// implicitly, or the step of mass, spring and damper.
  [[nodiscard]] CouplingStatus advance(const CouplingLoad& load, const ContactSet::Sum& contact,
                                       Pose& next) const HAPTIC_REALTIME;
  void accept(const Pose& next) HAPTIC_REALTIME;

  /// Poses, wrench on the hand, stored energy and the clutch's share.
  void feel(WorldOutput& output) const HAPTIC_REALTIME;
  /// The same law as a value, for a servo at another rate.
  HandCoupling hand_coupling() const HAPTIC_REALTIME;

  /// The hand and its body have not met.
  void reset() HAPTIC_REALTIME;

 private:
  struct Implicit {
    Wrench wrench;
    Matrix6 gradient;
  };
  Implicit implicit_contact(const ContactSet::Sum& contact) const HAPTIC_REALTIME;

  SceneCoupling scene_;
  Pose home_;
  double length_scale_, radius_, dt_;
  VirtualCoupling coupling_;
  std::optional<DynamicCoupling> dynamic_;
  LimitCycleGuard guard_;
  Clutch clutch_;
  Pose manipulandum_, pose_;
  Twist manipulandum_twist_, twist_;
};

}  // namespace haptic
