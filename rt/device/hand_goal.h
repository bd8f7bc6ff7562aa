#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "rt/device/hand_script.h"
#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic {

/// Where the simulated hand wants to be: on a script, or where an operator steers it.
///
/// On a script, exchange k is at k / rate of it. The script may be replaced while the loop runs:
/// the hand then goes from where it wants to be to the start of the new one, at kTravelSpeed on
/// average, and follows it from there. A steered hand goes to its target at kSteeredSpeed at most.
class HandGoal {
 public:
  static constexpr double kTravelSpeed = 0.2;          ///< m/s
  static constexpr double kTravelAngularSpeed = 2.0;   ///< rad/s
  static constexpr double kSteeredSpeed = 0.5;         ///< m/s
  static constexpr double kSteeredAngularSpeed = 4.0;  ///< rad/s
  static constexpr std::size_t kCoordinates = 6;

  /// @param rate_hz  exchanges per second, > 0
  HandGoal(HandScript script, double rate_hz, bool steered);

  /// Pose, twist and buttons of exchange `exchange`, which never decreases.
  void advance(std::uint64_t exchange) HAPTIC_REALTIME;
  const Pose& pose() const HAPTIC_REALTIME { return pose_; }
  const Twist& twist() const HAPTIC_REALTIME { return twist_; }
  std::uint32_t buttons() const HAPTIC_REALTIME { return buttons_; }

  /// Target of a steered hand: position [m], then rotation vector [rad].
  double target(std::size_t coordinate) const HAPTIC_REALTIME { return target_[coordinate]; }
  void steer(std::size_t coordinate, double value) HAPTIC_REALTIME { target_[coordinate] = value; }

  /// From one thread other than the loop's: follow another script from the next exchange on. It
  /// frees the scripts that the loop has left; one that is replaced before the loop has seen it is
  /// kept until the end.
  void follow(HandScript script);

  /// The script of the start.
  const HandScript& first_script() const { return scripts_.front()->script; }

 private:
  struct Entry {
    explicit Entry(HandScript followed) : script(std::move(followed)) {}
    HandScript script;
    std::atomic<bool> left{false};  ///< the loop will not use it again
  };

  void begin(Entry* next, std::uint64_t exchange) HAPTIC_REALTIME;
  void travel(double fraction) HAPTIC_REALTIME;
  void steer_on() HAPTIC_REALTIME;

  double rate_hz_;
  bool steered_;
  std::vector<std::unique_ptr<Entry>> scripts_;  // of the thread that calls follow()
  std::atomic<Entry*> offered_;

  Entry* current_;
  std::uint64_t travel_from_ = 0;  // exchange in which the hand set out for the script's start
  std::uint64_t script_from_ = 0;  // exchange at the script's time 0
  Pose departure_;
  std::array<double, kCoordinates> target_{};
  Pose pose_;
  Twist twist_;
  std::uint32_t buttons_ = 0;
};

}  // namespace haptic
