#include "host/view/frame_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "host/view/log_frame.h"
#include "shared/error.h"

namespace haptic {
namespace {

constexpr double kMaxImages = 1e7;  ///< 11 hours at 250 a second

/// Time of image `i`, one nanosecond early, so that rounding does not skip the row of that time.
double instant(const FrameTimes& times, std::uint64_t i) {
  return times.first_s + static_cast<double>(i) / times.images_a_second - 1e-9;
}

}  // namespace

void FrameSource::frames(const FrameTimes& times, const Take& take, const Progress& progress) {
  if (times.first_s > last_s()) {
    throw InputError("--at", "", fmt::format("found {} s", times.first_s),
                     fmt::format("at most {} s", last_s()));
  }
  const double images = (last_s() - times.first_s) * times.images_a_second;
  if (!(images <= kMaxImages)) {
    throw InputError("--fps", "", fmt::format("found {:.0f} images of {} s", images, last_s()),
                     fmt::format("at most {:.0f}", kMaxImages));
  }
  read(times, take, progress);
}

LogFrames::LogFrames(LogReader log) : log_(std::move(log)) {
  if (log_.rows() == 0) throw InputError(log_.path().string(), "", "no rows", "a log with rows");
  time_s_ = log_.times();
}

void LogFrames::read(const FrameTimes& times, const Take& take, const Progress& progress) {
  for (std::uint64_t i = 0;; ++i) {
    const double time = instant(times, i);
    const auto row = std::ranges::lower_bound(time_s_, time);
    if (row == time_s_.end()) return;
    if (progress) {
      progress((time - times.first_s) / std::max(last_s() - times.first_s, 1e-9));
    }
    const auto index = static_cast<std::uint64_t>(row - time_s_.begin());
    take(*row, frame_of(log_, index));
  }
}

SceneFrames::SceneFrames(const Scene& scene)
    : run_(scene, OfflineSettings{}), rate_hz_(scene.servo_rate()) {}

double SceneFrames::last_s() const {
  return static_cast<double>(run_.count() - 1) / rate_hz_;
}

void SceneFrames::read(const FrameTimes& times, const Take& take, const Progress& progress) {
  OfflineCycle& cycle = run_.cycle();
  const std::vector<LogBody> bodies = run_.bodies();
  const StateLayout layout = cycle.world().state_layout();
  std::uint64_t image = 0;
  for (std::uint64_t i = 0; i < run_.count(); ++i) {
    cycle.run();
    if (progress) progress(static_cast<double>(i) / static_cast<double>(run_.count()));
    const double time = static_cast<double>(i) / rate_hz_;
    for (; instant(times, image) <= time; ++image) {
      take(time, frame_of(bodies, layout, cycle.sample(), cycle.state(), cycle.display().state));
    }
  }
}

}  // namespace haptic
