#pragma once

#include <cstdint>
#include <optional>

namespace haptic {

enum class DynamicsIntegrator : std::uint8_t { kNewmark, kCentralDifferences, kModal };

/// How every deformable body of a scene is advanced.
struct BodyDynamics {
  DynamicsIntegrator integrator = DynamicsIntegrator::kNewmark;
  std::uint32_t newton_iterations = 1;  ///< of implicit Newmark
  double material_ramp_s = 0.2;         ///< from one value of a material to the next
  /// Root mean square over the body's mass that ends in a fault [m]; absent: ten times its
  /// diameter.
  std::optional<double> displacement_limit;
  /// Longest |q''| of a body [m kg^1/2 / s^2], implicit Newmark; absent: none.
  std::optional<double> acceleration_limit;
};

}  // namespace haptic
