#pragma once

#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rt/bodies/body_model.h"
#include "rt/bodies/deformable_body.h"
#include "rt/bodies/deformation_samples.h"
#include "rt/bodies/free_body.h"
#include "rt/bodies/held_body.h"
#include "rt/worlds/scene.h"
#include "rt/worlds/solids/contact_blocks.h"
#include "rt/worlds/solids/contact_set.h"
#include "rt/worlds/solids/implicit_step.h"
#include "rt/worlds/solids/solids_parameters.h"
#include "rt/worlds/solids/swept_step.h"
#include "rt/worlds/world.h"
#include "shared/clock.h"
#include "shared/math/value_ramp.h"

namespace haptic::solids {

/// Anchored bodies and one held body, each rigid or reduced-deformable, free rigid bodies, and
/// joints between rigid ones.
///
/// The cycle (docs/methods/contact-and-coupling.md, "One cycle"):
///   couple  M = home (+) length_scale * hand;  coupling wrench and gradient at the held body
///   touch   every contact pair: wrench and gradients on the held body, reduced forces on both
///   move    6x6 step of the held body in the mode of the coupling; a step of every deformable; or
///           one step of all bodies that move (ImplicitStep)
/// The wrench on the hand is computed after the held body has moved. Contact forces are scaled per
/// pair. A deformable held body deforms in its body frame under contact forces only; its rigid
/// acceleration does not excite it.
class SolidsWorld final : public World {
 public:
  /// @throws InputError if a model lacks a section that its role or a contact needs
  SolidsWorld(const Scene& scene, const Clock* clock);

  /// On kDiverged and kNotFinite the held body and the body that failed are as before the step; on
  /// kCapacity, where more pairs of a kind are close than dynamics.pair_capacity, all bodies are,
  /// and the failed body is one of such a pair.
  [[nodiscard]] WorldStatus step(const DeviceState& hand,
                                 WorldOutput& output) HAPTIC_REALTIME override;
  void reset() HAPTIC_REALTIME override;

  HandCoupling hand_coupling() const HAPTIC_REALTIME override {
    return held_body_->hand_coupling();
  }
  HeldResponse held_response() HAPTIC_REALTIME override;

  const std::vector<BodyInfo>& bodies() const override { return infos_; }
  /// Bodies with a part that other bodies pass through, because it is thinner than their field's
  /// voxel.
  std::vector<std::string> warnings() const override;
  /// Poses and reduced coordinates of the bodies, and contact_blocks(). The contact blocks have the
  /// values of the last step that returned kOk, and zero after a reset.
  const StateLayout& state_layout() const override { return layout_; }
  std::string_view capacity_key() const override { return "dynamics.pair_capacity"; }
  std::span<const double> state(std::size_t block) const HAPTIC_REALTIME override;
  /// World poses, in the order of bodies().
  std::span<const Pose> poses() const HAPTIC_REALTIME { return poses_; }
  /// Reduced coordinates of all bodies, concatenated.
  std::span<const double> coordinates() const HAPTIC_REALTIME { return coordinates_; }
  /// kSolidsParameters, then for every deformable body NAME.stiffness, NAME.density and
  /// NAME.damping as factors (1: as baked). If its model has polynomials per group, also
  /// NAME.lambda.GROUP and NAME.mu.GROUP [Pa], or the factor NAME.stiffness.GROUP of an anisotropic
  /// group, and NAME.density.GROUP [kg/m^3]; and NAME.dimension, the number of basis vectors, if
  /// the integrator can change it. Then JOINT.target of every joint with a target.
  std::span<const Parameter> parameters() const HAPTIC_REALTIME override { return parameters_; }
  std::string why_absent(std::string_view parameter) const override;
  /// A point of the surface of a body that deforms, or any point of a rigid one. Needs the implicit
  /// step.
  std::string prepare_pull(const std::string& body, Pull& pull) const override;
  [[nodiscard]] bool pull(const Pull& pull) HAPTIC_REALTIME override;
  /// Current value of the ramp.
  double parameter(std::size_t index) const HAPTIC_REALTIME override;
  /// Every parameter changes linearly to its new value over dynamics.material_ramp_s.
  [[nodiscard]] bool set_parameter(std::size_t index, double value) HAPTIC_REALTIME override;
  void limit_wrench(double force, double torque) HAPTIC_REALTIME override;
  Range allowed(std::size_t index, double value) HAPTIC_REALTIME override;

