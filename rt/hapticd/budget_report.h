#pragma once

#include <string>

#include "rt/worlds/scene.h"
#include "shared/clock.h"

namespace haptic {

/// What the time of a cycle goes into on this machine, in lines for a person: wake-up, the cycle
/// with nothing in contact, and what the kind of world reports of its contacts
/// (WorldKind::measure_budget).
///
/// Takes a second and the time of the kind's measurement; to be called in a thread prepared as the
/// loop's is. The device is a simulated one at rest, so that nothing
/// moves.
/// @throws InputError as make_world
std::string budget_report(const Scene& scene, Clock& clock);

}  // namespace haptic
