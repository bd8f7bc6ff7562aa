#pragma once

#include <memory>

#include "rt/worlds/scene.h"
#include "rt/worlds/world.h"
#include "shared/clock.h"

namespace haptic {

/// Maps the models of a scene and builds its world; `step` advances it by 1 / scene.rate_hz.
///
/// @param clock  measures the stages of a step; must outlive the world. nullptr: the stage times
///               are zero, so that two runs give the same bytes
/// @throws InputError if a model lacks a section that its role or contact needs, or a file is
///         damaged
std::unique_ptr<World> make_world(const Scene& scene, const Clock* clock);

}  // namespace haptic
