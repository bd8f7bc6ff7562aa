#pragma once

#include <atomic>
#include <cstdint>

#include "shared/realtime.h"

namespace haptic {

/// Counts what the cycle must not do. The daemon interposes malloc and its kin
/// (rt/hapticd/allocation_interposer.cpp); calls from inside a watched stretch of the loop's thread
/// are counted here, everything else costs one thread-local load.
class LoopWatch {
 public:
  /// Marks the stretch from construction to destruction as the cycle, on this thread.
  class Stretch {
   public:
    Stretch() HAPTIC_REALTIME { inside_ = true; }
    ~Stretch() { inside_ = false; }
    Stretch(const Stretch&) = delete;
    Stretch& operator=(const Stretch&) = delete;
  };

  /// For the interposer.
  static void note_allocation() noexcept {
    if (inside_) allocations_.fetch_add(1, std::memory_order_relaxed);
  }
  static void set_interposed() noexcept { interposed_ = true; }

  /// For the call filter's signal handler: a system call that a loop must not make was refused.
  static void note_forbidden_call(int number) noexcept {
    forbidden_call_.store(number, std::memory_order_relaxed);
    forbidden_calls_.fetch_add(1, std::memory_order_relaxed);
  }
  static std::uint64_t forbidden_calls() HAPTIC_REALTIME {
    return forbidden_calls_.load(std::memory_order_relaxed);
  }
  /// Number of the last of them, -1 before the first.
  static int forbidden_call() noexcept { return forbidden_call_.load(std::memory_order_relaxed); }

  static std::uint64_t allocations() HAPTIC_REALTIME {
    return allocations_.load(std::memory_order_relaxed);
  }
  /// Whether allocations are counted at all.
  static bool interposed() { return interposed_; }

 private:
  static inline constinit thread_local bool inside_ = false;
  static inline constinit std::atomic<std::uint64_t> allocations_{0};
  static inline constinit std::atomic<std::uint64_t> forbidden_calls_{0};
  static inline constinit std::atomic<int> forbidden_call_{-1};
  static inline constinit bool interposed_ = false;
};

}  // namespace haptic
