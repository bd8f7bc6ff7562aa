#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rt/bodies/body_model.h"
#include "rt/bodies/condensed_model.h"
#include "rt/bodies/held_body.h"
#include "rt/worlds/condensed/condensed_contact.h"
#include "rt/worlds/condensed/condensed_dynamics.h"
#include "rt/worlds/condensed/condensed_parameters.h"
#include "rt/worlds/condensed/condensed_settings.h"
#include "rt/worlds/condensed/condensed_surface.h"
#include "rt/worlds/condensed/corotated_shape.h"
#include "rt/worlds/condensed/field_contacts.h"
#include "rt/worlds/condensed/near_surface.h"
#include "rt/worlds/condensed/pressing_stability.h"
#include "rt/worlds/condensed/smooth_shape.h"
#include "rt/worlds/condensed/stylus_contacts.h"
#include "rt/worlds/condensed/surface_snapshot.h"
#include "rt/worlds/condensed/tool_contact.h"
#include "rt/worlds/pressing_contacts.h"
#include "rt/worlds/scene.h"
#include "rt/worlds/world.h"
#include "shared/clock.h"
#include "shared/math/value_ramp.h"

namespace haptic::condensed {

/// One anchored condensed body and the held body: local detail by statics, global motion by modes.
///
/// The cycle (docs/methods/static-dynamic.md, "Cycle"):
///   couple  M = home (+) length_scale * hand; the tool's equation A z = b
///   touch   points of the stylus that cross the surface, or vertices of the body in the tool's
///           field; the compliance of the contact set, brought up to date
///   move    contact forces and motion of the tool, together; then modes and statics of the body
class CondensedWorld final : public World, public PressingContacts {
 public:
  /// @throws InputError if a model lacks a section, or the step is not stable with the coupling
  CondensedWorld(const Scene& scene, const Clock* clock);

  [[nodiscard]] WorldStatus step(const DeviceState& hand,
                                 WorldOutput& output) HAPTIC_REALTIME override;
  void reset() HAPTIC_REALTIME override;
  HandCoupling hand_coupling() const HAPTIC_REALTIME override {
    return held_body_->hand_coupling();
  }
  /// Of coupling and the contacts that press (ToolContact::response).
  HeldResponse held_response() HAPTIC_REALTIME override;
  const std::vector<BodyInfo>& bodies() const override { return infos_; }
  std::vector<std::string> warnings() const override;
  /// The poses of the bodies, the modes, the contacts, the energy, and at display rate the surface
  /// of the condensed body.
  const StateLayout& state_layout() const override { return layout_; }
  std::span<const double> state(std::size_t block) const HAPTIC_REALTIME override;
  /// kCondensedParameters; without contact.friction if contacts stick.
  std::span<const Parameter> parameters() const HAPTIC_REALTIME override {
    return std::span(kCondensedParameters).first(parameter_count_);
  }
  std::string why_absent(std::string_view parameter) const override;
  double parameter(std::size_t index) const HAPTIC_REALTIME override;
  [[nodiscard]] bool set_parameter(std::size_t index, double value) HAPTIC_REALTIME override;
  void limit_wrench(double force, double torque) HAPTIC_REALTIME override;

  const CondensedDynamics& dynamics() const { return *dynamics_; }
  const CondensedSurface& surface() const { return *surface_; }
  /// Displacements of the condensed nodes in the displayed pose: s values [m].
  std::span<const double> node_displacements() const { return u_; }
  /// Contacts of the last step, in the order of dynamics().contacts().
  std::span<const CondensedContact> contacts() const {
    return std::span(contacts_).first(contact_count_);
  }
  const ToolContact& tool_contact() const { return *tool_contact_; }
  std::vector<PressingContact> pressing_contacts() const override;

 private:
  void add_bodies(const Scene& scene);
  void add_tool(const Scene& scene);
  void check_stability(const Scene& scene) const;
  StateLayout make_layout() const;

  void advance_parameters() HAPTIC_REALTIME;
  void apply_parameters() HAPTIC_REALTIME;
  void place_held(const Pose& pose) HAPTIC_REALTIME;
  void set_pose(std::size_t body, const Pose& pose) HAPTIC_REALTIME;
  Pose in_body(const Pose& world) const HAPTIC_REALTIME;
  ToolContact::Law law() const HAPTIC_REALTIME;
  void touch(const HeldBody::StepSystem& system) HAPTIC_REALTIME;
  void synchronise() HAPTIC_REALTIME;
  ToolContact::Frames frames() HAPTIC_REALTIME;
  std::span<const double> force_on_turning_modes() HAPTIC_REALTIME;
  void find_shape() HAPTIC_REALTIME;
  void follow(const Pose& held) HAPTIC_REALTIME;
  void publish(const CouplingLoad& load) HAPTIC_REALTIME;
  std::int64_t now() const HAPTIC_REALTIME { return clock_ ? clock_->now_ns() : 0; }

  const Clock* clock_;
  double dt_, ramp_s_;
  std::size_t held_, condensed_;
  CondensedSettings settings_;
  std::vector<std::unique_ptr<BodyModel>> models_;
  CondensedModel model_;
  std::vector<BodyInfo> infos_;
  std::vector<Pose> poses_;
  std::vector<double> pose_values_;
  std::optional<CondensedDynamics> dynamics_;
  std::optional<CondensedSurface> surface_;
  std::optional<NearSurface> near_;
  std::optional<StylusContacts> stylus_;  // one of the two
  std::optional<FieldContacts> field_;
  std::optional<ToolContact> tool_contact_;
  std::optional<PressingStability> stability_;  // of coupling = "statics"
  std::optional<SurfaceSnapshot> snapshot_;
  std::optional<HeldBody> held_body_;
  HeldBody::StepSystem system_;        // of the last step
  double tool_reach_ = 0.0;            // from the origin of the tool [m]
  double force_limit_, torque_limit_;  // N, N·m
  std::vector<double> u_, u_next_, u_predicted_;
  std::optional<CorotatedShape> corotated_;
  std::optional<SmoothShape> smooth_;  // with stylus_
  std::vector<double> linear_;         // node displacements of the linear pose, with corotated_
  std::vector<Matrix3> turns_;         // of the contacts, with corotated_
  std::vector<Vector3> free_;          // their displacements without force
  std::vector<double> gradient_, turned_modes_;  // 3c x m
  std::vector<double> response_, extra_;         // m
  std::vector<CondensedContact> contacts_, ordered_;
  std::size_t contact_count_ = 0;
  std::vector<std::uint32_t> keys_;      // of dynamics_'s contacts, in its order
  std::vector<std::uint32_t> pressing_;  // keys of those that pressed in the last step
  std::size_t pressing_count_ = 0;
  bool changed_ = false;  // whether the contact set differs from the last step's
  bool placed_ = false;
  StateLayout layout_;
  std::array<double, 9> numbers_{};
  std::size_t parameter_count_ = kCondensedParameterCount;
  std::array<ValueRamp, kCondensedParameterCount> ramps_;
};

}  // namespace haptic::condensed
