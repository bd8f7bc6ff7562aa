#pragma once

#include <cstdint>

#include "shared/realtime.h"

namespace haptic {

/// Detects a count that has stopped increasing.
///
/// Nothing is expected before the first change, because a daemon that is starting has no output.
/// After it, a standstill of more than `patience_ns` is a hang.
class Heartbeat {
 public:
  explicit Heartbeat(std::int64_t patience_ns) : patience_ns_(patience_ns) {}

  /// @param count as read at `now_ns` @returns false once it has not changed for too long
  bool hear(std::uint64_t count, std::int64_t now_ns) HAPTIC_REALTIME {
    if (count != count_) {
      count_ = count;
      changed_ns_ = now_ns;
      begun_ = true;
    }
    return !begun_ || now_ns - changed_ns_ <= patience_ns_;
  }
  /// Time for which the count has not changed.
  std::int64_t still_ns(std::int64_t now_ns) const HAPTIC_REALTIME {
    return begun_ ? now_ns - changed_ns_ : 0;
  }

 private:
  std::int64_t patience_ns_;
  std::uint64_t count_ = 0;
  std::int64_t changed_ns_ = 0;
  bool begun_ = false;
};

}  // namespace haptic
