#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rt/bodies/cloth_model.h"
#include "rt/worlds/cloth/cloth_settings.h"
#include "rt/worlds/cloth/cloth_system.h"
#include "rt/worlds/cloth/collision/hierarchy_triangles.h"
#include "rt/worlds/cloth/collision/self_contact.h"
#include "rt/worlds/cloth/contact/contact_step.h"
#include "rt/worlds/cloth/explicit_contacts.h"
#include "rt/worlds/cloth/scene_constraints.h"
#include "rt/worlds/cloth/strain_limiter.h"
#include "shared/math/pose.h"

namespace haptic::cloth {

/// The mesh at rest in the world, time 0. @param pose  of its frame
ClothState placed_at_rest(const ClothMesh& mesh, const Pose& pose);

/// The cloth of a running scene: its system and state, the method that advances it, the limits of
/// its strain, and what keeps its layers apart.
///
/// A step: clear(); add() the contacts, or through implicit(); step(); then force().
class ClothSheet {
 public:
  /// @param pose      of the model's frame, world
  /// @param dt        of a step [s]
  /// @param bodies    that it can touch, the tool included
  /// @param partners  unknowns of each body that gives way
  /// @param source    scene file, for messages
  /// @throws InputError as apply_constraints and make_cloth_integrator, or if the cloth has too
  ///         many particles, or parts nearer than the thickness that self_contact keeps between
  ///         them
  ClothSheet(const ClothModel& model, const Pose& pose, const ClothSettings& settings,
             const Vector3& gravity, double dt, std::size_t bodies,
             std::span<const std::uint32_t> partners, const std::string& source);

  ClothSystem& system() HAPTIC_REALTIME { return *system_; }
  const ClothSystem& system() const HAPTIC_REALTIME { return *system_; }
  const std::vector<TriangleCorners>& triangles() const { return triangles_; }
  const ClothState& state() const HAPTIC_REALTIME { return state_; }
  std::span<const double> x() const HAPTIC_REALTIME { return state_.x; }  ///< m, 3n values
  std::span<const double> rest() const HAPTIC_REALTIME { return rest_.x; }
  /// Positions before the last step.
  std::span<const double> before() const HAPTIC_REALTIME { return before_; }
  /// Triangles near a place, for the last step and the state after it.
  const HierarchyTriangles& near() const HAPTIC_REALTIME { return *near_; }

  void clear() HAPTIC_REALTIME;
  [[nodiscard]] bool add(const ClothContact& contact) HAPTIC_REALTIME;
  /// The step that takes contacts with bodies; nullptr with an explicit method.
  ContactStep* implicit() HAPTIC_REALTIME { return implicit_ ? &*implicit_ : nullptr; }
  const ContactStep* implicit() const HAPTIC_REALTIME { return implicit_ ? &*implicit_ : nullptr; }
  std::size_t contacts() const HAPTIC_REALTIME;
  const ClothContact& contact(std::size_t k) const HAPTIC_REALTIME {
    return implicit_ ? implicit_->contact(k) : explicit_->contact(k);
  }

  /// One step. If it is not kOk, the state is unchanged.
  [[nodiscard]] ClothStepResult step() HAPTIC_REALTIME;

  ContactForce force(std::size_t contact) const HAPTIC_REALTIME;
  /// Largest stiffness of a contact that an explicit method bears [N/m].
  double largest_stiffness() const;
  /// Rest, as at construction.
  void reset() HAPTIC_REALTIME;

  /// Figures of the last step.
  double iterations() const HAPTIC_REALTIME;      ///< of the linear solver; 0 without
  double residual() const HAPTIC_REALTIME;        ///< relative
  std::size_t unsettled() const HAPTIC_REALTIME;  ///< contacts that the last pass did not confirm
  bool converged() const HAPTIC_REALTIME;         ///< ClothIntegrator::converged
  double largest_stretch() const HAPTIC_REALTIME;
  const std::optional<SelfContact>& self_contact() const HAPTIC_REALTIME { return self_; }

 private:
  double dt_;
  std::vector<TriangleCorners> triangles_;
  std::optional<ClothSystem> system_;
  ClothState state_, rest_;
  ParticleVectors before_;
  std::unique_ptr<ClothIntegrator> method_;  // not implicit Euler
  std::optional<ContactStep> implicit_;
  std::optional<ExplicitContacts> explicit_;
  std::optional<StrainLimiter> limiter_;
  std::vector<FollowingParticle> following_;
  std::optional<StrainLimiter> stretch_;  // only measures
  std::optional<SelfContact> self_;
  std::unique_ptr<HierarchyTriangles> near_;
};

}  // namespace haptic::cloth
