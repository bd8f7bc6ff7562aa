#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rt/dynamics/reduced_energy.h"

namespace haptic {

/// Settings of `solve_reduced_statics`.
struct StaticsSettings {
  std::uint32_t load_steps = 10;
  std::uint32_t iterations = 50;  ///< Newton iterations a load step
  double tolerance = 1e-10;       ///< of |R(q) - f| relative to |f|
};

struct StaticsSolution {
  std::vector<double> q;
  std::uint32_t iterations = 0;  ///< Newton iterations of all load steps
  double residual = 0.0;         ///< |R(q) - f| / |f|
};

/// Static equilibrium R(q) = f by Newton with load steps and backtracking on residual or potential
/// (docs/methods/reduced-dynamics.md, "Reduced statics"). Offline: allocates.
/// @param start r values to start from, or empty for rest
/// @throws OperationError if the residual does not reach the tolerance
StaticsSolution solve_reduced_statics(const ReducedEnergy& energy, std::span<const double> force,
                                      std::span<const double> start = {},
                                      const StaticsSettings& settings = {});

}  // namespace haptic
