#include "host/log/telemetry_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <string_view>
#include <thread>
#include <utility>

#include "host/files/output_path.h"
#include "host/files/temporary_file.h"
#include "host/log/log_writer.h"
#include "shared/error.h"
#include "shared/monotonic_time.h"

namespace haptic {
namespace {

constexpr std::chrono::milliseconds kPause{5};  // the ring holds seconds
constexpr std::int64_t kFlushPatience_ns = 500'000'000;
constexpr int kFirstCyclePatience = 2000;  // pauses until the first cycle: 10 s
constexpr int kEventsPatience = 400;       // pauses until the last cycle's events: 2 s

void await_first_cycle(const TelemetryReader& reader) {
  for (int attempt = 0; attempt < kFirstCyclePatience; ++attempt) {
    if (reader.published() > 0) return;
    if (reader.life() != DaemonLife::kAlive) break;
    std::this_thread::sleep_for(kPause);
  }
  throw OperationError("the daemon has not run a cycle");
}

// The supervisor records a command after the loop has executed it. If it hangs, its events are
// lost.
void await_events(const TelemetryReader& reader) {
  for (int attempt = 0; attempt < kEventsPatience; ++attempt) {
    if (reader.events_settled() || reader.life() != DaemonLife::kAlive) return;
    std::this_thread::sleep_for(kPause);
  }
}

}  // namespace

OutputClaim claim_log(const std::filesystem::path& path, ExistingLog existing) {
  check_output(path);
  if (existing == ExistingLog::kNumbered) return OutputClaim::of_free_name(path);
  return {path, existing == ExistingLog::kReplaced ? Existing::kReplaced : Existing::kRefused};
}

LogDescription describe_daemon(const TelemetryReader& reader) {
  const TelemetryHeader& header = reader.header();
  LogDescription description;
  description.source = "hapticd";
  description.scene_path = header.scene_path;
  description.rate_hz = header.rate_hz;
  description.length_scale = header.length_scale;
  description.device_stiffness_N_m = header.device_stiffness_N_m;
  description.state = reader.state();
  description.timing = true;
  for (const BodyRecord& record : reader.bodies()) {
    LogBody body;
    body.name = record.name;
    body.model_path = record.model_path;
    body.model_hash = record.model_hash;
    body.first_coordinate = record.first_coordinate;
    body.coordinate_count = record.coordinate_count;
    body.held = record.held != 0;
    description.bodies.push_back(std::move(body));
  }
  return description;
}

namespace {

/// The file for the next scene: LOG.2.h5 after LOG.h5. @param number  of the file before, 1, 2,
/// ...;
///        afterwards of this one
OutputClaim claim_next(const std::filesystem::path& path, std::size_t& number) {
  for (;;) {
    std::filesystem::path other = path;
    other.replace_extension(fmt::format("{}{}", ++number, path.extension().string()));
    if (auto claim = OutputClaim::of_new_name(other)) return std::move(*claim);
  }
}

/// When a recording of a given time is over. A slow machine must not keep a recording of S seconds
/// waiting for cycles that were skipped: the time of the cycles counts; a skipped slot is lost like
/// a lost sample.
class RecordTime {
 public:
  RecordTime(double wanted, double rate_hz) : wanted_(wanted), rate_hz_(rate_hz) {}
  std::uint64_t last_cycle() const { return last_cycle_; }  ///< noted
  bool has_begun() const { return rows_ > 0; }
  void note(const SampleRecord& sample) {
    if (rows_++ == 0) first_ns_ = sample.scheduled_ns;
    last_ns_ = sample.scheduled_ns;
    last_cycle_ = sample.cycle;
  }
  bool is_over() const {
    if (rows_ == 0) return false;
    const double slots = static_cast<double>(last_ns_ - first_ns_) * 1e-9 * rate_hz_ + 1.0;
    return static_cast<double>(rows_) >= wanted_ || slots >= wanted_;
  }

 private:
  double wanted_, rate_hz_;
  std::uint64_t rows_ = 0, last_cycle_ = 0;
  std::int64_t first_ns_ = 0, last_ns_ = 0;
};

/// Tells when a reader has taken every cycle that had been published when the recording was
/// stopped.
class StopMoment {
 public:
  explicit StopMoment(const std::atomic<bool>& stop) : stop_(stop) {}
  bool is_reached(const TelemetryReader& reader) {
    if (!stop_.load(std::memory_order_relaxed)) return false;
    if (!published_) published_ = reader.published();
    return reader.passed() >= *published_;
  }

 private:
  const std::atomic<bool>& stop_;
  std::optional<std::uint64_t> published_{};
};

/// Tells whether a simulated hand has moved.
class HandMotion {
 public:
  explicit HandMotion(const TelemetryReader& reader)
      : is_simulated_(std::string_view(reader.header().device) == "simulated") {}
  void note(const SampleRecord& sample) {
    if (rows_++ == 0) first_ = sample.device_pose;
    moved_ = moved_ || !std::ranges::equal(first_.position_m, sample.device_pose.position_m) ||
             !std::ranges::equal(first_.orientation_wxyz, sample.device_pose.orientation_wxyz);
  }
  bool is_still() const { return is_simulated_ && rows_ > 1 && !moved_; }

