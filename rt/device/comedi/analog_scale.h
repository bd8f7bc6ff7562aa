#pragma once

#include <cstdint>
#include <optional>

#include "shared/realtime.h"

namespace haptic {

/// Volts to the codes of one analog output. comedilib's own conversions turn NaN into minus full
/// scale, and the calibrated one does not clamp (docs/methods/devices.md, "Analog scale").
class AnalogScale {
 public:
  /// The board's range `minimum`..`maximum` [V] over codes 0..maxdata, used up to +-limit [V].
  /// @param zero_code  code of true 0 V where the board has one besides that of the scale (Sensoray
  ///                   626: 8191, while the scale of +-10 V in 14 bits says 8192)
  /// @throws InputError for a range that does not include 0 V, a limit or code out of range
  AnalogScale(double minimum, double maximum, std::uint32_t maxdata, double limit,
              std::optional<std::uint32_t> zero_code = {});

  /// Nearest code of `volts`, clamped in volts to the limit and then in codes to what the limit
  /// spans; the code of 0 V for a value that is not finite.
  std::uint32_t code(double volts) const HAPTIC_REALTIME;
  double volts(std::uint32_t code) const HAPTIC_REALTIME;
  std::uint32_t zero() const HAPTIC_REALTIME { return zero_; }
  double limit() const HAPTIC_REALTIME { return limit_; }

 private:
  double scaled(double volts) const HAPTIC_REALTIME;

  double minimum_;
  double codes_per_volt_;
  double limit_;
  double shift_ = 0.0;  // of the board's zero against the scale's [codes]
  std::uint32_t zero_ = 0, lowest_ = 0, highest_ = 0;
};

}  // namespace haptic
