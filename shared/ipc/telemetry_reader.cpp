#include "shared/ipc/telemetry_reader.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <optional>
#include <thread>
#include <utility>

#include "shared/error.h"
#include "shared/ipc/run_folder.h"
#include "shared/ipc/telemetry_plan.h"

namespace haptic {
namespace {

SharedSegment open_segment(const std::string& daemon_name, const std::filesystem::path& path) {
  try {
    return SharedSegment::open(path);
  } catch (const OperationError& error) {
    throw OperationError("no hapticd runs under the name \"" + daemon_name + "\" (" + error.what() +
                         ")");
  }
}

template <std::size_t N>
void terminate(char (&field)[N]) {
  field[N - 1] = '\0';
}

[[noreturn]] void refuse(const std::string& name, const std::string& found,
                         const std::string& expected) {
  throw InputError("shared memory " + name, "", found, expected);
}

// Everything that later code multiplies, adds or indexes with is checked: first what the places of
// bodies and blocks follow from.
void check_counts(const std::string& name, const TelemetryHeader& header, std::size_t size) {
  if (header.version != TelemetryHeader::kVersion) {
    refuse(name, "found layout version " + std::to_string(header.version),
           "version " + std::to_string(TelemetryHeader::kVersion) +
               " (hapticd and haptic of one release)");
  }
  if (header.header_size != sizeof(TelemetryHeader) || header.layout_hash != kTelemetryLayoutHash) {
    refuse(name, "found another record layout", "hapticd and haptic of one build");
  }
  const std::uint32_t capacity = header.ring_capacity;
  if (header.parameter_count > kMaxParameters || header.body_count > kMaxBodies ||
      header.block_count > StateLayout::kMostBlocks || capacity == 0 ||
      capacity > kMaxRingCapacity || (capacity & (capacity - 1)) != 0) {
    refuse(name, "found impossible counts in the header", "a segment written by hapticd");
  }
  const TelemetryPlan plan =
      plan_telemetry({header.body_count, header.block_count, header.parameter_count, 0, 0, 0});
  if (size < plan.ring_offset) {
    refuse(name, "found " + std::to_string(size) + " bytes",
           "at least " + std::to_string(plan.ring_offset) + " bytes (truncated segment)");
  }
}

// Then the other positions, which follow from the blocks.
void check_places(const std::string& name, const TelemetryHeader& header, const StateLayout& state,
                  std::size_t size) {
  const TelemetryPlan plan =
      plan_telemetry({header.body_count, header.block_count, header.parameter_count,
                      state.cycle_values(), state.display_values(), header.ring_capacity});
  if (header.bodies_offset != plan.bodies_offset || header.blocks_offset != plan.blocks_offset ||
      header.parameters_offset != plan.parameters_offset ||
      header.statistics_offset != plan.statistics_offset ||
      header.events_offset != plan.events_offset || header.ring_offset != plan.ring_offset ||
      header.ring_stride != plan.ring_stride || header.display_offset != plan.display_offset ||
      header.display_stride != plan.display_stride || header.total_size != plan.total_size) {
    refuse(name, "found offsets that do not follow from the counts",
           "a segment written by hapticd");
  }
  if (size < plan.total_size) {
    refuse(name, "found " + std::to_string(size) + " bytes",
           std::to_string(plan.total_size) + " bytes (truncated segment)");
  }
  if (!(header.rate_hz > 0.0 && std::isfinite(header.rate_hz))) {
    refuse(name, "found rate " + std::to_string(header.rate_hz), "a rate > 0 [Hz]");
  }
}

StateLayout read_blocks(const std::byte* at, std::uint32_t count) {
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
  return StateLayout(std::move(blocks));
}

}  // namespace

TelemetryReader::TelemetryReader(const std::string& daemon_name)
    : TelemetryReader(daemon_name, find_run_file(daemon_name, "telemetry", has_live_creator)) {}

TelemetryReader::TelemetryReader(const std::string& daemon_name, const std::filesystem::path& path)
    : daemon_name_(daemon_name), segment_(open_segment(daemon_name, path)) {
  const std::string name = segment_.path().string();
  if (segment_.size() < sizeof(TelemetryHeader)) {
    throw InputError("shared memory " + name, "",
                     "found " + std::to_string(segment_.size()) + " bytes", "a telemetry segment");
  }
  const auto* shared = reinterpret_cast<const TelemetryHeader*>(segment_.data());
  const std::uint64_t magic = load_word(shared->magic, std::memory_order_acquire);
  if (magic == 0) {
    throw OperationError("hapticd \"" + daemon_name + "\" is just starting; try again");
  }
  if (magic != TelemetryHeader::kMagic) {
    throw InputError("shared memory " + name, "", "found foreign content", "a telemetry segment");
  }
  load_words(&header_, shared, sizeof(header_));
  check_counts(name, header_, segment_.size());
  const TelemetryPlan plan =
      plan_telemetry({header_.body_count, header_.block_count, header_.parameter_count, 0, 0, 0});
  state_ = read_blocks(segment_.data() + plan.blocks_offset, header_.block_count);
  check_places(name, header_, state_, segment_.size());
  terminate(header_.daemon_version);
  terminate(header_.device);
  terminate(header_.scene_path);

  bodies_.resize(header_.body_count);
  if (!bodies_.empty()) {
    load_words(bodies_.data(), segment_.data() + header_.bodies_offset,
               bodies_.size() * sizeof(BodyRecord));
  }
  const std::optional<std::size_t> coordinates = state_.find(StateLayout::kBodyCoordinates);
  const std::uint64_t coordinate_count =
      coordinates ? state_.blocks()[*coordinates].size() : std::uint64_t{0};
  for (BodyRecord& body : bodies_) {
    terminate(body.name);
    terminate(body.model_path);
    if (body.first_coordinate > coordinate_count ||
        body.coordinate_count > coordinate_count - body.first_coordinate) {
      throw InputError("shared memory " + name, body.name, "found coordinates outside the sample",
                       "a segment written by hapticd");
    }
  }
  skip_to_newest();
}

std::uint64_t TelemetryReader::head() const {
  const auto* shared = reinterpret_cast<const TelemetryHeader*>(segment_.data());
  return load_word(shared->ring_head, std::memory_order_acquire);
}

const std::uint64_t* TelemetryReader::entry(std::uint64_t index) const {
  const std::uint64_t slot = index & (header_.ring_capacity - 1);
  return reinterpret_cast<const std::uint64_t*>(segment_.data() + header_.ring_offset +
                                                slot * header_.ring_stride);
}

bool TelemetryReader::read(std::uint64_t index, TelemetrySample& target) const {
  const std::uint64_t* at = entry(index);
  if (seqlock_read_begin(*at) != 2 * index + 2) return false;
  const auto* from = reinterpret_cast<const std::byte*>(at + 1);
  load_words(&target.record, from, sizeof(SampleRecord));
  load_words(target.state.data(), from + sizeof(SampleRecord), target.state.size() * 8);
  return seqlock_read_holds(*at, 2 * index + 2);
}

bool TelemetryReader::newest(TelemetrySample& target) const {
  target.state.resize(state_.cycle_values());
  // An entry is overwritten after a whole ring of cycles: a reader that is stopped for so long
  // tries again.
  for (int attempt = 0; attempt < 1000; ++attempt) {
    const std::uint64_t published = head();
    if (published == 0) return false;
    if (read(published - 1, target)) return true;
    std::this_thread::yield();
  }
  return false;
}

std::uint64_t TelemetryReader::published_displays() const {
  if (state_.display_values() == 0) return 0;
  const std::byte* const at = segment_.data() + header_.display_offset;
  return load_word(*reinterpret_cast<const std::uint64_t*>(at), std::memory_order_acquire);
}

bool TelemetryReader::display(DisplaySnapshot& target) const {
  if (state_.display_values() == 0) return false;
  const std::byte* const at = segment_.data() + header_.display_offset;
  std::vector<float> values((state_.display_values() + 1) / 2 * 2);  // whole words
  for (int attempt = 0; attempt < 1000; ++attempt) {
    const std::uint64_t published = published_displays();
    if (published == 0) return false;
    const std::uint64_t index = published - 1;
    const auto* const copy =
        reinterpret_cast<const std::uint64_t*>(at + 64 + index % 2 * header_.display_stride);
    if (seqlock_read_begin(*copy) == 2 * index + 2) {
      target.first_cycle = load_word(copy[1], std::memory_order_acquire);
      target.last_cycle = load_word(copy[2], std::memory_order_acquire);
      load_words(values.data(), copy + 3, values.size() * sizeof(float));
      if (seqlock_read_holds(*copy, 2 * index + 2)) {
        values.resize(state_.display_values());
        target.state = std::move(values);
        return true;
      }
    }
    std::this_thread::yield();
  }
  return false;
}

bool TelemetryReader::next(TelemetrySample& target) {
  target.state.resize(state_.cycle_values());
  while (true) {
    const std::uint64_t newest = head();
    if (next_ >= newest) return false;
    if (newest - next_ > header_.ring_capacity) {
      const std::uint64_t oldest = newest - header_.ring_capacity;
      lost_ += oldest - next_;
      next_ = oldest;
    }
    if (read(next_, target)) {
      ++next_;
      return true;
    }
    ++lost_;  // overwritten while it was read
    ++next_;
  }
}

void TelemetryReader::skip_to_newest() {
  next_ = head();
}

void TelemetryReader::rewind_to_oldest() {
  const std::uint64_t newest = head();
  next_ = newest > header_.ring_capacity ? newest - header_.ring_capacity : 0;
}

std::vector<ParameterRecord> TelemetryReader::parameters() const {
  std::vector<ParameterRecord> records(header_.parameter_count);
  if (records.empty()) return records;
  load_words(records.data(), segment_.data() + header_.parameters_offset,
             records.size() * sizeof(ParameterRecord));
  for (ParameterRecord& record : records) terminate(record.name);
  return records;
}

std::vector<EventRecord> TelemetryReader::events(std::uint64_t from) const {
  const std::byte* at = segment_.data() + header_.events_offset;
  const std::uint64_t next =
      load_word(*reinterpret_cast<const std::uint64_t*>(at), std::memory_order_acquire);
  std::vector<EventRecord> found;
  std::uint64_t number = std::max(from, next > kEventCapacity ? next - kEventCapacity : 0);
  for (; number < next; ++number) {
    const std::byte* entry = at + 8 + (number % kEventCapacity) * (8 + sizeof(EventRecord));
    const auto& sequence = *reinterpret_cast<const std::uint64_t*>(entry);
    if (seqlock_read_begin(sequence) != 2 * number + 2) continue;  // of another segment, or gone
    EventRecord event;
    load_words(&event, entry + 8, sizeof event);
    if (!seqlock_read_holds(sequence, 2 * number + 2)) continue;
    terminate(event.key);
    terminate(event.client);
    terminate(event.text);
    found.push_back(event);
  }
  return found;
}

bool TelemetryReader::events_settled() const {
  const auto* shared = reinterpret_cast<const TelemetryHeader*>(segment_.data());
  return load_word(shared->settled, std::memory_order_acquire) >= next_;
}

OperatorRecord TelemetryReader::holder() const {
  const auto* shared = reinterpret_cast<const TelemetryHeader*>(segment_.data());
  OperatorRecord record{};
  for (int attempt = 0; attempt < 100'000; ++attempt) {
    const std::uint64_t before = seqlock_read_begin(shared->holder.sequence);
    load_words(&record, &shared->holder, sizeof record);
    if (before % 2 == 0 && seqlock_read_holds(shared->holder.sequence, before)) break;
  }
  terminate(record.client);
  return record;
}

std::uint32_t TelemetryReader::grants() const {
  const auto* shared = reinterpret_cast<const TelemetryHeader*>(segment_.data());
  return std::atomic_ref(const_cast<std::uint32_t&>(shared->grants))
      .load(std::memory_order_relaxed);
}

Statistics TelemetryReader::statistics() const {
  Statistics copy;
  load_words(&copy, segment_.data() + header_.statistics_offset, sizeof(copy));
  return copy;
}

DaemonLife TelemetryReader::life() const {
  const auto* shared = reinterpret_cast<const TelemetryHeader*>(segment_.data());
  if (load_word(shared->closed, std::memory_order_acquire) == kEndReplaced) {
    return DaemonLife::kReplaced;
  }
  if (segment_.creator_lives()) return DaemonLife::kAlive;
  try {
    const SharedSegment other = SharedSegment::open(segment_.path());
    if (!segment_.is_current() && other.creator_lives()) return DaemonLife::kRestarted;
  } catch (const OperationError&) {
    // No segment under the name: no other daemon has replaced it.
  }
  return load_word(shared->closed, std::memory_order_acquire) == kEndLeft ? DaemonLife::kClosed
                                                                          : DaemonLife::kDead;
}

}  // namespace haptic
