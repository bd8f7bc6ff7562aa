#pragma once

#include <cstddef>
#include <span>

#include "shared/ipc/telemetry_layout.h"
#include "shared/realtime.h"

namespace haptic {

/// Where a haptic cycle leaves what it did: shared memory in the daemon, a log offline.
class CycleSink {
 public:
  virtual ~CycleSink() = default;

  /// One cycle. @param poses of all bodies, world @param coordinates of all bodies, concatenated
  virtual void publish(const SampleRecord& sample, std::span<const PoseRecord> poses,
                       std::span<const double> coordinates) HAPTIC_REALTIME = 0;

  /// Value of one parameter (ParameterTable's order), in turn: one a cycle.
  virtual void publish_parameter(std::size_t index, double value) HAPTIC_REALTIME = 0;

  /// Counters and histograms of the run, incremented in place.
  virtual Statistics& statistics() HAPTIC_REALTIME = 0;
};

}  // namespace haptic
