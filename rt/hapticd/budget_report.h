#pragma once

#include <string>

#include "rt/worlds/scene.h"
#include "shared/clock.h"

namespace haptic {

/// What the time of a cycle goes into on this machine, in lines for a person: wake-up, the cycle
/// with nothing in contact, a node and a contact of every pair, how deep each pair's tree can be
/// rendered, and how many nodes a touch may visit.
///
/// Takes a second and the calibration of each pair (rt/worlds/contact_calibration.h); to be called
/// in a thread prepared as the loop's is. The device is a simulated one at rest, so that nothing
/// moves.
/// @throws InputError as make_world
std::string budget_report(const Scene& scene, Clock& clock);

}  // namespace haptic
