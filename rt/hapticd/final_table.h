#pragma once

#include <string>

#include "shared/ipc/telemetry_reader.h"

namespace haptic {

/// Summary of a run as text: rate, cycles, missed, compute and wake percentiles, allocations and
/// page faults in the loop, and every scalar state block in the last cycle.
std::string final_table(const TelemetryReader& telemetry, double seconds);

}  // namespace haptic
