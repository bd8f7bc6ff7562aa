#pragma once

#include <cstdint>
#include <span>

#include "rt/worlds/cloth/cloth_system.h"
#include "shared/realtime.h"

namespace haptic::cloth {

enum class ClothStepResult : std::uint8_t {
  kOk,
  kDiverged,    ///< a value is not finite
  kUnfinished,  ///< the bound of inner steps was reached: the state is at an earlier time
  kStale,       ///< the pins changed since the method's matrix was made
};

/// Advances a cloth by steps of a fixed dt.
///
/// A step costs what its class says; it never allocates. It sets nothing but the state, so a state
/// may be changed between steps. A method with a history of its own says how it takes such a
/// change; `restart` forgets the history.
/// Source: docs/methods/cloth.md, "Integrators".
class ClothIntegrator {
 public:
  ClothIntegrator(const ClothIntegrator&) = delete;
  ClothIntegrator& operator=(const ClothIntegrator&) = delete;
  virtual ~ClothIntegrator() = default;

  /// One step. If the result is kDiverged or kStale, the state is unchanged.
  [[nodiscard]] ClothStepResult step(ClothState& state) HAPTIC_REALTIME;

  /// Forgets what the method remembers of earlier steps: after a jump of positions (basic Verlet,
  /// BDF2), after a change of the masses' forces that should act at once.
  virtual void restart() HAPTIC_REALTIME {}

  /// Whether the last step's system was solved to its tolerance; true of a method without one.
  virtual bool converged() const HAPTIC_REALTIME { return true; }

  double dt() const HAPTIC_REALTIME { return dt_; }  ///< s

 protected:
  /// @throws InputError if dt [s] is not a number > 0
  ClothIntegrator(ClothSystem& system, double dt);

  /// Moves the state by dt. Must leave the positions and velocities that the constraints allow
  /// (`hold`). May leave values that are not finite.
  virtual ClothStepResult advance(ClothState& state) HAPTIC_REALTIME = 0;

  ClothSystem& system() HAPTIC_REALTIME { return system_; }
  void hold(ClothState& state) HAPTIC_REALTIME {
    system_.constraints().project(state.x, state.v, dt_);
  }

 private:
  ClothSystem& system_;
  double dt_;
  ClothState before_;
};

/// y += a z over spans of one length.
inline void add_scaled(double a, std::span<const double> z, std::span<double> y) HAPTIC_REALTIME {
  for (std::size_t k = 0; k < y.size(); ++k) y[k] += a * z[k];
}

bool all_finite(std::span<const double> values) HAPTIC_REALTIME;

}  // namespace haptic::cloth
