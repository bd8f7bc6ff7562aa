#include "rt/dynamics/rayleigh_damping.h"

#include <fmt/format.h>

#include <cmath>
#include <span>

#include "shared/artifact/model_file.h"
#include "shared/error.h"

namespace haptic {

RayleighDamping read_rayleigh_damping(const ModelFile& model) {
  const std::span<const double> values = model.doubles("/reduced/damping");
  return {values[0], values[1]};
}

void require_valid(std::string_view integrator, double dt, const RayleighDamping& damping) {
  const auto require = [&](bool valid, std::string_view key, double found,
                           std::string_view expected) {
    if (!valid) throw InputError(integrator, key, fmt::format("found {}", found), expected);
  };
  require(std::isfinite(dt) && dt > 0.0, "dt", dt, "a number > 0 [s]");
  require(std::isfinite(damping.alpha) && damping.alpha >= 0.0, "alpha", damping.alpha,
          "a number >= 0 [1/s]");
  require(std::isfinite(damping.beta) && damping.beta >= 0.0, "beta", damping.beta,
          "a number >= 0 [s]");
}

}  // namespace haptic
