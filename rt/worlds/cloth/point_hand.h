#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "rt/bodies/held_body.h"
#include "rt/coupling/held_response.h"
#include "rt/worlds/cloth/contact/cloth_contact.h"
#include "rt/worlds/cloth/contact/point_contact.h"
#include "rt/worlds/cloth/hand_grip.h"
#include "rt/worlds/cloth/tethers.h"
#include "rt/worlds/cloth/touch/god_object.h"
#include "rt/worlds/cloth/touch/near_triangles.h"
#include "rt/worlds/cloth/touch/touch_force.h"

namespace haptic::cloth {

/// A point in the hand: a god-object on the cloth, or the particle that it has grabbed.
///
/// The spring between hand and god-object is the coupling, and acts on the cloth at the end of the
/// step, in ContactStep. A cycle: approach(); the step of the cloth; follow().
/// Source: docs/methods/cloth.md, "Hand and cloth in one step".
class PointHand {
 public:
  struct Settings {
    GodObjectSettings touch;
    ForceShading shading = ForceShading::kNone;
    HandGrip::Settings grip;
  };

  /// @param triangles  of a checked mesh of `particles` particles
  /// @param near       outlives this
  /// @throws InputError as GodObject
  PointHand(const std::vector<std::array<std::uint32_t, 3>>& triangles, std::size_t particles,
            const NearTriangles& near, const Settings& settings, double dt);

  /// Puts the point at p, free and without a particle. @returns false if p is on the cloth
  bool place(const Vector3& p, std::span<const double> x) HAPTIC_REALTIME;

  /// Goes towards the device; takes or lets go of a particle.
  /// @param device     position of the hand, of the manipulandum's grasp [m]
  /// @param fraction   of the way to the device that the point may go in this cycle, in (0, 1]
  /// @param stiffness  k of the coupling, force over distance [N/m]
  TouchResult approach(const Vector3& device, std::uint64_t buttons, double fraction,
                       double stiffness, std::span<const double> x) HAPTIC_REALTIME;
  /// The coupling on the cloth for ContactStep; nullptr if the point touches nothing.
  const PointContact* point_contact() const HAPTIC_REALTIME {
    return contact_count_ > 0 ? &point_ : nullptr;
  }
  /// The same for methods that take the forces of the step's start: plane by plane, at most three.
  std::span<const ClothContact> contacts() const HAPTIC_REALTIME {
    return std::span(contacts_).first(contact_count_);
  }
  /// The spring on the particle that is grabbed.
  std::optional<TargetSpring> spring() const HAPTIC_REALTIME;

  /// After the step of the cloth: goes along, then towards the device.
  TouchResult follow(std::span<const double> before, std::span<const double> x) HAPTIC_REALTIME;

  const Vector3& position() const HAPTIC_REALTIME { return position_; }  ///< m
  /// Where the coupling's spring acts: `position`, or beside it as the shading asks [m].
  Vector3 rendered(std::span<const double> x) const HAPTIC_REALTIME;
  /// How far the point can go in any direction before it touches a still cloth, at most `most` [m];
  /// 0 where it touches or holds a particle.
  double clearance(std::span<const double> x, double most) HAPTIC_REALTIME {
    return grip_.held() || touched() > 0 ? 0.0 : god_.clearance(x, most);
  }
  std::optional<std::uint32_t> grabbed() const HAPTIC_REALTIME { return grip_.held(); }
  std::size_t touched() const HAPTIC_REALTIME { return god_.contacts().size(); }

  /// How the point would have moved with the hand elsewhere, where it touches: with the cloth,
  /// along the planes that hold it, and off them. @param manipulandum, system, settings  of the
  /// step
  /// @param cloth  motion of the cloth under the point by that of the hand: 0 where it stands still
  HeldResponse response(const Pose& manipulandum, const HeldBody::StepSystem& system,
                        const CouplingSettings& settings,
                        const Matrix3& cloth) const HAPTIC_REALTIME;

 private:
  void set_contacts(double stiffness) HAPTIC_REALTIME;
  void set_point(double stiffness, std::span<const double> x) HAPTIC_REALTIME;
  TouchResult move_god(std::span<const double> x) HAPTIC_REALTIME;
  void let_go(std::span<const double> x) HAPTIC_REALTIME;

  GodObject god_;
  TouchForce shading_;
  VertexFans fans_;
  HandGrip grip_;
  GodObjectSettings settings_;
  double gather_;  // of the offset, a cycle
  bool shaded_;
  Vector3 position_ = Vector3::Zero(), device_ = Vector3::Zero();
  Vector3 approached_ = Vector3::Zero();  // position after the last approach()
  double fraction_ = 1.0, stiffness_ = 0.0;
  std::optional<std::uint32_t> last_held_;
  Vector3 offset_ = Vector3::Zero();  // of the grabbed particle from where the hand holds it
  std::array<ClothContact, 3> contacts_{};
  std::size_t contact_count_ = 0;
  PointContact point_;
};

}  // namespace haptic::cloth
