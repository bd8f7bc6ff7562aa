#pragma once

#include <cstddef>
#include <vector>

#include "rt/worlds/cloth/cloth_integrator.h"
#include "rt/worlds/cloth/cloth_system.h"
#include "rt/worlds/cloth/particle_vectors.h"
#include "shared/realtime.h"

namespace haptic::cloth {

/// The approximate implicit step of Kang et al. 2000, from each particle's own neighbours:
///   ft_i = f_i + h sum_j k_ij (v_j - v_i),   K_i = sum_j k_ij,
///   dv_i = (h ft_i + h^2 sum_j k_ij h ft_j / (m_j + h^2 K_j)) / (m_i + h^2 K_i),
///   v += dv,   x += h v.
/// These are two Jacobi sweeps from zero for (M - h^2 H) dv = h ft. It takes any step and costs two
/// passes over the springs, but keeps linear momentum only approximately, and a force reaches the
/// direct neighbours alone. A pinned neighbour has dv_j = 0.
/// Source: docs/methods/cloth.md, "Approximate implicit steps".
class NeighbourStep final : public ClothIntegrator {
 public:
  /// @throws InputError as ClothIntegrator
  NeighbourStep(ClothSystem& system, double dt);

 private:
  ClothStepResult advance(ClothState& state) HAPTIC_REALTIME override;

  std::vector<double> stiffness_;  // K_i
  ParticleVectors force_, first_, change_;
};

}  // namespace haptic::cloth
