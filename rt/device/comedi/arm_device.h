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
/// Torque is output only while the servo has enabled the device, the arm is homed and the last
/// reading was good; otherwise every output is zero and the enable line is off. A reading is
/// implausible if an encoder jumps or does not change under torque (EncoderWatch), if a joint is
/// outside its range (the result of a counter with the wrong sign), or if the read-back of an
/// output differs from the written value.
///
/// The brake, if present, is released only while the motors pull, `brake_release_s` after they
/// began, and applied in the exchange in which they end, whatever the cause. The heartbeat line
/// changes its level in every actuate(), also at rest and in a fault: it shows that the loop runs.
///
/// If the stop channels differ for too long, the discrepancy is latched until both have stopped
/// together: a welded contact must still be reported after the other one has closed again.
///
/// An arm without a calibration file homes only after an operator has confirmed by home() that it
/// rests in its calibration pose, and if it is still there. The same applies to an arm that has
/// lost its counts, by an encoder jump or a board that was disconnected and reconnected, whatever
/// its homing method. The confirmation is valid for kHomingConfirmation_s and until the next
/// restart(), because the arm may be moved afterwards.
class ArmDevice final : public Device {
 public:
  static constexpr double kHomingConfirmation_s = 10.0;

  /// @param counts  what the counters read at the calibration pose, from a calibration file;
  ///                absent: the arm waits for home()
  /// @param rate_hz exchanges per second, > 0
  /// @param clock   for speeds, heat and every wait; outlives the device; absent: CLOCK_MONOTONIC
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
  void restart() HAPTIC_REALTIME override { may_home_ = false; }
  void home() HAPTIC_REALTIME override;
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
  void find_zero(double elapsed_s) HAPTIC_REALTIME;
  void begin_again() HAPTIC_REALTIME;
  void lose_zero() HAPTIC_REALTIME;
  void locate() HAPTIC_REALTIME;
  void watch_stop_channels() HAPTIC_REALTIME;
  void tell(DeviceState& state) const HAPTIC_REALTIME;
  DeviceStatus pull(const Wrench& wrench, std::int64_t now_ns, double elapsed_s) HAPTIC_REALTIME;
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
  DeviceStatus heard_ = DeviceStatus::kOk;  // status of the exchange whose readings sense will take
  bool fresh_ = false;                      // inputs_ not taken yet
  ReadingTime reading_;                     // of inputs_
  ReadingTime taken_;                       // of the last reading that sense took

  std::uint64_t connections_;  // of the board, when the counters were last initialised

  bool homed_ = false;
  bool may_home_ = false;              // an operator has confirmed that the arm is in its pose
  double since_confirmation_s_ = 0.0;  // time since then
  double still_s_ = 0.0;
  std::array<std::int64_t, kMaxArmAxes> held_{};  // counts where stillness began
  std::int64_t monitor_off_since_ns_ = 0;         // 0: outputs follow
  std::int64_t differ_since_ns_ = 0;              // 0: the stop input's channels agree
  bool discrepant_ = false;                       // they differed for too long
  std::int64_t pulling_since_ns_ = 0;             // 0: the motors are off

  bool enabled_ = false;
  bool good_ = false;     // last sense
  double carried_ = 0.0;  // ramp of gravity and friction compensation
  bool started_ = false;
  std::int64_t speed_ns_ = 0;  // of the reading that speeds were last taken from
  PerAxis q_{}, q_then_{}, speed_{}, shaft_{}, torque_{}, volts_{};
  SerialLink::Placement placement_;
};

}  // namespace haptic
