#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "rt/device/arm/arm_settings.h"
#include "rt/device/comedi/arm_board.h"
#include "rt/device/comedi/board_settings.h"
#include "rt/device/comedi/counter_unwrap.h"
#include "rt/device/exchange_timer.h"

namespace haptic {

/// An arm on a board: counters to pose, wrench to volts, one exchange per cycle.
///
/// Torque leaves only while the servo has enabled the device, the arm is homed and the last reading
/// was good; otherwise every output is at zero and the enable line off. A reading is implausible
/// where an encoder jumps or stands still under torque (EncoderWatch), a joint is outside its range
/// (a counter that runs backwards ends there), or an output does not read back what was written.
///
/// Of a board that went away and came back the counts mean nothing: the arm is not homed, and homes
/// only after restart(), in its calibration pose, whatever method it was homed by before.
class ArmDevice final : public Device {
 public:
  /// @param counts  what the counters read at the calibration pose, from a calibration file;
  ///                absent: the arm rests there now, and is homed as soon as it stands still
  /// @param rate_hz exchanges per second, > 0
  /// @param clock   of speeds, heat and every wait; outlives the device; absent: CLOCK_MONOTONIC
  /// @throws InputError if the board does not fit the arm (outputs, volts) or the readings do not
  ///         fit the calibration
  /// @throws OperationError if the board does not answer
  ArmDevice(ArmSettings arm, const BoardSettings& wiring, std::unique_ptr<ArmBoard> board,
            double rate_hz, std::optional<std::vector<std::uint32_t>> counts = {},
            const Clock* clock = nullptr);
  ~ArmDevice() override { board_->make_safe(); }

  const DeviceCapabilities& capabilities() const HAPTIC_REALTIME override { return capabilities_; }
  [[nodiscard]] DeviceStatus sense(DeviceState& state) HAPTIC_REALTIME override;
  void set_enabled(bool enabled) HAPTIC_REALTIME override { enabled_ = enabled; }
  void restart() HAPTIC_REALTIME override { may_home_ = true; }
  [[nodiscard]] DeviceStatus actuate(const Wrench& wrench) HAPTIC_REALTIME override;

  bool homed() const HAPTIC_REALTIME { return homed_; }
  /// Axis coordinates of the last sense [rad or m]; meaningless before homing.
  std::span<const double> coordinates() const HAPTIC_REALTIME { return {q_.data(), axes_}; }
  /// Counters of the last exchange, raw.
  const BoardInputs& inputs() const HAPTIC_REALTIME { return inputs_; }
  /// Volts of the last output, one per motor.
  std::span<const double> volts() const HAPTIC_REALTIME { return {volts_.data(), arm_.motors}; }

 private:
  using PerAxis = std::array<double, kMaxArmAxes>;

  void check_drives() const;
  void describe();
  // When a reading was taken: not before `begin`, not after `end`.
  struct ReadingTime {
    std::int64_t begin_ns = 0, end_ns = 0;
  };

  DeviceStatus hear() HAPTIC_REALTIME;
  DeviceStatus plausible(double elapsed_s) HAPTIC_REALTIME;
  bool outputs_follow() HAPTIC_REALTIME;
  void home(double elapsed_s) HAPTIC_REALTIME;
  void begin_again() HAPTIC_REALTIME;
  void locate() HAPTIC_REALTIME;
  void tell(DeviceState& state) const HAPTIC_REALTIME;
  DeviceStatus pull(const Wrench& wrench, double elapsed_s) HAPTIC_REALTIME;
  void rest(double elapsed_s) HAPTIC_REALTIME;
  double friction(std::size_t axis) const HAPTIC_REALTIME;

  ArmSettings arm_;
  BoardSettings wiring_;
  std::unique_ptr<ArmBoard> board_;
  double dt_;  // nominal
  DeviceTime time_;
  ExchangeTimer output_timer_;
  std::size_t axes_;
  SerialLink link_;
  MotorStage stage_;
  EncoderWatch watch_;
  DeviceCapabilities capabilities_;

  std::vector<CounterUnwrap> counters_;
  std::array<std::int64_t, kMaxArmAxes> zero_{};  // counts at the calibration pose
  BoardOutputs outputs_;
  BoardInputs inputs_;
  DeviceStatus heard_ = DeviceStatus::kOk;  // of the exchange whose readings sense will take
  bool fresh_ = false;                      // inputs_ not taken yet
  ReadingTime reading_;                     // of inputs_
  ReadingTime taken_;                       // of the last reading that sense took

  std::uint64_t connections_;  // of the board, when its counters were last begun with

  bool homed_ = false;
  bool may_home_ = true;  // the operator has put the arm into its pose: at the start, by a reset
  double still_s_ = 0.0;
  std::array<std::int64_t, kMaxArmAxes> held_{};  // counts where stillness began
  std::int64_t monitor_off_since_ns_ = 0;         // 0: outputs follow

  bool enabled_ = false;
  bool good_ = false;     // last sense
  double carried_ = 0.0;  // ramp of gravity and friction compensation
  bool started_ = false;
  std::int64_t speed_ns_ = 0;  // of the reading that speeds were last taken from
  PerAxis q_{}, q_then_{}, speed_{}, shaft_{}, torque_{}, volts_{};
  SerialLink::Placement placement_;
};

}  // namespace haptic
