#pragma once

#include <string>

#include "shared/ipc/telemetry_reader.h"

namespace haptic {

/// What a run was like, as text: rate, cycles, missed, compute and wake percentiles, allocations
/// and page faults in the loop, and every state block of one number in the last cycle.
std::string final_table(const TelemetryReader& telemetry, double seconds);

}  // namespace haptic
