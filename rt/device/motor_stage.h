#pragma once

#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "rt/device/device.h"
#include "shared/realtime.h"

namespace haptic {

/// Limits of one motor, at the motor's shaft. Infinity: no such limit.
struct MotorLimits {
  double torque = 0.0;                                     ///< N·m, >= 0
  double slew = std::numeric_limits<double>::infinity();   ///< N·m/s, > 0
  double power = std::numeric_limits<double>::infinity();  ///< into the mechanism [W], >= 0
  // Winding.
  double torque_constant = 1.0;     ///< N·m/A, > 0
  double resistance = 0.0;          ///< at 25 °C [ohm], >= 0
  double thermal_resistance = 0.0;  ///< winding to ambient [K/W], >= 0
  double thermal_time_s = 1.0;      ///< of the winding, > 0
  double ambient_C = 25.0;
  double max_C = std::numeric_limits<double>::infinity();  ///< > ambient_C
};

/// Limits in motor space, the last step before the transport (docs/methods/devices.md, "Motor
/// limits"). The output is finite and inside each motor's limits of torque, change per second and
/// mechanical power for any input, and zero while a winding is too warm.
///
/// The winding is one thermal mass heated by i² R(T), i = torque / torque constant, with copper's
/// R(T) = R (1 + 0.00393 (T - 25)). Because R rises with T, a torque that is harmless when the
/// motor is cold may cause thermal runaway when it is warm. The estimate is exact for a constant
/// torque of any duration. It starts at ambient temperature, because the load before the start is
/// not known.
class MotorStage {
 public:
  /// @param limits one per motor
  /// @param dt seconds between two outputs, > 0: an output that comes later changes no more
  /// @param source named in errors: the manifest's file
  /// @throws InputError for a limit out of its range
  MotorStage(std::span<const MotorLimits> limits, double dt,
             std::string_view source = "motor limits");

  /// Limits `torque` [N·m, a value per motor] in place: magnitude, then change since the last
  /// output, then power. Magnitude and power take precedence over the change. Call it in every
  /// exchange, also with zeros.
  /// @param velocity of the motors' shafts [rad/s]
  /// @param elapsed_s since the previous output, by the clock: that output heated the winding for
  /// this time
  /// @returns kBadValue if a value is not finite, the time is negative or the size of a span is not
  /// the number of motors; kOverheated while a winding is above its max_C; both with every torque
  /// zero
  [[nodiscard]] DeviceStatus shape(std::span<double> torque, std::span<const double> velocity,
                                   double elapsed_s) HAPTIC_REALTIME;

  /// Zero output from this exchange on, at once (the slew limit does not apply).
  /// @param elapsed_s as for shape()
  void zero(double elapsed_s) HAPTIC_REALTIME;

  std::size_t motors() const HAPTIC_REALTIME { return motors_.size(); }
  /// Estimate of the winding [°C]; 25 if there is no such motor.
  double temperature(std::size_t motor) const HAPTIC_REALTIME;
  /// Whether a limit cut the last output.
  bool limited() const HAPTIC_REALTIME { return limited_; }

 private:
  struct Motor {
    MotorLimits limits;
    double torque = 0.0;  // last output
    double celsius;
  };
  static double limit(const Motor& motor, double torque, double velocity,
                      double dt) HAPTIC_REALTIME;
  void pass(double elapsed_s) HAPTIC_REALTIME;
  static void heat(Motor& motor, double seconds) HAPTIC_REALTIME;
  void release() HAPTIC_REALTIME;

  std::vector<Motor> motors_;
  double dt_;
  bool limited_ = false;
};

}  // namespace haptic
