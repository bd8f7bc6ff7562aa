#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "shared/realtime.h"

namespace haptic {

/// Hands the newest value of one writer thread to one reader thread, wait-free on both sides. Three
/// copies: the writer fills one, the reader reads one, the third is exchanged between them. Neither
/// ever waits, a value is never read partly, and values that were overtaken are skipped.
template <typename T>
class TripleBuffer {
 public:
  /// @param initial  of all three; a T with heap memory keeps it from here on
  explicit TripleBuffer(const T& initial = {}) : copies_{initial, initial, initial} {}
  TripleBuffer(const TripleBuffer&) = delete;
  TripleBuffer& operator=(const TripleBuffer&) = delete;

  /// Writer: the copy to fill before publish(). It contains what was published two or three times
  /// ago.
  T& draft() HAPTIC_REALTIME { return copies_[draft_]; }
  /// Writer: the draft is the newest value from now on.
  void publish() HAPTIC_REALTIME {
    draft_ = middle_.exchange(draft_ | kFresh, std::memory_order_acq_rel) & kIndex;
  }

  /// Reader: takes the newest value over. @returns false if there is none newer than newest()
  bool update() HAPTIC_REALTIME {
    if ((middle_.load(std::memory_order_relaxed) & kFresh) == 0) return false;
    held_ = middle_.exchange(held_, std::memory_order_acq_rel) & kIndex;
    return true;
  }
  /// Reader: the value last taken over; stays as it is until the next update().
  const T& newest() const HAPTIC_REALTIME { return copies_[held_]; }

 private:
  static constexpr std::uint32_t kIndex = 3, kFresh = 4;
  std::array<T, 3> copies_;
  alignas(64) std::uint32_t draft_ = 0;               // of the writer
  alignas(64) std::atomic<std::uint32_t> middle_{1};  // index, and whether it is unread
  alignas(64) std::uint32_t held_ = 2;                // of the reader
};

}  // namespace haptic
