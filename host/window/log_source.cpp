#include "host/window/log_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "host/log/logged_warnings.h"
#include "host/view/log_frame.h"
#include "shared/error.h"

namespace haptic {

LogSource::LogSource(const std::filesystem::path& path) : log_(path), times_(log_.times()) {
  if (times_.empty()) throw InputError(path.string(), "", "no rows", "a log with rows");
  warnings_ = logged_warnings(log_);
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
    row_ = static_cast<std::uint64_t>(row);
    const LogSample sample = log_.sample(row_);
    frame_ = frame_of(log_, row_);
    moment.frame = frame_;
    moment.record = sample.record;
    moment.time_s = sample.time_s;
    moment.numbers = numbers_of(log_.description().state, sample.state);
    moment.warnings = warnings_;
    message_.clear();
    return true;
  } catch (const std::runtime_error& error) {
    message_ = error.what();
    return false;
  }
}

std::optional<ReportedContacts> LogSource::contacts() {
  // A part of an image's time: a jump far ahead is replayed over many images, in which the window
  // goes on.
  constexpr std::chrono::milliseconds kAtMost{20};
  if (!contacts_) contacts_.emplace(log_);
  ReportedContacts told;
  if (const std::uint64_t rows = contacts_->approach(row_, kAtMost); rows > 0) {
    told.missing = fmt::format("contact points: {} rows are still to be replayed", rows);
    return told;
  }
  told.points = contacts_->at(frame_, row_);
  if (!contacts_->missing().empty()) {
    told.missing = fmt::format("contact points: {}", contacts_->missing());
  }
  return told;
}

}  // namespace haptic
