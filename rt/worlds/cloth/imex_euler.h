#pragma once

#include <vector>

#include "rt/worlds/cloth/cloth_integrator.h"
#include "rt/worlds/cloth/cloth_system.h"
#include "rt/worlds/cloth/particle_matrix.h"
#include "rt/worlds/cloth/particle_vectors.h"
#include "shared/realtime.h"

namespace haptic::cloth {

/// Implicit-explicit Euler (Eberhardt et al. 2000): of a structural or sequential spring the linear
/// part -k l and an isotropic damper are implicit; the part k r l / |l|, of constant length, what
/// the damper along the spring is less than the isotropic one, and everything else are explicit.
///   (M - h^2 H - h D) v(t+h) = M v + h f_a + h H x,   x(t+h) = x + h v(t+h)
/// with H_ij = k_ij, H_ii = -sum k_ij, D likewise of k_d: one number a pair, factored once and
/// again only when pins change, and solved for x, y and z. Stiffness that is explicit limits the
/// step.
///
/// A particle in a plane or on a line is projected after the step; its neighbours do not see it in
/// the solution. Source: docs/methods/cloth.md, "Implicit steps".
class ImexEuler final : public ClothIntegrator {
 public:
  /// @throws InputError as ClothIntegrator
  ImexEuler(ClothSystem& system, double dt);

 private:
  ClothStepResult advance(ClothState& state) HAPTIC_REALTIME override;
  bool is_stiff(std::size_t spring) HAPTIC_REALTIME;

  ParticleMatrix matrix_;
  std::vector<double> weights_;   // h^2 k + h k_d of the stiff springs, 0 of the others
  std::vector<double> factored_;  // inverse masses with which the matrix was factored
  ParticleVectors force_;
  bool is_factored_ = false;
};

}  // namespace haptic::cloth
