#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>

#include "rt/dynamics/central_differences.h"
#include "rt/dynamics/material_blend.h"
#include "rt/dynamics/modal_oscillators.h"
#include "rt/dynamics/newmark_integrator.h"
#include "rt/worlds/body_model.h"
#include "rt/worlds/scene.h"

namespace haptic {

/// A reduced body of a scene while it runs: its integrator and the material an operator may change.
class DeformableBody {
 public:
  /// @param model  with an energy; outlives the body
  /// @param dt     of a step [s]
  /// @throws InputError if the model's material does not hold
  DeformableBody(const BodyModel& model, const SceneDynamics& settings, double dt);
  DeformableBody(const DeformableBody&) = delete;
  DeformableBody& operator=(const DeformableBody&) = delete;

  /// Material on its way, then one step under the reduced force `f_ext`.
  [[nodiscard]] StepResult step(std::span<const double> f_ext) HAPTIC_REALTIME;
  std::span<const double> q() const HAPTIC_REALTIME { return integrator_->state().q; }
  std::span<const double> qdot() const HAPTIC_REALTIME { return integrator_->state().qdot; }
  /// Back to rest; the material stays as set.
  void reset() HAPTIC_REALTIME { integrator_->reset(); }

  const MaterialBlend& material() const { return material_; }
  MaterialBlend& material() { return material_; }
  /// What stands behind the body's name and a dot in `haptic set`: "stiffness", "lambda.rim".
  std::string key(std::size_t parameter) const;

 private:
  using AnyIntegrator = std::variant<NewmarkIntegrator, CentralDifferences, ModalOscillators>;
  static AnyIntegrator make(const BodyModel& model, const MaterialBlend& material,
                            const SceneDynamics& settings, double dt);

  MaterialBlend material_;
  AnyIntegrator any_;
  Integrator* integrator_;
};

}  // namespace haptic
