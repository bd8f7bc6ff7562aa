#pragma once

#include <string_view>

namespace haptic {

class ModelFile;

/// Local Rayleigh damping D(q) q' = (alpha M + beta K(q)) q' (Barbic & James 2005, eq 3).
struct RayleighDamping {
  double alpha = 0.0;  ///< 1/s, >= 0
  double beta = 0.0;   ///< s, >= 0
};

/// Reads the damping from a model file. @throws InputError if it has none
RayleighDamping read_rayleigh_damping(const ModelFile& model);

/// @throws InputError naming `integrator` if dt is not > 0 or a coefficient is negative or not
/// finite
void require_valid(std::string_view integrator, double dt, const RayleighDamping& damping);

}  // namespace haptic
