#include "host/window/log_source.h"

#include <algorithm>

#include "host/view/log_frame.h"
#include "shared/error.h"

namespace haptic {

LogSource::LogSource(const std::filesystem::path& path)
    : log_(path), times_(log_.column("/samples/time_s")) {
  if (times_.empty()) throw InputError(path.string(), "", "no rows", "a log with rows");
  timeline_.first_s = times_.front();
  timeline_.last_s = times_.back();
  timeline_.now_s = timeline_.first_s;
}

bool LogSource::read(Moment& moment, double elapsed_s) {
  Timeline& t = timeline_;
  if (t.playing) {
    t.now_s += t.speed * elapsed_s;
    if (t.now_s > t.last_s) t.now_s = t.first_s;  // from the beginning again
  }
  t.now_s = std::clamp(t.now_s, t.first_s, t.last_s);
  auto row = std::lower_bound(times_.begin(), times_.end(), t.now_s) - times_.begin();
  if (t.steps != 0) {
    row = std::clamp<std::ptrdiff_t>(row + t.steps, 0,
                                     static_cast<std::ptrdiff_t>(times_.size()) - 1);
    t.now_s = times_[static_cast<std::size_t>(row)];
    t.steps = 0;
  }
  try {
    const LogSample sample = log_.sample(static_cast<std::uint64_t>(row));
    moment.frame = frame_of(log_, static_cast<std::uint64_t>(row));
    moment.record = sample.record;
    moment.time_s = sample.time_s;
    moment.numbers = numbers_of(log_.description().state, sample.state);
    message_.clear();
    return true;
  } catch (const std::runtime_error& error) {
    message_ = error.what();
    return false;
  }
}

}  // namespace haptic
