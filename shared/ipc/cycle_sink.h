#pragma once

#include <cstddef>
#include <span>

#include "shared/ipc/telemetry_layout.h"
#include "shared/realtime.h"

namespace haptic {

/// Receives the results of a haptic cycle: shared memory in the daemon, a log offline.
class CycleSink {
 public:
  virtual ~CycleSink() = default;

  /// One cycle. @param state  values of the blocks of rate kCycle (StateLayout)
  virtual void publish(const SampleRecord& sample,
                       std::span<const double> state) HAPTIC_REALTIME = 0;

  /// Blocks of rate kDisplay, after publish; only for a world that has any. Called in every cycle;
  /// the sink decides how many values it copies in each call.
  /// @param blocks  values of each of these blocks, in order, as they are now
  virtual void publish_display(std::uint64_t cycle,
                               std::span<const std::span<const double>> blocks) HAPTIC_REALTIME = 0;

  /// Value of one parameter (ParameterTable's order), in turn: one a cycle.
  virtual void publish_parameter(std::size_t index, double value) HAPTIC_REALTIME = 0;

  /// Counters and histograms of the run, incremented in place.
  virtual Statistics& statistics() HAPTIC_REALTIME = 0;
};

}  // namespace haptic
