#pragma once

#include <memory>

#include "rt/worlds/contact_probe.h"
#include "rt/worlds/scene.h"

namespace haptic::solids {

/// Probe of the contact pairs of a scene of solids, with the checks of its world.
/// @throws InputError as make_world
std::unique_ptr<ContactProbe> make_solids_probe(const Scene& scene);

}  // namespace haptic::solids
