#pragma once

#include <cstdint>
#include <optional>

namespace haptic {

enum class DynamicsIntegrator : std::uint8_t { kNewmark, kCentralDifferences, kModal };

/// Integration settings of all deformable bodies of a scene.
struct BodyDynamics {
  DynamicsIntegrator integrator = DynamicsIntegrator::kNewmark;
  std::uint32_t newton_iterations = 1;  ///< of implicit Newmark
  /// Whether contact forces are those of the step's end, found for all bodies together, or those of
  /// its start; absent: of its end, unless another setting excludes that.
  std::optional<bool> implicit_contact;
  /// Largest number of contacts in an implicit step; absent: kContactCapacity. If more points
  /// touch, those of the coarser levels are kept, with a higher stiffness.
  std::optional<std::uint32_t> contact_capacity;
  static constexpr std::uint32_t kContactCapacity = 1u << 14;
  /// Bodies whose points all have been slower for sleep_s sleep [m/s]; 0: none do.
  double sleep_speed = 0.0;
  double sleep_s = 0.5;
  /// Largest number of pairs of bodies with the same two models and settings that are close at a
  /// time; more are a fault. Absent: all.
  std::optional<std::uint32_t> pair_capacity;
  double material_ramp_s = 0.2;  ///< duration of a change of material [s]
  /// Largest mass-weighted root-mean-square displacement [m]; a larger one is a fault.
  /// Absent: ten times the body's diameter.
  std::optional<double> displacement_limit;
  /// Largest norm of q'' of a body [m kg^1/2 / s^2], implicit Newmark only; absent: no limit.
  std::optional<double> acceleration_limit;
};

}  // namespace haptic
