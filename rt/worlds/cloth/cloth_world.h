#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rt/bodies/body_model.h"
#include "rt/bodies/cloth_model.h"
#include "rt/bodies/held_body.h"
#include "rt/worlds/cloth/cloth_bodies.h"
#include "rt/worlds/cloth/cloth_parameters.h"
#include "rt/worlds/cloth/cloth_settings.h"
#include "rt/worlds/cloth/cloth_sheet.h"
#include "rt/worlds/cloth/point_hand.h"
#include "rt/worlds/cloth/tool_hand.h"
#include "rt/worlds/pressing_contacts.h"
#include "rt/worlds/scene.h"
#include "rt/worlds/world.h"
#include "shared/clock.h"
#include "shared/math/value_ramp.h"

namespace haptic::cloth {

/// A cloth of particles and springs, what lies under it, and a point or a tool in the hand.
///
/// A substep (docs/methods/cloth.md, "Hand and cloth in one step"):
///   couple  M = home (+) length_scale * hand; the equation of the held body
///   touch   planes of the god-object or points of the cloth in the tool's field, and in the fields
///           of the other bodies
///   move    cloth, tool and bodies that give way in one implicit step; limits of strain; the
///           layers of the cloth kept apart
class ClothWorld final : public World, public PressingContacts {
 public:
  /// @throws InputError if a model lacks a section, a constraint names no particle, or an explicit
  ///         step is not stable
  ClothWorld(const Scene& scene, const Clock* clock);

  [[nodiscard]] WorldStatus step(const DeviceState& hand,
                                 WorldOutput& output) HAPTIC_REALTIME override;
  void reset() HAPTIC_REALTIME override;
  HandCoupling hand_coupling() const HAPTIC_REALTIME override {
    return held_body_->hand_coupling();
  }
  HeldResponse held_response() HAPTIC_REALTIME override;
  const std::vector<BodyInfo>& bodies() const override { return infos_; }
  std::vector<std::string> warnings() const override;
  /// The poses of the bodies, coordinates of those that deform, figures of cloth and contact, and
  /// at display rate the particles.
  const StateLayout& state_layout() const override { return layout_; }
  std::span<const double> state(std::size_t block) const HAPTIC_REALTIME override;
  std::span<const Parameter> parameters() const HAPTIC_REALTIME override { return parameters_; }
  double parameter(std::size_t index) const HAPTIC_REALTIME override;
  [[nodiscard]] bool set_parameter(std::size_t index, double value) HAPTIC_REALTIME override;
  void limit_wrench(double force, double torque) HAPTIC_REALTIME override;
  Range allowed(std::size_t index, double value) HAPTIC_REALTIME override;
  /// Pulls the particle nearest to the point.
  std::string prepare_pull(const std::string& body, Pull& pull) const override;
  [[nodiscard]] bool pull(const Pull& pull) HAPTIC_REALTIME override;

  const ClothSheet& sheet() const { return *sheet_; }
  const std::optional<PointHand>& point_hand() const { return point_; }
  /// Of hand and bodies on the cloth, in the last substep; then the spring on a grabbed particle.
  std::vector<PressingContact> pressing_contacts() const override;
  /// Key of the contacts that a step solves at most.
  std::string_view capacity_key() const override { return "contact.capacity"; }

 private:
  void add_bodies(const Scene& scene);
  void add_point(const Scene& scene);
  StateLayout make_layout() const;
  std::string wind_warning() const;  ///< of wind_limit; empty within it

  WorldStatus substep(const DeviceState& hand) HAPTIC_REALTIME;
  bool place(const Pose& pose) HAPTIC_REALTIME;
  void hold_tethers() HAPTIC_REALTIME;
  WorldStatus touch() HAPTIC_REALTIME;
  bool touch_point() HAPTIC_REALTIME;
  WorldStatus follow() HAPTIC_REALTIME;
  void advance_parameters() HAPTIC_REALTIME;
  void apply_parameters() HAPTIC_REALTIME;
  void set_pose(std::size_t body, const Pose& pose) HAPTIC_REALTIME;
  void publish() HAPTIC_REALTIME;
  double stretch() const HAPTIC_REALTIME;  ///< as measured last
  std::int64_t now() const HAPTIC_REALTIME { return clock_ ? clock_->now_ns() : 0; }

  const Clock* clock_;
  double dt_, substep_s_, ramp_s_;
  double force_limit_, torque_limit_;  // N, N·m
  Pose home_;                          // of the held body
  std::size_t held_, cloth_;
  ClothSettings settings_;
  std::vector<std::unique_ptr<BodyModel>> models_;
  std::vector<BodyInfo> infos_;
  std::vector<Pose> poses_;
  std::vector<double> pose_values_, coordinates_;
  std::optional<ClothSheet> sheet_;
  std::optional<ClothBodies> touched_;
  double largest_stiffness_ = 0.0;  // ClothSheet::largest_stiffness
  std::optional<HeldBody> held_body_;
  HeldBody::StepSystem system_;  // of the last substep
  CouplingLoad load_;
  std::optional<PointHand> point_;  // one of the two
  std::optional<ToolHand> tool_;
  std::uint64_t buttons_ = 0;
  Pull pull_;
  std::uint32_t pulled_ = 0;
  Vector3 pull_target_ = Vector3::Zero();
  bool placed_ = false;
  std::size_t failed_ = 0;
  Wrench contact_wrench_;
  StageTimes times_;
  StateLayout layout_;
  static constexpr std::size_t kClothNumbers = 13;
  std::array<double, kClothNumbers> numbers_{};
  std::uint32_t steps_ = 0;
  std::uint64_t unconverged_ = 0;  // steps
  std::array<Parameter, kClothParameterCount> parameters_ = kClothParameters;
  std::array<ValueRamp, kClothParameterCount> ramps_;
};

}  // namespace haptic::cloth
