#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "lab/timing/off_processor.h"
#include "lab/timing/timing.h"

namespace haptic {

/// Times of single calls that a program makes between other work. Calls in which the thread was
/// away from its processor (OffProcessor) are counted and left out. A long call is hardly ever
/// left alone; of it the thread's processor time counts.
class CallTimes {
 public:
  static constexpr double kLong_us = 1000.0;

  template <class Body>
  void time(Body&& body) {
    OffProcessor watch;
    watch.begin();
    body();
    watch.end();
    add(watch);
  }
  /// A call that `watch` has timed.
  void add(const OffProcessor& watch) {
    if (watch.elapsed_us() > kLong_us) {
      us_.push_back(watch.on_us());
    } else if (watch.interrupted()) {
      ++interrupted_;
    } else {
      us_.push_back(watch.elapsed_us());
    }
  }

  std::size_t count() const { return us_.size(); }
  std::size_t interrupted() const { return interrupted_; }
  /// All zero if no call counts.
  Timing timing() const {
    if (us_.empty()) return {};
    std::vector<double> sorted = us_;
    std::ranges::sort(sorted);
    return {sorted.front(), sorted[sorted.size() / 2], sorted[sorted.size() * 99 / 100]};
  }
  /// us; 0 if no call counts
  double mean() const {
    double sum = 0.0;
    for (const double us : us_) sum += us;
    return us_.empty() ? 0.0 : sum / static_cast<double>(us_.size());
  }

 private:
  std::vector<double> us_;
  std::size_t interrupted_ = 0;
};

}  // namespace haptic
