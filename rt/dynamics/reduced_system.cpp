#include "rt/dynamics/reduced_system.h"

#include <fmt/format.h>

#include <cmath>

#include "shared/assert.h"
#include "shared/error.h"

namespace haptic {

void require_valid(std::string_view integrator, double dt, const ReducedSystem& system) {
  HAPTIC_DEMAND(system.energy != nullptr);
  require_valid(integrator, dt, system.damping);
  HAPTIC_DEMAND(system.fixed.size() < system.energy->dimension());
  const std::size_t r = system.dimension();
  if (!(std::isfinite(system.viscosity_scale) && system.viscosity_scale >= 0.0)) {
    throw InputError(integrator, "viscosity_scale", fmt::format("found {}", system.viscosity_scale),
                     "a number >= 0");
  }
  if (system.viscosity != nullptr && system.viscosity->dimension() != system.energy->dimension()) {
    throw InputError(integrator, "viscosity",
                     fmt::format("found r = {}", system.viscosity->dimension()),
                     fmt::format("{}, as the energy", r));
  }
  if (!system.mass.empty() && system.mass.size() != r * r) {
    throw InputError(integrator, "mass", fmt::format("found {} numbers", system.mass.size()),
                     fmt::format("{} x {}", r, r));
  }
}

}  // namespace haptic
