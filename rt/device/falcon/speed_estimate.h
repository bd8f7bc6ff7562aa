#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "shared/realtime.h"

namespace haptic {

/// Speeds of encoders from their counts: the slope from the newest reading to the oldest one that
/// still is consistent with a straight line, every reading in between being off by no more than the
/// one count that quantisation explains (Janabi-Sharifi, Hayward, Chen 2000, "end-fit FOAW"). Slow
/// motion is averaged over up to 15 readings, fast motion hardly delayed.
///
/// Bounded: at most 15 * 15 comparisons per encoder and reading.
template <std::size_t kEncoders>
class SpeedEstimate {
 public:
  /// One reading of all encoders @param time_ns  when; one not newer than the last by kClosest is
  /// left out: a count of quantisation over no time would be any speed
  void push(const std::array<std::int16_t, kEncoders>& counts,
            std::int64_t time_ns) HAPTIC_REALTIME {
    if (filled_ > 0 && time_ns - at(0).time_ns < kClosest) return;
    newest_ = (newest_ + 1) % kReadings;
    readings_[newest_] = {counts, time_ns};
    if (filled_ < kReadings) ++filled_;
  }
  /// The next reading is the first: the counts' zero has moved.
  void restart() HAPTIC_REALTIME { filled_ = 0; }

  /// Counts per second; 0 with fewer than two readings.
  double speed(std::size_t encoder) const HAPTIC_REALTIME {
    double found = 0.0;
    for (std::size_t n = 1; n < filled_; ++n) {
      const double slope = (value(0, encoder) - value(n, encoder)) / seconds(n, 0);
      for (std::size_t k = 1; k < n; ++k) {
        const double line = value(n, encoder) + slope * seconds(n, k);
        const double off = line - value(k, encoder);
        if (off > 1.0 || off < -1.0) return found;
      }
      found = slope;
    }
    return found;
  }

 private:
  struct Reading {
    std::array<std::int16_t, kEncoders> counts{};
    std::int64_t time_ns = 0;
  };
  static constexpr std::size_t kReadings = 16;
  static constexpr std::int64_t kClosest = 100'000;  // ns; replies come a millisecond apart
  // k readings ago.
  const Reading& at(std::size_t k) const HAPTIC_REALTIME {
    return readings_[(newest_ + kReadings - k) % kReadings];
  }
  double value(std::size_t k, std::size_t encoder) const HAPTIC_REALTIME {
    return static_cast<double>(at(k).counts[encoder]);
  }
  double seconds(std::size_t from, std::size_t to) const HAPTIC_REALTIME {
    return 1e-9 * static_cast<double>(at(to).time_ns - at(from).time_ns);
  }

  std::array<Reading, kReadings> readings_{};
  std::size_t newest_ = 0, filled_ = 0;
};

}  // namespace haptic
