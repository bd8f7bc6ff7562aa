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

/// A reduced body of a scene while it runs: its integrator and the material an operator may change.
class DeformableBody {
 public:
  /// @param model  with an energy; outlives the body
  /// @param dt     of a step [s]
  /// @throws InputError if the model's material is invalid
  DeformableBody(const BodyModel& model, const BodyDynamics& dynamics, double dt);
  DeformableBody(const DeformableBody&) = delete;
  DeformableBody& operator=(const DeformableBody&) = delete;

  /// Material on its way, then one step under the reduced force `f_ext`.
  /// @param stiffness  empty, or how the force falls as q moves on [r x r, symmetric]; implicit
  ///                   Newmark alone
  [[nodiscard]] StepResult step(std::span<const double> f_ext,
                                std::span<const double> stiffness = {}) HAPTIC_REALTIME;
  std::span<const double> q() const HAPTIC_REALTIME { return integrator_->state().q; }
  std::span<const double> qdot() const HAPTIC_REALTIME { return integrator_->state().qdot; }
  /// Cuts the last step to a part of the way from `before` (r values), and its rate as much; the
  /// rest is what something solid stopped.
  [[nodiscard]] StepResult stop_at(double fraction, std::span<const double> before) HAPTIC_REALTIME;
  /// Back to rest; the material stays as set.
  void reset() HAPTIC_REALTIME { integrator_->reset(); }

  const MaterialBlend& material() const { return material_; }
  MaterialBlend& material() { return material_; }
  /// What follows the body's name and a dot in `haptic set`: "stiffness", "lambda.rim".
  std::string key(std::size_t parameter) const;

 private:
  using AnyIntegrator = std::variant<NewmarkIntegrator, CentralDifferences, ModalOscillators>;
  static AnyIntegrator make(const BodyModel& model, const MaterialBlend& material,
                            const BodyDynamics& dynamics, double dt);

  MaterialBlend material_;
  AnyIntegrator any_;
  Integrator* integrator_;
  std::vector<double> force_, cut_q_, cut_qdot_;  // of the last step; working memory of stop_at
};

}  // namespace haptic
