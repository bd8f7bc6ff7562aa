#pragma once

#include <cstddef>
#include <vector>

#include "rt/worlds/cloth/cloth_integrator.h"
#include "rt/worlds/cloth/cloth_system.h"
#include "rt/worlds/cloth/particle_vectors.h"
#include "shared/realtime.h"

namespace haptic::cloth {

/// The approximate implicit step of Desbrun et al. 1999: internal forces are filtered by a constant
/// matrix instead of solving a system.
///   F_i = spring forces + sum_j k_ij h (v_j - v_i),   W = (I - h^2 / m H)^-1,
///   v += h / m (W F + F_c + F_e),   x += h v
/// with H_ij = k_ij, H_ii = -sum k_ij, external forces F_e outside the filter, and
///   F_c,i = (x_G - x_i) x J_G^-1 dT,   dT = sum (W F)_i x x_i,   J_G = sum |r|^2 I - r r^T,
/// which takes out the net torque that the filter makes, exactly, and no linear momentum. With
/// pins there is no angular momentum to keep, and F_c is left out.
///
/// W is dense: n^2 products a step and coordinate. Masses are equal; stiffness, step and pins are
/// those of `rebuild`.
/// Source: docs/methods/cloth.md, "Approximate implicit steps".
class FilteredForces final : public ClothIntegrator {
 public:
  static constexpr std::size_t kMaxParticles = 4096;

  /// @throws InputError as ClothIntegrator, or if masses are not equal, particles too many or
  ///         stiffnesses so large that W is not finite
  FilteredForces(ClothSystem& system, double dt);

  /// Makes W for the present pins. Not for the loop: n solutions with a factored matrix.
  /// @throws InputError if W is not finite
  void rebuild();

  /// W, row after row: n x n values. Rows and columns of pinned particles are those of the
  /// identity.
  std::span<const double> filter() const HAPTIC_REALTIME { return filter_; }

  /// Internal forces of the last step before and after the filter, and F_c [N]: 3n values each.
  std::span<const double> internal() const HAPTIC_REALTIME { return internal_; }
  std::span<const double> filtered() const HAPTIC_REALTIME { return filtered_; }
  std::span<const double> correction() const HAPTIC_REALTIME { return correction_; }

 private:
  /// Ends with kStale if pins are not those of `rebuild`.
  ClothStepResult advance(ClothState& state) HAPTIC_REALTIME override;
  void correct_torque(const ParticleVectors& x) HAPTIC_REALTIME;

  AlignedVector<double> filter_;
  std::vector<double> inverse_masses_;  // of the pins in W
  ParticleVectors internal_, filtered_, correction_, external_;
};

}  // namespace haptic::cloth
