#pragma once

#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "rt/device/device.h"
#include "shared/realtime.h"

namespace haptic {

/// What one motor may be asked for, at the motor's own shaft. Infinity: no such limit.
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
/// limits"): what leaves is finite and inside each motor's torque, change per second and mechanical
/// power, whatever the servo asked for, and nothing leaves while a winding is too warm.
///
/// The winding is one thermal mass fed by i² R(T), i = torque / torque constant, with copper's
/// R(T) = R (1 + 0.00393 (T - 25)); copper's own heating makes a torque that is harmless when cold
/// run away when warm. The estimate is exact for a torque that is held, however long that was, and
/// starts at ambient: what a motor had to bear before the process started is not known to it.
class MotorStage {
 public:
  /// @param limits one per motor
  /// @param dt seconds between two outputs, > 0: an output that comes later changes no more
  /// @param source named in errors: the manifest's file
  /// @throws InputError for a limit out of its range
  MotorStage(std::span<const MotorLimits> limits, double dt,
             std::string_view source = "motor limits");

  /// Limits `torque` [N·m, a value per motor] in place: magnitude, then change since the last
  /// output, then power; the magnitude and the power win where not all can hold. Call it in every
  /// exchange, with zeros too.
  /// @param velocity of the motors' shafts [rad/s]
  /// @param elapsed_s since the output before, by the clock: for so long that one warmed the
  /// winding
  /// @returns kBadValue if a value is not finite, the time negative or a span's size is not the
  /// motors', kOverheated
  ///          while a winding is above its max_C; both with every torque zero
  [[nodiscard]] DeviceStatus shape(std::span<double> torque, std::span<const double> velocity,
                                   double elapsed_s) HAPTIC_REALTIME;

  /// Zero output from this exchange on, at once (reducing to nothing needs no slew).
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
