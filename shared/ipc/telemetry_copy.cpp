// A copy of a segment while its daemon runs.
#include <algorithm>
#include <bit>
#include <cstring>

#include "shared/ipc/telemetry_plan.h"
#include "shared/ipc/telemetry_reader.h"

namespace haptic {
namespace {

/// Copies an entry of a ring if it has the sequence of `number`; else the copy keeps what it has.
void copy_entry(std::byte* to, const std::byte* from, std::uint64_t number, std::size_t bytes) {
  const auto& sequence = *reinterpret_cast<const std::uint64_t*>(from);
  const std::uint64_t complete = 2 * number + 2;
  if (seqlock_read_begin(sequence) != complete) return;
  load_words(to + 8, from + 8, bytes - 8);
  const std::uint64_t copied = seqlock_read_holds(sequence, complete) ? complete : 0;
  std::memcpy(to, &copied, 8);
}

}  // namespace

std::vector<std::uint64_t> TelemetryReader::copy() const {
  TelemetryHeader header = header_;
  const std::uint64_t at_begin = head();
  header.ring_capacity = static_cast<std::uint32_t>(
      std::bit_ceil(std::clamp<std::uint64_t>(at_begin, 1, header_.ring_capacity)));
  const TelemetryPlan plan =
      plan_telemetry({header.body_count, header.block_count, header.parameter_count,
                      state_.cycle_values(), state_.display_values(), header.ring_capacity});
  header.display_offset = plan.display_offset;
  header.total_size = plan.total_size;
  header.closed = kExited;
  header.grants = grants();
  header.holder = holder();

  std::vector<std::uint64_t> words(plan.total_size / 8);
  auto* const to = reinterpret_cast<std::byte*>(words.data());
  // Bodies to statistics have the same places in the copy.
  load_words(to + plan.bodies_offset, data_ + plan.bodies_offset,
             plan.events_offset - plan.bodies_offset);

  const std::byte* const events = data_ + plan.events_offset;
  const auto& event_head = *reinterpret_cast<const std::uint64_t*>(events);
  const std::uint64_t event_end = load_word(event_head, std::memory_order_acquire);
  for (std::uint64_t number = event_end - std::min<std::uint64_t>(event_end, kEventCapacity);
       number < event_end; ++number) {
    const std::size_t at = 8 + (number % kEventCapacity) * (8 + sizeof(EventRecord));
    copy_entry(to + plan.events_offset + at, events + at, number, 8 + sizeof(EventRecord));
  }
  std::memcpy(to + plan.events_offset, &event_end, 8);

  // Samples published meanwhile replace those that the loop has overwritten.
  const std::uint64_t most = at_begin + header_.ring_capacity;
  std::uint64_t number = at_begin - std::min<std::uint64_t>(at_begin, header_.ring_capacity);
  for (; number < most && number < head(); ++number) {
    const std::uint64_t slot = number & (header.ring_capacity - 1);
    copy_entry(to + plan.ring_offset + slot * header.ring_stride,
               reinterpret_cast<const std::byte*>(entry(number)), number, header.ring_stride);
  }
  header.ring_head = number;

  DisplaySnapshot snapshot;
  if (display(snapshot)) {
    std::byte* const target = to + plan.display_offset;
    const std::uint64_t begin[] = {2, snapshot.first_cycle, snapshot.last_cycle};
    const std::uint64_t published = 1;
    std::memcpy(target, &published, 8);
    std::memcpy(target + 64, begin, sizeof begin);
    std::memcpy(target + 64 + sizeof begin, snapshot.state.data(),
                snapshot.state.size() * sizeof(float));
  }
  std::memcpy(to, &header, sizeof header);
  return words;
}

}  // namespace haptic
