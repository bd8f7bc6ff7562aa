#include "host/offline/sketch_recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include "shared/error.h"
#include "shared/ipc/telemetry_reader.h"

namespace haptic {
namespace {

constexpr std::chrono::milliseconds kSketchPause{5};  // the daemon's ring holds seconds

void require_positive(const SketchRecording& settings) {
  for (const double value : {settings.rate_hz, settings.scale}) {
    if (!(value > 0.0) || !std::isfinite(value)) {
      throw InputError("sketch", "rate, scale",
                       fmt::format("found {}, {}", settings.rate_hz, settings.scale),
                       "numbers > 0");
    }
  }
}

}  // namespace

std::vector<ForceSample> sketch_of_script(const PulledBody& body, std::uint32_t vertex,
                                          const HandScript& hand, const SketchRecording& settings) {
  require_positive(settings);
  const double begin = hand.rows().front().time;
  const Vector3 start = hand.rows().front().pose.position;
  const auto count =
      static_cast<int>(std::floor((hand.end_time() - begin) * settings.rate_hz + 1e-9)) + 1;
  std::vector<ForceSample> samples;
  for (int i = 0; i < count; ++i) {
    const double time = begin + i / settings.rate_hz;
    const Vector3 moved = settings.scale * (hand.pose(time).position - start);
    samples.push_back({time - begin, {{vertex, body.force(moved)}}});
  }
  return samples;
}

std::vector<ForceSample> sketch_of_daemon(const PulledBody& body, std::uint32_t vertex,
                                          const std::string& daemon_name,
                                          std::optional<double> seconds,
                                          const SketchRecording& settings,
                                          const std::atomic<bool>& stop, const Progress& progress) {
  require_positive(settings);
  TelemetryReader reader(daemon_name);
  reader.skip_to_newest();
  const double period = 1.0 / reader.header().rate_hz;
  std::vector<ForceSample> samples;
  TelemetrySample cycle;
  std::uint64_t first = 0;
  Vector3 start = Vector3::Zero();
  bool over = false;
  const auto take = [&] {
    const Vector3 hand(cycle.record.device_pose.position_m);
    if (samples.empty()) {
      first = cycle.record.cycle;
      start = hand;
    }
    const double time = static_cast<double>(cycle.record.cycle - first) * period;
    if (seconds && time > *seconds) {
      over = true;
    } else if (samples.empty() ||
               time >= static_cast<double>(samples.size()) / settings.rate_hz - 1e-9) {
      samples.push_back({time, {{vertex, body.force(settings.scale * (hand - start))}}});
    }
  };
  while (!over && !stop.load(std::memory_order_relaxed)) {
    if (reader.next(cycle)) {
      take();
      continue;
    }
    const DaemonLife life = reader.life();
    if (life != DaemonLife::kAlive) {
      while (!over && reader.next(cycle)) take();
      if (life != DaemonLife::kReplaced) break;
      reader = TelemetryReader(daemon_name);  // the hand is independent of the scene
      reader.rewind_to_oldest();
    }
    if (progress && seconds && !samples.empty()) {
      progress(static_cast<double>(cycle.record.cycle - first) * period / *seconds);
    }
    std::this_thread::sleep_for(kSketchPause);
  }
  if (samples.empty()) throw OperationError(daemon_name + ": no cycle of the daemon was seen");
  return samples;
}

}  // namespace haptic
