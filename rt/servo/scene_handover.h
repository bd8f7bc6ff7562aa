#pragma once

#include <atomic>
#include <cstdint>

#include "rt/servo/servo_scene.h"
#include "shared/realtime.h"

namespace haptic {

/// Passes one scene at a time from an ordinary thread to the loop, and the previous one back;
/// wait-free on both sides.
class SceneHandover {
 public:
  /// Ordinary thread: offers `next`, which belongs to the loop from here on.
  /// @returns false while another offer is pending
  bool offer(ServoScene& next) {
    if (phase_.load(std::memory_order_acquire) != Phase::kEmpty) return false;
    next_ = &next;
    phase_.store(Phase::kOffered, std::memory_order_release);
    return true;
  }
  /// Ordinary thread: withdraws `next`. @returns false if the loop has already taken it
  bool withdraw() {
    Phase offered = Phase::kOffered;
    return phase_.compare_exchange_strong(offered, Phase::kEmpty, std::memory_order_acq_rel);
  }
  /// Ordinary thread. @returns the previous scene, which the loop no longer uses; nullptr until
  /// then
  ServoScene* collect() {
    if (phase_.load(std::memory_order_acquire) != Phase::kTaken) return nullptr;
    ServoScene* const left = left_;
    phase_.store(Phase::kEmpty, std::memory_order_release);
    return left;
  }

  /// Loop. @returns the next scene, or nullptr
  ServoScene* offered() const HAPTIC_REALTIME {
    return phase_.load(std::memory_order_acquire) == Phase::kOffered ? next_ : nullptr;
  }
  /// Loop, after offered() returned a scene, when `left` is no longer used.
  /// @returns false if the offer was withdrawn meanwhile
  bool take(ServoScene& left) HAPTIC_REALTIME {
    left_ = &left;
    Phase offered = Phase::kOffered;
    return phase_.compare_exchange_strong(offered, Phase::kTaken, std::memory_order_acq_rel);
  }

 private:
  enum class Phase : std::uint32_t { kEmpty, kOffered, kTaken };
  std::atomic<Phase> phase_{Phase::kEmpty};
  ServoScene* next_ = nullptr;
  ServoScene* left_ = nullptr;
};

}  // namespace haptic
