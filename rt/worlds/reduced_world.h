#pragma once

#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "rt/contact/contact_pair.h"
#include "rt/coupling/virtual_coupling.h"
#include "rt/worlds/body_model.h"
#include "rt/worlds/deformable_body.h"
#include "rt/worlds/parameter_ranges.h"
#include "rt/worlds/scene.h"
#include "rt/worlds/world.h"
#include "shared/clock.h"

namespace haptic {

/// Anchored bodies, rigid or reduced-deformable, touched by one rigid body in the hand.
///
/// The cycle (spec contact-and-coupling 2.20):
///   couple  M = home (+) length_scale * hand;  coupling wrench and gradient at the held body
///   touch   every contact pair: wrench and gradient on the held body, reduced force on the shell
///   move    6x6 quasi-static step of the held body; Newmark step of every deformable
/// The wrench on the hand is that of the moved held body. Each pair scales its own forces by L/l.
class ReducedWorld final : public World {
 public:
  /// @throws InputError if a model lacks what its role or a contact needs
  ReducedWorld(const Scene& scene, const Clock* clock);

  /// On kDiverged and kNotFinite the held body and the failing deformable are as before the step.
  [[nodiscard]] WorldStatus step(const DeviceState& hand,
                                 WorldOutput& output) HAPTIC_REALTIME override;
  void reset() HAPTIC_REALTIME override;

  const std::vector<BodyInfo>& bodies() const override { return infos_; }
  std::span<const Pose> poses() const HAPTIC_REALTIME override { return poses_; }
  std::span<const double> coordinates() const HAPTIC_REALTIME override { return coordinates_; }
  /// kReducedWorldParameters, then for every deformable body NAME.stiffness, NAME.density and
  /// NAME.damping as factors (1: as baked), and where its model keeps polynomials by group,
  /// NAME.lambda.GROUP and NAME.mu.GROUP [Pa] and NAME.density.GROUP [kg/m^3].
  std::span<const Parameter> parameters() const HAPTIC_REALTIME override { return parameters_; }
  double parameter(std::size_t index) const HAPTIC_REALTIME override;
  [[nodiscard]] bool set_parameter(std::size_t index, double value) HAPTIC_REALTIME override;

  /// A contact pair of the scene, in the scene's order.
  struct Pair {
    ContactPair contact;
    std::size_t points, field;  ///< body indices
  };
  std::span<const Pair> pairs() const { return pairs_; }
  /// The same for a caller that evaluates pairs at poses of its own (`haptic probe contact`).
  std::span<Pair> pairs() { return pairs_; }
  const BodyModel& model(std::size_t body) const { return *models_[body]; }
  std::size_t held_body() const { return held_; }
  /// Reduced contact forces of the last step, laid out as coordinates().
  std::span<const double> reduced_forces() const { return reduced_forces_; }
  const CouplingSettings& coupling() const { return coupling_.settings(); }

 private:
  struct Deformable {
    std::size_t body;
    std::unique_ptr<DeformableBody> dynamics;
  };
  /// Of parameters() behind kReducedWorldParameters.
  struct MaterialParameter {
    DeformableBody* body;
    std::size_t index;
  };
  struct ContactSum {
    Wrench wrench;
    Matrix6 gradient;
    std::uint32_t contacts = 0, visited_nodes = 0;
  };

  void add_bodies(const Scene& scene);
  void add_pairs(const Scene& scene);
  void add_parameters(const Scene& scene);
  // Settings of the coupling from the parameters; the plateau F_max is what one point pushes at the
  // permitted depth, smallest over the pairs; T_max its moment at the bounding radius (choice 17).
  CouplingSettings coupling_settings() const HAPTIC_REALTIME;

  Pose manipulandum(const Pose& hand) const HAPTIC_REALTIME;
  ContactSum touch() HAPTIC_REALTIME;
  WorldStatus move_deformables() HAPTIC_REALTIME;
  std::span<double> slice(std::vector<double>& values, std::size_t body) HAPTIC_REALTIME;
  std::int64_t now() const HAPTIC_REALTIME { return clock_ ? clock_->now_ns() : 0; }

  const Clock* clock_;
  double dt_, length_scale_;
  SceneCoupling scene_coupling_;
  std::vector<std::unique_ptr<BodyModel>> models_;
  std::vector<BodyInfo> infos_;
  std::vector<Pose> poses_;
  std::vector<double> coordinates_, reduced_forces_;
  std::vector<Deformable> deformables_;
  std::vector<Parameter> parameters_;
  std::deque<std::string> parameter_names_;  // of bodies; their views must not move
  std::vector<MaterialParameter> material_parameters_;
  std::vector<Pair> pairs_;
  std::size_t held_;
  Pose home_;            // of the held body, hand at the origin
  bool placed_ = false;  // whether the held body has met the hand since the last reset
  VirtualCoupling coupling_;
};

}  // namespace haptic
