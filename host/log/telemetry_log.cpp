#include "host/log/telemetry_log.h"

#include <chrono>
#include <cmath>
#include <thread>

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

RecordOutcome record_telemetry(const std::string& daemon_name, const std::filesystem::path& path,
                               const RecordSettings& settings, const std::atomic<bool>& stop) {
  TelemetryReader reader(daemon_name);
  await_first_cycle(reader);
  LogDescription description = describe_daemon(reader);
  description.session = session_of(reader);
  LogWriter writer(path, description, LogWriter::Readable::kWhileWritten);
  if (settings.from_oldest) {
    reader.rewind_to_oldest();
  } else {
    reader.skip_to_newest();
  }
  const double wanted =
      settings.seconds ? std::ceil(*settings.seconds * reader.header().rate_hz) : INFINITY;

  RecordOutcome outcome;
  TelemetrySample sample;
  // A slow machine must not keep a recording of S seconds waiting for cycles that were skipped:
  // the time of the cycles counts; a skipped slot is lost like a lost sample.
  std::int64_t first_ns = 0;
  const auto over = [&] {
    if (stop.load(std::memory_order_relaxed)) return true;
    if (writer.rows() == 0) return false;
    const double elapsed_slots = static_cast<double>(sample.record.scheduled_ns - first_ns) * 1e-9 *
                                     reader.header().rate_hz +
                                 1.0;
    return static_cast<double>(writer.rows()) >= wanted || elapsed_slots >= wanted;
  };
  std::uint64_t next_event = 0;
  const auto take_events = [&] {
    for (const EventRecord& event : reader.events(next_event)) {
      writer.append_event(event);
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
  while (!over()) {
    take_events();
    take_display();
    if (monotonic_ns() - flushed_ns > kFlushPatience_ns) {
      // Cycles come too slowly to fill a chunk in time, or an event waits.
      if (writer.has_pending()) writer.flush();
      flushed_ns = monotonic_ns();
    }
    if (reader.next(sample)) {
      if (writer.rows() == 0) first_ns = sample.record.scheduled_ns;
      writer.append(sample.record, sample.state);
      continue;
    }
    const DaemonLife life = reader.life();
    if (life != DaemonLife::kAlive) {
      // The samples between the last read and its end are still in the ring.
      while (!over() && reader.next(sample)) writer.append(sample.record, sample.state);
      outcome.scene_ended = life == DaemonLife::kReplaced;
      outcome.daemon_ended = !outcome.scene_ended;
      break;
    }
    std::this_thread::sleep_for(kPause);
  }
  await_events(reader);
  take_events();
  take_display();
  outcome.rows = writer.rows();
  outcome.lost = reader.lost();
  writer.add_lost(outcome.lost);
  writer.finish();
  return outcome;
}

}  // namespace haptic
