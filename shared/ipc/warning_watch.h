#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "shared/ipc/telemetry_layout.h"
#include "shared/realtime.h"
#include "shared/state/physical_warnings.h"
#include "shared/state/state_layout.h"

namespace haptic {

/// Counts in which cycles the conditions of kPhysicalWarnings hold. The loop does this in every
/// cycle; a reader of a log does it again over the rows.
class WarningWatch {
 public:
  /// @param rate_hz        of the cycles, > 0
  /// @param cycles_per_step  cycles in a world step, >= 1; 0: not known, the age of steps is not
  ///                       watched
  WarningWatch(const StateLayout& layout, double rate_hz, std::uint32_t cycles_per_step);

  /// One cycle. @param state  values of the blocks of rate kCycle
  /// @param[in,out] records  as many as kPhysicalWarnings; may be in shared memory
  void observe(const SampleRecord& sample, std::span<const double> state,
               std::span<WarningRecord, kPhysicalWarningCount> records) const HAPTIC_REALTIME;

 private:
  static constexpr std::size_t kAbsent = ~std::size_t{0};

  /// Places of the values in the state.
  struct Place {
    std::size_t value = kAbsent, over = kAbsent;
  };

  /// NaN where the condition has no value in this cycle.
  double value_of(std::size_t warning, const SampleRecord& sample,
                  std::span<const double> state) const HAPTIC_REALTIME;

  std::array<Place, kPhysicalWarningCount> places_{};
  std::uint64_t gap_;  // cycles
  std::uint32_t cycles_a_step_;
};

}  // namespace haptic
