#pragma once

#include <string>

#include "shared/ipc/telemetry_reader.h"

namespace haptic {

/// What a run was like, as text: rate, cycles, missed, contacts, compute and wake percentiles,
/// allocations and page faults in the loop.
std::string final_table(const TelemetryReader& telemetry, double seconds);

}  // namespace haptic
