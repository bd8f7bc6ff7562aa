#pragma once

#include <string>

#include "rt/worlds/scene.h"
#include "shared/clock.h"

namespace haptic {

/// Measures how the time of a cycle is spent on this machine, as lines of text: wake-up, the cycle
/// without contact, and what the kind of world reports of its contacts (WorldKind::measure_budget).
///
/// Takes one second plus the time of the kind's measurement. Call it in a thread that is prepared
/// like the loop's. The device is simulated and at rest, so that nothing moves.
/// @throws InputError as make_world
std::string budget_report(const Scene& scene, Clock& clock);

}  // namespace haptic
