#pragma once

#include <memory>

#include "rt/worlds/scene.h"
#include "rt/worlds/world.h"
#include "shared/clock.h"

namespace haptic {

/// Maps the models of a scene and builds its world; `step` advances it by 1 / scene.rate_hz.
///
/// @param clock  read around the stages of a step, outlives the world; nullptr leaves the stage
/// times
///               at zero, so that two runs give the same bytes
/// @throws InputError if a model does not have what its role or contact needs, or a file is damaged
std::unique_ptr<World> make_world(const Scene& scene, const Clock* clock);

}  // namespace haptic
