#pragma once

#include <cstdint>

#include "shared/ipc/telemetry_layout.h"

namespace haptic {

/// How many of what a segment has.
struct TelemetryCounts {
  std::uint32_t bodies = 0, blocks = 0;
  std::uint64_t parameters = 0;
  std::uint64_t cycle_values = 0, display_values = 0;  ///< as StateLayout
  std::uint32_t ring_capacity = 0;
};

/// Where the parts of a telemetry segment lie; the writer follows it, the reader demands it.
struct TelemetryPlan {
  std::uint64_t bodies_offset, blocks_offset, parameters_offset, statistics_offset, events_offset,
      ring_offset, ring_stride, display_offset, display_stride, total_size;
};

constexpr TelemetryPlan plan_telemetry(const TelemetryCounts& counts) {
  // Parts begin on their own cache lines: the reader of one does not slow the writer of another.
  constexpr auto line_up = [](std::uint64_t offset) { return (offset + 63) / 64 * 64; };
  TelemetryPlan plan{};
  plan.bodies_offset = line_up(sizeof(TelemetryHeader));
  plan.blocks_offset =
      line_up(plan.bodies_offset + std::uint64_t{counts.bodies} * sizeof(BodyRecord));
  plan.parameters_offset =
      line_up(plan.blocks_offset + std::uint64_t{counts.blocks} * sizeof(BlockRecord));
  plan.statistics_offset =
      line_up(plan.parameters_offset + counts.parameters * sizeof(ParameterRecord));
  plan.events_offset = line_up(plan.statistics_offset + sizeof(Statistics));
  plan.ring_offset = line_up(plan.events_offset + 8 + kEventCapacity * (8 + sizeof(EventRecord)));
  plan.ring_stride = 8 + sizeof(SampleRecord) + counts.cycle_values * 8;
  plan.display_offset = line_up(plan.ring_offset + plan.ring_stride * counts.ring_capacity);
  // Whole words: an odd number of values leaves one float unused.
  plan.display_stride = line_up(24 + (counts.display_values + 1) / 2 * 8);
  plan.total_size =
      plan.display_offset + (counts.display_values > 0 ? 64 + 2 * plan.display_stride : 0);
  return plan;
}

}  // namespace haptic
