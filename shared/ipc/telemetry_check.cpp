#include "shared/ipc/telemetry_check.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "shared/error.h"
#include "shared/ipc/record_fields.h"
#include "shared/ipc/telemetry_plan.h"
#include "shared/printable.h"

namespace haptic {

void TelemetrySource::refuse(const std::string& found, const std::string& expected) const {
  throw InputError(title, section, found, expected);
}

void check_counts(const TelemetrySource& source, const TelemetryHeader& header, std::size_t size) {
  if (header.version != TelemetryHeader::kVersion) {
    source.refuse("found layout version " + std::to_string(header.version),
                  "version " + std::to_string(TelemetryHeader::kVersion) +
                      " (hapticd and haptic of one release)");
  }
  if (header.header_size != sizeof(TelemetryHeader) || header.layout_hash != kTelemetryLayoutHash) {
    source.refuse("found another record layout", "hapticd and haptic of one build");
  }
  const std::uint32_t capacity = header.ring_capacity;
  if (header.parameter_count > kMaxParameters || header.body_count > kMaxBodies ||
      header.block_count > StateLayout::kMaxBlocks || capacity == 0 ||
      capacity > kMaxRingCapacity || (capacity & (capacity - 1)) != 0) {
    source.refuse("found impossible counts in the header", "a segment written by hapticd");
  }
  const TelemetryPlan plan =
      plan_telemetry({header.body_count, header.block_count, header.parameter_count, 0, 0, 0});
  if (size < plan.ring_offset) {
    source.refuse("found " + std::to_string(size) + " bytes",
                  "at least " + std::to_string(plan.ring_offset) + " bytes (truncated segment)");
  }
}

void check_places(const TelemetrySource& source, const TelemetryHeader& header,
                  const StateLayout& state, std::size_t size) {
  const TelemetryPlan plan =
      plan_telemetry({header.body_count, header.block_count, header.parameter_count,
                      state.cycle_values(), state.display_values(), header.ring_capacity});
  if (header.bodies_offset != plan.bodies_offset || header.blocks_offset != plan.blocks_offset ||
      header.parameters_offset != plan.parameters_offset ||
      header.statistics_offset != plan.statistics_offset ||
      header.events_offset != plan.events_offset || header.ring_offset != plan.ring_offset ||
      header.ring_stride != plan.ring_stride || header.display_offset != plan.display_offset ||
      header.display_stride != plan.display_stride || header.total_size != plan.total_size) {
    source.refuse("found offsets that do not follow from the counts",
                  "a segment written by hapticd");
  }
  if (size < plan.total_size) {
    source.refuse("found " + std::to_string(size) + " bytes",
                  std::to_string(plan.total_size) + " bytes (truncated segment)");
  }
  if (!(header.rate_hz > 0.0 && std::isfinite(header.rate_hz))) {
    source.refuse("found rate " + std::to_string(header.rate_hz), "a rate > 0 [Hz]");
  }
}

StateLayout read_blocks(const TelemetrySource& source, const std::byte* at, std::uint32_t count) {
  std::vector<BlockRecord> records(count);
  load_words(records.data(), at, records.size() * sizeof(BlockRecord));
  std::vector<StateBlock> blocks;
  for (BlockRecord& record : records) {
    terminate(record.name);
    terminate(record.unit);
    terminate(record.meaning);
    // More dimensions than there are: StateLayout refuses one more than it knows.
    const std::size_t dimensions = std::min<std::uint64_t>(record.dimensions, 4);
    blocks.push_back({record.name,
                      record.unit,
                      record.meaning,
                      {record.shape, record.shape + dimensions},
                      record.display,
                      record.rate,
                      record.measured != 0});
  }
  try {
    return StateLayout(std::move(blocks));
  } catch (const InputError& error) {
    throw InputError(source.title, source.section, printable(error.what()));
  }
}

}  // namespace haptic
