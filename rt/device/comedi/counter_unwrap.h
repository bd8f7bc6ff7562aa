#pragma once

#include <cstdint>

#include "shared/realtime.h"

namespace haptic {

/// Extends a counter of 8 to 32 bits that wraps around to a count that does not. Each reading adds
/// the signed difference in the counter's width; this is correct if two readings are less than half
/// the counter's range apart (docs/methods/devices.md, "Encoder counters").
class CounterUnwrap {
 public:
  explicit CounterUnwrap(unsigned bits = 32) : shift_(32 - bits) {}

  /// @param raw the counter's value; bits above its width are ignored
  /// @returns counts since start()
  std::int64_t advance(std::uint32_t raw) HAPTIC_REALTIME {
    const std::uint32_t left = (raw - last_) << shift_;
    last_ = raw;
    count_ += static_cast<std::int32_t>(left) >> shift_;
    return count_;
  }

  /// `raw` corresponds to `count` from here on.
  void start(std::uint32_t raw, std::int64_t count = 0) HAPTIC_REALTIME {
    last_ = raw;
    count_ = count;
  }

  std::int64_t count() const HAPTIC_REALTIME { return count_; }

 private:
  unsigned shift_;
  std::uint32_t last_ = 0;
  std::int64_t count_ = 0;
};

}  // namespace haptic
