#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "rt/device/device.h"
#include "shared/realtime.h"

namespace haptic {

/// Limits of plausible encoder readings. Infinity: not watched.
struct EncoderLimits {
  double speed = std::numeric_limits<double>::infinity();         ///< largest possible [rad/s], > 0
  double stuck_s = std::numeric_limits<double>::infinity();       ///< > 0
  double stuck_torque = std::numeric_limits<double>::infinity();  ///< of the motor [N·m], > 0
  bool operator==(const EncoderLimits&) const = default;
};

/// Checks whether encoder readings are plausible, so that torque is output only if they are.
///
/// A jump is a change larger than the largest speed allows: lost counts, a broken line, an
/// incomplete exchange. Stuck is a reading that does not change by a single count while the motor
/// pulls with at least `stuck_torque` for `stuck_s` without interruption: a defective encoder (the
/// force would grow without limit while the hand moves). A hand at rest trembles by more than a
/// count within a second, so `stuck_s` of a second or more gives no false alarm.
///
/// Nothing is latched here, but in the servo: after a jump the new reading is the reference.
class EncoderWatch {
 public:
  /// @param limits one per encoder
  /// @param source named in errors: the manifest's file
  /// @throws InputError for a limit that is not > 0
  explicit EncoderWatch(std::span<const EncoderLimits> limits,
                        std::string_view source = "encoder limits");

  /// One reading.
  /// @param angle  joint or shaft angles as read [rad]
  /// @param torque sent in the exchange before, a value per encoder's motor [N·m]
  /// @param elapsed_s since the previous reading, by the clock, >= 0; the largest plausible change
  /// is proportional to it. If readings are not timed exactly, pass the longest possible time
  /// @returns kImplausible; kBadValue (a value is not finite, the time is negative, or the size of
  /// a span is not the number of encoders); or kOk. The first reading is always accepted
  [[nodiscard]] DeviceStatus check(std::span<const double> angle, std::span<const double> torque,
                                   double elapsed_s) HAPTIC_REALTIME;

  /// Treats the next reading as the first: after homing, which moves the zero.
  void restart() HAPTIC_REALTIME { started_ = false; }

  /// Whether the last kImplausible was a jump: the counts then no longer refer to the zero.
  bool jumped() const HAPTIC_REALTIME { return jumped_; }
  /// Encoder (from 0) of the last kImplausible.
  std::size_t culprit() const HAPTIC_REALTIME { return culprit_; }

 private:
  struct Encoder {
    EncoderLimits limits;
    double angle = 0.0;
    double still_s = 0.0;  // unchanged under torque for so long
  };
  std::vector<Encoder> encoders_;
  bool started_ = false;
  bool jumped_ = false;
  std::size_t culprit_ = 0;
};

}  // namespace haptic
