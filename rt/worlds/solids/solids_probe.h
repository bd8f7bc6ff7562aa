#pragma once

#include <memory>

#include "rt/worlds/contact_probe.h"
#include "rt/worlds/scene.h"

namespace haptic {

/// The contact pairs of a scene of solids, checked as its world checks them.
/// @throws InputError as make_world
std::unique_ptr<ContactProbe> make_solids_probe(const Scene& scene);

}  // namespace haptic
