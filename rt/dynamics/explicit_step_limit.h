#pragma once

#include <memory>
#include <span>

#include "rt/dynamics/material_rows.h"
#include "shared/realtime.h"

namespace haptic {

/// Whether central differences of a fixed dt are stable about rest for a changed material:
/// dt < 2 / w_max with K(0) x = w^2 M x, that is 4 / dt^2 M - K(0) positive definite. A Cholesky
/// factorisation decides it, r^3/3, without eigenvalues. Damping does not change the limit, because
/// it is taken at the step's end (docs/methods/reduced-dynamics.md, "Central differences").
class ExplicitStepLimit {
 public:
  /// @param rows  with energy rows  @param dt  s, > 0. Allocates here only
  ExplicitStepLimit(const MaterialRows& rows, double dt);
  ExplicitStepLimit(ExplicitStepLimit&&) noexcept;
  ExplicitStepLimit& operator=(ExplicitStepLimit&&) noexcept;
  ~ExplicitStepLimit();

  /// @param weights    of each energy row
  /// @param densities  of each mass row [kg/m^3]; without groups: one factor of M = I
  bool stable(std::span<const double> weights, std::span<const double> densities) HAPTIC_REALTIME;

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

}  // namespace haptic
