#pragma once

#include <cstdint>

#include "shared/ipc/telemetry_layout.h"

namespace haptic {

/// Where the parts of a telemetry segment lie; the writer follows it, the reader demands it.
struct TelemetryPlan {
  std::uint64_t bodies_offset, parameters_offset, statistics_offset, events_offset, snapshot_offset,
      snapshot_stride, ring_offset, ring_stride, total_size;
};

constexpr TelemetryPlan plan_telemetry(std::uint32_t body_count, std::uint64_t parameter_count,
                                       std::uint32_t coordinate_count,
                                       std::uint32_t ring_capacity) {
  // Parts begin on their own cache lines: the reader of one does not slow the writer of another.
  constexpr auto line_up = [](std::uint64_t offset) { return (offset + 63) / 64 * 64; };
  TelemetryPlan plan{};
  plan.bodies_offset = line_up(sizeof(TelemetryHeader));
  plan.parameters_offset =
      line_up(plan.bodies_offset + std::uint64_t{body_count} * sizeof(BodyRecord));
  plan.statistics_offset =
      line_up(plan.parameters_offset + parameter_count * sizeof(ParameterRecord));
  plan.events_offset = line_up(plan.statistics_offset + sizeof(Statistics));
  plan.snapshot_offset =
      line_up(plan.events_offset + 8 + kEventCapacity * (8 + sizeof(EventRecord)));
  const std::uint64_t sample = 8 + sizeof(SampleRecord) + std::uint64_t{coordinate_count} * 8;
  plan.snapshot_stride = sample + std::uint64_t{body_count} * sizeof(PoseRecord);
  plan.ring_offset = line_up(plan.snapshot_offset + plan.snapshot_stride);
  plan.ring_stride = sample;
  plan.total_size = plan.ring_offset + plan.ring_stride * ring_capacity;
  return plan;
}

}  // namespace haptic
