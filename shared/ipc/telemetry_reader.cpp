#include "shared/ipc/telemetry_reader.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <thread>

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

// Everything that later code multiplies, adds or indexes with is held against what the sizes
// demand.
void check_header(const std::string& name, const TelemetryHeader& header, std::size_t size) {
  const auto refuse = [&](const std::string& found, const std::string& expected) {
    throw InputError("shared memory " + name, "", found, expected);
  };
  if (header.version != TelemetryHeader::kVersion) {
    refuse("found layout version " + std::to_string(header.version),
           "version " + std::to_string(TelemetryHeader::kVersion) +
               " (hapticd and haptic of one release)");
  }
  if (header.header_size != sizeof(TelemetryHeader) || header.layout_hash != kTelemetryLayoutHash) {
    refuse("found another record layout", "hapticd and haptic of one build");
  }
  const std::uint32_t capacity = header.ring_capacity;
  if (header.parameter_count > kMaxParameters || header.body_count > kMaxBodies ||
      header.coordinate_count > kMaxCoordinates || capacity == 0 || capacity > kMaxRingCapacity ||
      (capacity & (capacity - 1)) != 0) {
    refuse("found impossible counts in the header", "a segment written by hapticd");
  }
  const TelemetryPlan plan =
      plan_telemetry(header.body_count, header.parameter_count, header.coordinate_count, capacity);
  if (header.bodies_offset != plan.bodies_offset ||
      header.parameters_offset != plan.parameters_offset ||
      header.statistics_offset != plan.statistics_offset ||
      header.events_offset != plan.events_offset ||
      header.snapshot_offset != plan.snapshot_offset ||
      header.snapshot_stride != plan.snapshot_stride || header.ring_offset != plan.ring_offset ||
      header.ring_stride != plan.ring_stride || header.total_size != plan.total_size) {
    refuse("found offsets that do not follow from the counts", "a segment written by hapticd");
  }
  if (size < plan.total_size) {
    refuse("found " + std::to_string(size) + " bytes",
           std::to_string(plan.total_size) + " bytes (truncated segment)");
  }
  if (!(header.rate_hz > 0.0 && std::isfinite(header.rate_hz))) {
    refuse("found rate " + std::to_string(header.rate_hz), "a rate > 0 [Hz]");
  }
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
  check_header(name, header_, segment_.size());
  terminate(header_.device);
  terminate(header_.scene_path);

  bodies_.resize(header_.body_count);
  if (!bodies_.empty()) {
    load_words(bodies_.data(), segment_.data() + header_.bodies_offset,
               bodies_.size() * sizeof(BodyRecord));
  }
  for (BodyRecord& body : bodies_) {
    terminate(body.name);
    terminate(body.model_path);
    if (body.first_coordinate > header_.coordinate_count ||
        body.coordinate_count > header_.coordinate_count - body.first_coordinate) {
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

bool TelemetryReader::snapshot(TelemetrySnapshot& target) const {
  target.poses.resize(header_.body_count);
  target.coordinates.resize(header_.coordinate_count);
  const std::byte* at = segment_.data() + header_.snapshot_offset;
  const auto& sequence = *reinterpret_cast<const std::uint64_t*>(at);
  // A write takes well below a microsecond; a sequence that stays odd has lost its writer.
  for (int attempt = 0; attempt < 100'000; ++attempt) {
    const std::uint64_t before = seqlock_read_begin(sequence);
    if (before == 0) return false;
    if (before % 2 == 0) {
      const std::byte* from = at + 8;
      load_words(&target.record, from, sizeof(SampleRecord));
      from += sizeof(SampleRecord);
      load_words(target.poses.data(), from, target.poses.size() * sizeof(PoseRecord));
      from += target.poses.size() * sizeof(PoseRecord);
      load_words(target.coordinates.data(), from, target.coordinates.size() * 8);
      if (seqlock_read_holds(sequence, before)) return true;
    }
    if (attempt % 64 == 63) std::this_thread::yield();
  }
  return false;
}

bool TelemetryReader::next(TelemetrySample& target) {
  target.coordinates.resize(header_.coordinate_count);
  while (true) {
    const std::uint64_t newest = head();
    if (next_ >= newest) return false;
    if (newest - next_ > header_.ring_capacity) {
      const std::uint64_t oldest = newest - header_.ring_capacity;
      lost_ += oldest - next_;
      next_ = oldest;
    }
    const std::uint64_t* at = entry(next_);
    if (seqlock_read_begin(*at) == 2 * next_ + 2) {
      const auto* from = reinterpret_cast<const std::byte*>(at + 1);
      load_words(&target.record, from, sizeof(SampleRecord));
      load_words(target.coordinates.data(), from + sizeof(SampleRecord),
                 target.coordinates.size() * 8);
      if (seqlock_read_holds(*at, 2 * next_ + 2)) {
        ++next_;
        return true;
      }
    }
    ++lost_;  // overwritten under our eyes
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
    found.push_back(event);
  }
  return found;
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
    // No segment under the name: nobody took over.
  }
  return load_word(shared->closed, std::memory_order_acquire) == kEndLeft ? DaemonLife::kClosed
                                                                          : DaemonLife::kDead;
}

}  // namespace haptic
