#pragma once

#include <cstdint>
#include <vector>

#include "shared/ipc/telemetry_layout.h"

namespace haptic {

/// One cycle as a reader gets it.
struct TelemetrySample {
  SampleRecord record{};
  std::vector<double> state;  ///< values of the blocks of rate kCycle (StateLayout)
};

/// The blocks of rate kDisplay as they were in the cycles from first to last.
struct DisplaySnapshot {
  std::uint64_t first_cycle = 0, last_cycle = 0;
  std::vector<float> state;
};

}  // namespace haptic
