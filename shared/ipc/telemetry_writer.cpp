#include "shared/ipc/telemetry_writer.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <ctime>
#include <utility>

#include "shared/error.h"
#include "shared/ipc/record_fields.h"
#include "shared/ipc/run_folder.h"
#include "shared/ipc/telemetry_plan.h"

namespace haptic {
namespace {

constexpr std::uint64_t kMaxRingBytes = std::uint64_t{64} << 20;
constexpr std::uint32_t kMinRingCapacity = 256;

std::int64_t clock_ns(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// A text that does not fit becomes empty: half a path would name another file.
template <std::size_t N>
void copy_text(char (&field)[N], const std::string& text) {
  std::memset(field, 0, N);
  if (text.size() < N) std::memcpy(field, text.data(), text.size());
}

TelemetryCounts counts_of(const TelemetryDescription& description) {
  TelemetryCounts counts;
  counts.bodies = static_cast<std::uint32_t>(description.bodies.size());
  counts.blocks = static_cast<std::uint32_t>(description.state.blocks().size());
  counts.parameters = description.parameters.size();
  counts.cycle_values = description.state.cycle_values();
  counts.display_values = description.state.display_values();
  const double wanted = description.rate_hz * description.ring_seconds;
  const auto fits = static_cast<std::uint32_t>(
      std::bit_floor(kMaxRingBytes / plan_telemetry(counts).ring_stride));
  const auto capacity =
      std::bit_ceil(static_cast<std::uint32_t>(std::clamp(wanted, 1.0, double{kMaxRingCapacity})));
  counts.ring_capacity = std::max(std::min(capacity, fits), kMinRingCapacity);
  return counts;
}

std::vector<BlockRecord> block_records(const StateLayout& state) {
  std::vector<BlockRecord> records;
  for (const StateBlock& block : state.blocks()) {
    BlockRecord& record = records.emplace_back();
    copy_text(record.name, block.name);
    copy_text(record.unit, block.unit);
    copy_text(record.meaning, block.meaning);
    std::ranges::copy(block.shape, record.shape);
    record.dimensions = static_cast<std::uint32_t>(block.shape.size());
    record.display = block.display;
    record.rate = block.rate;
    record.measured = block.measured ? 1 : 0;
  }
  return records;
}

void check(const TelemetryDescription& description) {
  if (!(description.rate_hz > 0.0 && std::isfinite(description.rate_hz))) {
    throw InputError("telemetry", "rate_hz", "found " + std::to_string(description.rate_hz),
                     "a rate > 0 [Hz]");
  }
  if (description.parameters.size() > kMaxParameters) {
    throw InputError("telemetry", "",
                     "found " + std::to_string(description.parameters.size()) + " parameters",
                     "at most " + std::to_string(kMaxParameters));
  }
  if (description.bodies.size() > kMaxBodies) {
    throw InputError("telemetry", "",
                     "found " + std::to_string(description.bodies.size()) + " bodies",
                     "at most " + std::to_string(kMaxBodies));
  }
}

// Name for a scene that does not run yet: readers do not search there.
constexpr const char* kNext = "telemetry.next";
constexpr const char* kNextTexts = "texts.next";

SharedSegment create_segment(const std::string& daemon_name,
                             const TelemetryDescription& description, bool next) {
  check(description);
  const TelemetryPlan plan = plan_telemetry(counts_of(description));
  return SharedSegment::create(own_run_file(daemon_name, next ? kNext : "telemetry"),
                               plan.total_size, "haptic");
}

}  // namespace

BodyRecord make_body_record(const std::string& name, const std::string& model_path,
                            std::uint64_t model_hash, std::uint32_t first_coordinate,
                            std::uint32_t coordinate_count, bool held) {
  BodyRecord record{};
  if (name.size() >= sizeof(record.name)) {
    throw InputError("body", name, "found a name of " + std::to_string(name.size()) + " characters",
                     "at most " + std::to_string(sizeof(record.name) - 1));
  }
  copy_text(record.name, name);
  copy_text(record.model_path, model_path);
  record.model_hash = model_hash;
  record.first_coordinate = first_coordinate;
  record.coordinate_count = coordinate_count;
  record.held = held ? 1 : 0;
  return record;
}

ParameterRecord make_parameter_record(std::string_view name, double minimum, double maximum,
                                      double value) {
  ParameterRecord record{};
  if (name.size() >= sizeof(record.name)) {
    throw InputError("parameter", name,
                     "found a name of " + std::to_string(name.size()) + " characters",
                     "at most " + std::to_string(sizeof(record.name) - 1));
  }
  copy_text(record.name, std::string(name));
  record.minimum = minimum;
  record.maximum = maximum;
  record.value = value;
  return record;
}

TelemetryWriter::TelemetryWriter(const std::string& daemon_name,
                                 const TelemetryDescription& description)
    : TelemetryWriter(daemon_name, description, nullptr) {
  // Left by a daemon that died while it loaded a scene.
  for (const char* next : {kNext, kNextTexts}) unlink(own_run_file(daemon_name, next).c_str());
}

TelemetryWriter::TelemetryWriter(const std::string& daemon_name,
                                 const TelemetryDescription& description,
                                 const TelemetrySession& predecessor)
    : TelemetryWriter(daemon_name, description, &predecessor) {}

TelemetryWriter::TelemetryWriter(const std::string& daemon_name,
                                 const TelemetryDescription& description,
                                 const TelemetrySession* predecessor)
    : daemon_name_(daemon_name),
      segment_(create_segment(daemon_name, description, predecessor != nullptr)) {
  const TelemetryCounts counts = counts_of(description);
  const TelemetryPlan plan = plan_telemetry(counts);

  TelemetryHeader header{};
  header.version = TelemetryHeader::kVersion;
  header.header_size = sizeof(TelemetryHeader);
  header.layout_hash = kTelemetryLayoutHash;
  header.total_size = plan.total_size;
  header.daemon_pid = getpid();
  header.start_monotonic_ns = clock_ns(CLOCK_MONOTONIC);
  header.start_realtime_ns = clock_ns(CLOCK_REALTIME);
  header.instance = static_cast<std::uint64_t>(header.start_monotonic_ns) * 0x9E3779B97F4A7C15 ^
                    static_cast<std::uint64_t>(header.daemon_pid);
  if (predecessor != nullptr) {
    header.start_monotonic_ns = predecessor->start_monotonic_ns;
    header.start_realtime_ns = predecessor->start_realtime_ns;
    header.instance = predecessor->instance + 1;
  }
  SessionTexts texts = description.texts;
  if (predecessor != nullptr) texts.manifest = predecessor->manifest_text;
  texts_ =
      share_session_texts(own_run_file(daemon_name, predecessor == nullptr ? "texts" : kNextTexts),
                          header.instance, texts);
  manifest_text_ = std::move(texts.manifest);
  header.rate_hz = description.rate_hz;
  header.length_scale = description.length_scale;
  header.force_limit_N = description.force_limit_N;
  header.torque_limit_Nm = description.torque_limit_Nm;
  header.device_stiffness_N_m = description.device_stiffness_N_m;
  header.body_count = counts.bodies;
  header.block_count = counts.blocks;
  header.grants = description.grants;
  header.ring_capacity = counts.ring_capacity;
  header.parameter_count = counts.parameters;
  header.bodies_offset = plan.bodies_offset;
  header.blocks_offset = plan.blocks_offset;
  header.parameters_offset = plan.parameters_offset;
  header.statistics_offset = plan.statistics_offset;
  header.events_offset = plan.events_offset;
  header.ring_offset = plan.ring_offset;
  header.ring_stride = plan.ring_stride;
  header.display_offset = plan.display_offset;
  header.display_stride = plan.display_stride;
  header.scene_modified_ns = description.scene_modified_ns;
  header.manifest_modified_ns = description.manifest_modified_ns;
  copy_text(header.daemon_version, description.version);
  copy_text(header.device, description.device);
  copy_text(header.scene_path, description.scene_path);
  copy_text(header.manifest_path, description.manifest_path);

  std::byte* data = segment_.data();
  header_ = reinterpret_cast<TelemetryHeader*>(data);
  statistics_ = reinterpret_cast<Statistics*>(data + plan.statistics_offset);
  parameters_ = reinterpret_cast<ParameterRecord*>(data + plan.parameters_offset);
  events_ = data + plan.events_offset;
  ring_ = data + plan.ring_offset;
  if (counts.display_values > 0) {
    const double interval = description.rate_hz / kDisplayRate_Hz;
    display_ = DisplayWriter(data + plan.display_offset, plan.display_stride, counts.display_values,
                             static_cast<std::uint64_t>(std::ceil(std::max(interval, 1.0))));
  }
  store_words(header_, &header, sizeof(header));
  const auto store_records = [data](std::uint64_t offset, const auto& records) {
    store_words(data + offset, records.data(), records.size() * sizeof(records[0]));
  };
  store_records(plan.bodies_offset, description.bodies);
  store_records(plan.blocks_offset, block_records(description.state));
  store_records(plan.parameters_offset, description.parameters);
  store_word(header_->magic, TelemetryHeader::kMagic, std::memory_order_release);
}

TelemetryWriter::~TelemetryWriter() {
  if (load_word(header_->closed) == 0) {
    store_word(header_->closed, kExited, std::memory_order_release);
  }
  segment_.unlink();
  texts_->unlink();
}

void TelemetryWriter::take_over(TelemetryWriter& predecessor) {
  set_grants(predecessor.header().grants);
  texts_->rename(own_run_file(daemon_name_, "texts"));
  segment_.rename(own_run_file(daemon_name_, "telemetry"));
  store_word(predecessor.header_->closed, kEndReplaced, std::memory_order_release);
}

bool TelemetryWriter::can_be_read() const {
  return segment_.path().filename() == daemon_name_ + ".telemetry" && segment_.can_be_opened();
}

void TelemetryWriter::publish(const SampleRecord& sample,
                              std::span<const double> state) HAPTIC_REALTIME {
  // A world that changed its sizes would write past the entry; what does not fit is left out.
  const std::size_t state_bytes =
      std::min<std::size_t>(state.size_bytes(), header_->ring_stride - 8 - sizeof sample);
  std::byte* entry = ring_ + (published_ & (header_->ring_capacity - 1)) * header_->ring_stride;
  auto& sequence = *reinterpret_cast<std::uint64_t*>(entry);
  seqlock_begin(sequence, 2 * published_ + 1);
  store_words(entry + 8, &sample, sizeof sample);
  store_words(entry + 8 + sizeof sample, state.data(), state_bytes);
  seqlock_end(sequence, 2 * published_ + 2);
  ++published_;
  store_word(header_->ring_head, published_, std::memory_order_release);
}

void TelemetryWriter::publish_parameter(std::size_t index, double value) HAPTIC_REALTIME {
  if (index < header_->parameter_count) {
    store_words(&parameters_[index].value, &value, sizeof(value));
  }
}

void TelemetryWriter::publish_event(EventRecord event) {
  event.number = next_event_;
  std::byte* entry = events_ + 8 + (next_event_ % kEventCapacity) * (8 + sizeof event);
  auto& sequence = *reinterpret_cast<std::uint64_t*>(entry);
  seqlock_begin(sequence, 2 * next_event_ + 1);
  store_words(entry + 8, &event, sizeof event);
  seqlock_end(sequence, 2 * next_event_ + 2);
  ++next_event_;
  store_word(*reinterpret_cast<std::uint64_t*>(events_), next_event_, std::memory_order_release);
}

void TelemetryWriter::settle_events(std::uint64_t samples) {
  store_word(header_->settled, samples, std::memory_order_release);
}

void TelemetryWriter::set_holder(const OperatorRecord& holder) {
  const std::uint64_t before = load_word(header_->holder.sequence);
  OperatorRecord record = holder;
  record.sequence = before + 1;
  seqlock_begin(header_->holder.sequence, before + 1);
  store_words(&header_->holder, &record, sizeof record);
  seqlock_end(header_->holder.sequence, before + 2);
}

void TelemetryWriter::set_grants(std::uint32_t grants) {
  std::atomic_ref(header_->grants).store(grants, std::memory_order_relaxed);
}

}  // namespace haptic
