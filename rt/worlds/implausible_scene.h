#pragma once

#include <string>
#include <vector>

#include "rt/worlds/scene.h"

namespace haptic {

/// Values of the core of a scene that a lab hardly means, one line each
/// (shared/config/plausible_range.h): rates, length scale, gravity, the hand's tool, places.
std::vector<std::string> implausible_values(const Scene& scene);

}  // namespace haptic