  /// The contact pairs of the scene, in the scene's order.
  std::span<const ContactSet::Pair> pairs() const { return contacts_->pairs(); }
  /// For a caller that evaluates contacts at other states (`haptic probe contact`).
  ContactSet& contacts() { return *contacts_; }
  const BodyModel& model(std::size_t body) const { return *models_[body]; }
  std::size_t held_body() const { return held_; }
  /// Reduced contact forces of the last step, laid out as coordinates().
  std::span<const double> reduced_forces() const { return contacts_->reduced_forces(); }
  const CouplingSettings& coupling() const { return held_body_->settings(); }
  /// nullptr with explicit contact.
  const ImplicitStep* implicit_step() const { return implicit_ ? &*implicit_ : nullptr; }
  /// nullptr for a body that does not deform.
  const DeformableBody* deformable(std::size_t body) const;
  /// The free bodies, in the order of bodies().
  std::span<const std::unique_ptr<FreeBody>> free_bodies() const { return free_; }

 private:
  struct Deformable {
    std::size_t body;
    std::unique_ptr<DeformableBody> dynamics;
    DeformationSamples samples;
  };
  /// An entry of parameters() after kSolidsParameters.
  struct MaterialParameter {
    static constexpr std::size_t kDimension = ~std::size_t{0};
    DeformableBody* body;
    std::size_t index;  // of its material; kDimension: the number of basis vectors
  };

  void add_bodies(const Scene& scene);
  void warn_of_coarse_meshes(std::vector<std::string>& warnings) const;
  void warn_of_unresolved_parts(std::size_t body, double fraction,
                                std::vector<std::string>& warnings) const;
  void warn_of_thin_walls(std::size_t body, std::size_t other, double thinnest, double fraction,
                          std::vector<std::string>& warnings) const;
  void add_free_bodies(const Scene& scene);
  void add_parameters(const Scene& scene);
  void add_parameter(const Scene& scene, const std::string& owner, const std::string& key,
                     double minimum, double maximum, bool whole = false);
  [[nodiscard]] bool limit_coupling() HAPTIC_REALTIME;
  double compression() HAPTIC_REALTIME;

  // Advances the ramps of kSolidsParameters, of materials and of the numbers of basis vectors.
  void advance_parameters() HAPTIC_REALTIME;
  void apply_parameters() HAPTIC_REALTIME;

  void place_held(const Pose& pose) HAPTIC_REALTIME;
  void set_pose(std::size_t body, const Pose& pose) HAPTIC_REALTIME;
  void update_motions() HAPTIC_REALTIME;
  ContactSet::Sum touch(const CouplingLoad& load) HAPTIC_REALTIME;
  ContactSet::Sum touch_fresh(const ContactSet::Sum& sum) HAPTIC_REALTIME;
  WorldStatus move_deformables() HAPTIC_REALTIME;
  WorldStatus diverged(std::size_t body) HAPTIC_REALTIME;
  // The deformables by their own steps, or completed by the implicit one; each as far as the swept
  // contact lets it move.
  WorldStatus stop_deformable(Deformable& deformable) HAPTIC_REALTIME;
  WorldStatus move_implicit(const CouplingLoad& load, Wrench& contact, Pose& held) HAPTIC_REALTIME;
  WorldStatus move_explicit(const CouplingLoad& load, ContactSet::Sum& contact,
                            Pose& held) HAPTIC_REALTIME;
  std::span<double> slice(std::vector<double>& values, std::size_t body) HAPTIC_REALTIME;
  std::int64_t now() const HAPTIC_REALTIME { return clock_ ? clock_->now_ns() : 0; }

  const Clock* clock_;
  double dt_;
  std::vector<std::unique_ptr<BodyModel>> models_;
  std::vector<BodyInfo> infos_;
  StateLayout layout_;
  std::vector<Pose> poses_;
  std::vector<double> pose_values_;  // values of the pose block, 7 per body
  std::vector<double> coordinates_;
  std::array<double, kContactBlocks> contact_values_{};
  std::vector<BodyMotion> motions_;  // input of the contact evaluation, one per body
  std::vector<Deformable> deformables_;
  std::size_t next_sampled_ = 0;  // of these
  std::vector<std::unique_ptr<FreeBody>> free_;
  std::vector<std::size_t> free_index_;                     // of these in bodies()
  std::vector<std::unique_ptr<FloatingInertia>> inertias_;  // per free body; nullptr: rigid
  std::vector<Parameter> parameters_;
  // Of materials and joints; views on them stay valid.
  std::deque<std::string> parameter_names_;
  std::vector<MaterialParameter> material_parameters_;
  std::optional<ContactSet> contacts_;
  std::optional<ImplicitStep> implicit_;  // dynamics.contact = "implicit"
  std::optional<SweptStep> swept_;        // pairs with continuous = true
  std::size_t held_;
  std::uint32_t failed_ = WorldOutput::kNoBody;  // of the last step
  bool placed_ = false;  // whether the held body was placed at the hand since the last reset
  std::optional<HeldBody> held_body_;
  // kContactStiffness reports the first pair with one per point; ContactSet has a ramp for each
  // pair.
  std::array<ValueRamp, kSolidsParameterCount> ramps_;
  double ramp_s_;
  double force_limit_, torque_limit_;  // N, N·m
};

}  // namespace haptic::solids
