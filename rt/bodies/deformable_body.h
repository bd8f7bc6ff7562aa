#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "rt/bodies/body_dynamics.h"
#include "rt/bodies/body_model.h"
#include "rt/dynamics/central_differences.h"
#include "rt/dynamics/material_blend.h"
#include "rt/dynamics/modal_oscillators.h"
#include "rt/dynamics/newmark_integrator.h"
#include "shared/math/value_ramp.h"

namespace haptic {

/// A reduced body of a running scene: its integrator and its adjustable material.
class DeformableBody {
 public:
  /// @param model  with an energy; outlives the body
  /// @param dt     of a step [s]
  /// @throws InputError if the model's material is invalid
  DeformableBody(const BodyModel& model, const BodyDynamics& dynamics, double dt);
  DeformableBody(const DeformableBody&) = delete;
  DeformableBody& operator=(const DeformableBody&) = delete;

  /// Before each step: advances the ramps of the material and of the number of basis vectors.
  /// @returns whether q(), the material or used() has changed
  bool begin_step() HAPTIC_REALTIME;
  /// One step under the reduced force `f_ext` [r].
  [[nodiscard]] StepResult step(std::span<const double> f_ext) HAPTIC_REALTIME;
  /// A step whose contact forces are computed together with those of other bodies
  /// (NewmarkIntegrator::prepare). The system has used() unknowns; of `dq`, here and below, the
  /// first used() of r values count.
  /// @pre implicit Newmark, as for excess_work and complete
  NewmarkIntegrator::StepSystem prepare(std::span<const double> dq) HAPTIC_REALTIME;
  double excess_work(std::span<const double> dq) HAPTIC_REALTIME;
  /// Replaces the mass of the reduced coordinates for the steps that follow (ReducedSystem::mass).
  /// @param mass  used() x used(); a view, valid as long as the body
  /// @pre implicit Newmark, and a material without densities
  void set_mass(std::span<const double> mass) HAPTIC_REALTIME;
  /// An impulse [used(), N s] on the reduced coordinates before the step (NewmarkIntegrator::push).
  [[nodiscard]] bool push(std::span<const double> impulse) HAPTIC_REALTIME;
  [[nodiscard]] StepResult complete(std::span<const double> dq,
                                    double contact_weight) HAPTIC_REALTIME;
  /// r values each; those behind used() do not move by themselves.
  std::span<const double> q() const HAPTIC_REALTIME { return q_; }
  std::span<const double> qdot() const HAPTIC_REALTIME { return qdot_; }

  /// Number of basis vectors of the energy, 1..r (docs/methods/reduced-dynamics.md, "Truncation").
  std::uint32_t dimension() const HAPTIC_REALTIME { return material_.system().energy->dimension(); }
  /// Changes it. Where it falls, the coordinates behind stop at once and go to zero over
  /// material_ramp_s; then the energy is replaced. Where it rises, the energy is replaced over a
  /// few steps; then the new coordinates start at rest at zero, and with implicit Newmark their
  /// compliance grows in a straight line over material_ramp_s (CoordinateRelease). A value that
  /// comes meanwhile takes effect after that.
  /// @returns false, and changes nothing, unless it is a whole number, 1..r, and may change
  [[nodiscard]] bool set_dimension(double dimension) HAPTIC_REALTIME;
  /// Whether the integrator allows it: all but ModalOscillators.
  bool may_change_dimension() const HAPTIC_REALTIME { return !material_.rows().energy.empty(); }
  /// Coordinates that a step moves, <= dimension().
  std::uint32_t used() const HAPTIC_REALTIME {
    return static_cast<std::uint32_t>(integrator_->state().q.size());
  }
  /// Shortens the last step, which a contact has stopped: q becomes before + fraction (q - before)
  /// and q' is multiplied by `fraction`. @param before  q before the step [r]
  [[nodiscard]] StepResult stop_at(double fraction, std::span<const double> before) HAPTIC_REALTIME;
  /// Sets the velocities and accelerations to zero; the shape is unchanged. @pre implicit Newmark
  void halt() HAPTIC_REALTIME;
  /// Sets the body to rest; the material is unchanged.
  void reset() HAPTIC_REALTIME;

  const MaterialBlend& material() const { return material_; }
  MaterialBlend& material() { return material_; }
  /// Key of a parameter in `haptic set`, without the body's name and the dot: "stiffness",
  /// "lambda.rim".
  std::string key(std::size_t parameter) const;

 private:
  using AnyIntegrator = std::variant<NewmarkIntegrator, CentralDifferences, ModalOscillators>;
  void stop_coordinates() HAPTIC_REALTIME;
  void begin_release() HAPTIC_REALTIME;
  bool releases() const HAPTIC_REALTIME { return released_.value() < 1.0; }
  void apply_material(std::uint32_t used) HAPTIC_REALTIME;
  ReducedSystem system(std::uint32_t used) HAPTIC_REALTIME;
  /// Copies the integrator's state to q_ and qdot_.
  void load_state() HAPTIC_REALTIME;
  static AnyIntegrator make(const BodyModel& model, const MaterialBlend& material,
                            const BodyDynamics& dynamics, double dt);

  MaterialBlend material_;
  AnyIntegrator any_;
  Integrator* integrator_;
  double dt_, ramp_s_;
  std::vector<double> q_, qdot_;  // r
  std::uint32_t wanted_;          // dimension last set
  std::vector<double> stopped_;   // q when the coordinates behind used() stopped
  ValueRamp part_{0.0};           // of stopped_ that these have; 0: they are zero
  ValueRamp released_{1.0};       // of the compliance of new coordinates; 1: all of it
  std::uint32_t release_from_ = 0;
  ReducedEnergy::Workspace rest_workspace_;
  std::vector<double> rest_stiffness_, rest_force_, at_rest_;  // CoordinateRelease::stiffness
  std::span<const double> mass_;                               // of set_mass
  // Of the material, for used() coordinates where the energy has more; in turn, because the
  // integrator reads the last one while it gets the next.
  std::array<std::vector<double>, 2> leading_mass_;
  std::size_t leading_ = 0;
  std::vector<double> force_, cut_q_, cut_qdot_;  // of the last step; working memory of stop_at
};

}  // namespace haptic
