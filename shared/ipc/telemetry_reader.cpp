#include "shared/ipc/telemetry_reader.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <optional>
#include <thread>
#include <utility>

#include "shared/error.h"
#include "shared/ipc/run_folder.h"
#include "shared/ipc/telemetry_check.h"
#include "shared/ipc/telemetry_plan.h"
#include "shared/monotonic_time.h"

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

}  // namespace

TelemetryReader::TelemetryReader(const std::string& daemon_name)
    : TelemetryReader(daemon_name, find_run_file(daemon_name, "telemetry", has_live_creator)) {}

TelemetryReader::TelemetryReader(const std::string& daemon_name, const std::filesystem::path& path)
    : daemon_name_(daemon_name),
      segment_(open_segment(daemon_name, path)),
      data_(segment_->data()),
      size_(segment_->size()) {
  const auto* shared = reinterpret_cast<const TelemetryHeader*>(data_);
  if (size_ >= sizeof(TelemetryHeader) && load_word(shared->magic) == 0) {
    throw OperationError("hapticd \"" + daemon_name + "\" is just starting; try again");
  }
  read_description({"shared memory " + segment_->path().string(), ""});
  skip_to_newest();
}

TelemetryReader::TelemetryReader(const std::filesystem::path& file,
                                 std::vector<std::uint64_t> copied)
    : copied_(std::move(copied)),
      data_(reinterpret_cast<const std::byte*>(copied_.data())),
      size_(copied_.size() * 8) {
  read_description({file.string(), "telemetry"});
  rewind_to_oldest();
}

void TelemetryReader::read_description(const TelemetrySource& source) {
  if (size_ < sizeof(TelemetryHeader)) {
    source.refuse("found " + std::to_string(size_) + " bytes", "a telemetry segment");
  }
  const auto* shared = reinterpret_cast<const TelemetryHeader*>(data_);
  const std::uint64_t magic = load_word(shared->magic, std::memory_order_acquire);
  if (magic != TelemetryHeader::kMagic) {
    source.refuse("found foreign content", "a telemetry segment");
  }
  load_words(&header_, shared, sizeof(header_));
  check_counts(source, header_, size_);
  const TelemetryPlan plan =
      plan_telemetry({header_.body_count, header_.block_count, header_.parameter_count, 0, 0, 0});
  state_ = read_blocks(source, data_ + plan.blocks_offset, header_.block_count);
  check_places(source, header_, state_, size_);
  terminate(header_.daemon_version);
  terminate(header_.device);
  terminate(header_.scene_path);
  terminate(header_.manifest_path);

  bodies_.resize(header_.body_count);
  if (!bodies_.empty()) {
    load_words(bodies_.data(), data_ + header_.bodies_offset, bodies_.size() * sizeof(BodyRecord));
  }
  const std::optional<std::size_t> coordinates = state_.find(StateLayout::kBodyCoordinates);
  const std::uint64_t coordinate_count =
      coordinates ? state_.blocks()[*coordinates].size() : std::uint64_t{0};
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    BodyRecord& body = bodies_[b];
    terminate(body.name);
    terminate(body.model_path);
    if (body.first_coordinate > coordinate_count ||
        body.coordinate_count > coordinate_count - body.first_coordinate) {
      source.refuse("found coordinates of body " + std::to_string(b) + " outside the sample",
                    "a segment written by hapticd");
    }
  }
}

std::uint64_t TelemetryReader::head() const {
  const auto* shared = reinterpret_cast<const TelemetryHeader*>(data_);
  return load_word(shared->ring_head, std::memory_order_acquire);
}

const std::uint64_t* TelemetryReader::entry(std::uint64_t index) const {
  const std::uint64_t slot = index & (header_.ring_capacity - 1);
  return reinterpret_cast<const std::uint64_t*>(data_ + header_.ring_offset +
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
  const std::byte* const at = data_ + header_.display_offset;
  return load_word(*reinterpret_cast<const std::uint64_t*>(at), std::memory_order_acquire);
}

bool TelemetryReader::display(DisplaySnapshot& target) const {
  if (state_.display_values() == 0) return false;
  const std::byte* const at = data_ + header_.display_offset;
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
  load_words(records.data(), data_ + header_.parameters_offset,
             records.size() * sizeof(ParameterRecord));
  for (ParameterRecord& record : records) terminate(record.name);
  return records;
}

std::vector<EventRecord> TelemetryReader::events(std::uint64_t from) const {
  const std::byte* at = data_ + header_.events_offset;
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
  const auto* shared = reinterpret_cast<const TelemetryHeader*>(data_);
  return load_word(shared->settled, std::memory_order_acquire) >= next_;
}

OperatorRecord TelemetryReader::holder() const {
  const auto* shared = reinterpret_cast<const TelemetryHeader*>(data_);
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
  const auto* shared = reinterpret_cast<const TelemetryHeader*>(data_);
  return std::atomic_ref(const_cast<std::uint32_t&>(shared->grants))
      .load(std::memory_order_relaxed);
}

std::optional<SessionTexts> TelemetryReader::texts() const {
  if (!segment_) return std::nullopt;
  return read_session_texts(segment_->path(), header_.instance);
}

Statistics TelemetryReader::statistics() const {
  Statistics copy;
  load_words(&copy, data_ + header_.statistics_offset, sizeof(copy));
  return copy;
}

std::optional<double> TelemetryReader::age_s() const {
  TelemetrySample sample;
  if (!newest(sample)) return std::nullopt;
  return std::max(0.0, 1e-9 * static_cast<double>(monotonic_ns() - sample.record.time_ns));
}

DaemonLife TelemetryReader::life() const {
  if (!segment_) return DaemonLife::kClosed;
  const auto* shared = reinterpret_cast<const TelemetryHeader*>(data_);
  if (load_word(shared->closed, std::memory_order_acquire) == kEndReplaced) {
    return DaemonLife::kReplaced;
  }
  if (segment_->creator_lives() && segment_->is_whole()) return DaemonLife::kAlive;
  try {
    const SharedSegment other = SharedSegment::open(segment_->path());
    if (!segment_->is_current() && other.creator_lives()) return DaemonLife::kRestarted;
  } catch (const OperationError&) {
    // No segment under the name: no other daemon has replaced it.
  }
  return load_word(shared->closed, std::memory_order_acquire) == kExited ? DaemonLife::kClosed
                                                                         : DaemonLife::kDead;
}

}  // namespace haptic
