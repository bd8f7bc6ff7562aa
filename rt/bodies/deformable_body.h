#pragma once

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

  /// Advances the ramps of the material, then makes one step under the reduced force `f_ext` [r].
  [[nodiscard]] StepResult step(std::span<const double> f_ext) HAPTIC_REALTIME;
  /// A step whose contact forces are computed together with those of other bodies
  /// (NewmarkIntegrator::prepare).
  /// @param first  whether this is the first call of the step; it advances the material's ramps
  /// @pre implicit Newmark, as for excess_work and complete
  NewmarkIntegrator::StepSystem prepare(std::span<const double> dq, bool first) HAPTIC_REALTIME;
  double excess_work(std::span<const double> dq) HAPTIC_REALTIME;
  /// Replaces the mass of the reduced coordinates for the steps that follow (ReducedSystem::mass).
  /// @param mass  a view, valid as long as the body @pre implicit Newmark, and a material without
  ///              densities
  void set_mass(std::span<const double> mass) HAPTIC_REALTIME;
  /// An impulse [r, N s] on the reduced coordinates before the step (NewmarkIntegrator::push).
  [[nodiscard]] bool push(std::span<const double> impulse) HAPTIC_REALTIME;
  [[nodiscard]] StepResult complete(std::span<const double> dq,
                                    double contact_weight) HAPTIC_REALTIME;
  std::span<const double> q() const HAPTIC_REALTIME { return integrator_->state().q; }
  std::span<const double> qdot() const HAPTIC_REALTIME { return integrator_->state().qdot; }
  /// Shortens the last step, which a contact has stopped: q becomes before + fraction (q - before)
  /// and q' is multiplied by `fraction`. @param before  q before the step [r]
  [[nodiscard]] StepResult stop_at(double fraction, std::span<const double> before) HAPTIC_REALTIME;
  /// Sets the velocities and accelerations to zero; the shape is unchanged. @pre implicit Newmark
  void halt() HAPTIC_REALTIME;
  /// Sets the body to rest; the material is unchanged.
  void reset() HAPTIC_REALTIME { integrator_->reset(); }

  const MaterialBlend& material() const { return material_; }
  MaterialBlend& material() { return material_; }
  /// Key of a parameter in `haptic set`, without the body's name and the dot: "stiffness",
  /// "lambda.rim".
  std::string key(std::size_t parameter) const;

 private:
  using AnyIntegrator = std::variant<NewmarkIntegrator, CentralDifferences, ModalOscillators>;
  void advance_material() HAPTIC_REALTIME;
  ReducedSystem system() const HAPTIC_REALTIME;
  static AnyIntegrator make(const BodyModel& model, const MaterialBlend& material,
                            const BodyDynamics& dynamics, double dt);

  MaterialBlend material_;
  AnyIntegrator any_;
  Integrator* integrator_;
  std::span<const double> mass_;                  // of set_mass
  std::vector<double> force_, cut_q_, cut_qdot_;  // of the last step; working memory of stop_at
};

}  // namespace haptic