 private:
  bool is_simulated_;
  std::uint64_t rows_ = 0;
  PoseRecord first_{};
  bool moved_ = false;
};

/// Records the cycles of one scene into one file. @returns why the recording ended; kAlive: the
/// time is over, or the recording was stopped
DaemonLife record_scene(TelemetryReader& reader, std::optional<OutputClaim>& claim,
                        RecordedFile& file, RecordTime& time,
                        const std::function<void()>& stands_still, const std::atomic<bool>& stop) {
  LogDescription description = describe_daemon(reader);
  description.session = session_of(reader);
  LogWriter writer(*claim, description, LogWriter::Readable::kWhileWritten);
  claim.reset();  // the writer has the name now
  HandMotion motion(reader);
  TelemetrySample sample;
  std::uint64_t missing_before = 0;
  if (time.has_begun()) writer.follow(time.last_cycle());
  const auto take_sample = [&] {
    if (writer.rows() == 0 && time.has_begun()) {
      missing_before = sample.record.cycle - time.last_cycle() - 1;
    }
    time.note(sample.record);
    motion.note(sample.record);
    writer.append(sample.record, sample.state);
  };
  std::uint64_t next_event = 0;
  const auto take_events = [&] {
    for (const EventRecord& event : reader.events(next_event)) {
      writer.append_event(event);
      file.lost_events.note(event);
      next_event = event.number + 1;
    }
  };
  // A display snapshot is written once the log has its cycles: none reaches beyond the last row.
  DisplaySnapshot display;
  bool display_waits = false;
  std::uint64_t displays = 0;  // published when the last one was read
  const auto take_display = [&] {
    if (!display_waits && reader.published_displays() != displays) {
      displays = reader.published_displays();
      display_waits = reader.display(display);
    }
    if (!display_waits || writer.rows() == 0 || sample.record.cycle < display.last_cycle) return;
    writer.append_display(display);
    display_waits = false;
  };
  std::int64_t flushed_ns = monotonic_ns();
  DaemonLife life = DaemonLife::kAlive;
  StopMoment stopped(stop);
  bool stood_still = false;
  while (!time.is_over()) {
    take_events();
    take_display();
    if (monotonic_ns() - flushed_ns > kFlushPatience_ns) {
      // Cycles come too slowly to fill a chunk in time, or an event waits.
      if (writer.has_pending()) writer.flush();
      flushed_ns = monotonic_ns();
      const bool stands = reader.age_s().value_or(0.0) > TelemetryReader::kStandsStill_s &&
                          reader.life() == DaemonLife::kAlive;
      if (stands && !stood_still && stands_still) stands_still();
      stood_still = stands;
    }
    const bool is_stopped = stopped.is_reached(reader);
    if (!is_stopped && reader.next(sample)) {
      take_sample();
      continue;
    }
    life = reader.life();
    if (life != DaemonLife::kAlive) {
      // The samples between the last read and its end are still in the ring.
      while (!time.is_over() && reader.next(sample)) take_sample();
    }
    if (is_stopped || life != DaemonLife::kAlive) break;
    std::this_thread::sleep_for(kPause);
  }
  const bool is_replaced = life == DaemonLife::kReplaced;
  if (time.is_over() || (stop.load(std::memory_order_relaxed) && !is_replaced)) {
    life = DaemonLife::kAlive;
  }
  await_events(reader);
  take_events();
  take_display();
  file.rows = writer.rows();
  file.lost = reader.lost() + missing_before;
  file.hand_is_still = motion.is_still();
  writer.add_lost(file.lost);
  writer.finish();
  return life;
}

/// The telemetry of the scene that a daemon changed to. @returns null if that daemon has ended
/// since
std::unique_ptr<TelemetryReader> next_scene(const std::string& daemon_name,
                                            const TelemetryReader& before) {
  try {
    auto next = std::make_unique<TelemetryReader>(daemon_name);
    // Another daemon may have taken the name.
    if (next->header().daemon_pid == before.header().daemon_pid) return next;
  } catch (const OperationError&) {
    // No daemon has it.
  }
  return nullptr;
}

}  // namespace

RecordOutcome record_telemetry(const std::string& daemon_name, const std::filesystem::path& path,
                               const RecordSettings& settings, const std::atomic<bool>& stop) {
  auto reader = std::make_unique<TelemetryReader>(daemon_name);
  await_first_cycle(*reader);
  if (settings.from_oldest) {
    reader->rewind_to_oldest();
  } else {
    reader->skip_to_newest();
  }
  const double rate_hz = reader->header().rate_hz;  // of all scenes of a daemon
  RecordTime time(settings.seconds ? std::ceil(*settings.seconds * rate_hz) : INFINITY, rate_hz);
  RecordOutcome outcome;
  std::optional<OutputClaim> claim = claim_log(path, settings.existing);
  const std::filesystem::path first = claim->target();
  for (std::size_t number = 1;;) {
    RecordedFile& file = outcome.files.emplace_back();
    file.path = claim->target();
    outcome.life = record_scene(*reader, claim, file, time, settings.stands_still, stop);
    std::unique_ptr<TelemetryReader> next;
    if (outcome.life == DaemonLife::kReplaced) {
      next = next_scene(daemon_name, *reader);
      if (!next) outcome.life = DaemonLife::kClosed;
    }
    if (next) {
      claim.emplace(claim_next(first, number));
      file.followed = claim->target();
    }
    if (settings.file_ended) settings.file_ended(file);
    if (!next) break;
    reader = std::move(next);
    await_first_cycle(*reader);
    reader->rewind_to_oldest();
  }
  // Not before: during a slow sync the ring would overwrite cycles.
  for (const RecordedFile& file : outcome.files) sync_to_disk(file.path);
  return outcome;
}

}  // namespace haptic
