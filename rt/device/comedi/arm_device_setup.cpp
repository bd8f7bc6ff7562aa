// What happens before the loop: limits of the drives, the first reading, what the arm is able to
// do.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "rt/device/comedi/arm_device.h"
#include "shared/error.h"

namespace haptic {
namespace {

std::vector<MotorLimits> motor_limits(const ArmSettings& arm) {
  std::vector<MotorLimits> limits;
  for (std::size_t i = 0; i < arm.motors; ++i) limits.push_back(arm.axes[i].motor);
  return limits;
}

std::vector<EncoderLimits> encoder_limits(const ArmSettings& arm) {
  std::vector<EncoderLimits> limits;
  for (const ArmAxis& axis : arm.axes) limits.push_back(axis.encoder);
  return limits;
}

}  // namespace

ArmDevice::ArmDevice(ArmSettings arm, const BoardSettings& wiring, std::unique_ptr<ArmBoard> board,
                     double rate_hz, std::optional<std::vector<std::uint32_t>> counts,
                     const Clock* clock)
    : arm_(std::move(arm)),
      wiring_(wiring),
      board_(std::move(board)),
      dt_(1.0 / rate_hz),
      time_(clock),
      output_timer_(dt_),
      axes_(arm_.axes.size()),
      link_(arm_.link, arm_.source),
      stage_(motor_limits(arm_), dt_, arm_.source),
      watch_(encoder_limits(arm_), arm_.source),
      counters_(axes_, CounterUnwrap(board_->description().counter_bits)),
      connections_(board_->connections()) {
  board_->make_safe();
  check_drives();
  rest(0.0);
  reading_.begin_ns = time_.now_ns();
  if (board_->exchange(outputs_, inputs_) != DeviceStatus::kOk) {
    throw OperationError(fmt::format("{}: board does not answer", wiring_.file.string()));
  }
  reading_.end_ns = time_.now_ns();
  taken_ = reading_;
  for (std::size_t i = 0; i < axes_; ++i) {
    counters_[i].start(inputs_.counts[i]);
    if (!counts) continue;
    // The shorter way round the counter from the calibration's reading.
    counters_[i].start((*counts)[i]);
    counters_[i].advance(inputs_.counts[i]);
  }
  homed_ = counts.has_value();
  locate();
  if (homed_ && plausible(dt_) != DeviceStatus::kOk) {
    throw OperationError(fmt::format(
        "{}: the counters put axes at [{:.3f}], outside the arm's ranges: the board was restarted "
        "since the calibration; run haptic calibrate",
        arm_.calibration_file.string(), fmt::join(coordinates(), ", ")));
  }
  watch_.restart();
  describe();
}

void ArmDevice::check_drives() const {
  const ArmBoard::Description& board = board_->description();
  if (board.outputs.size() < arm_.motors) {
    throw InputError(arm_.source, "board.outputs",
                     fmt::format("found {} outputs of {}", board.outputs.size(), board.board),
                     fmt::format("{}, one per motor", arm_.motors));
  }
  for (std::size_t i = 0; i < arm_.motors; ++i) {
    const double needed = std::abs(arm_.axes[i].volts(arm_.axes[i].motor.torque));
    if (needed <= board.outputs[i].limit() * (1.0 + 1e-9)) continue;
    throw InputError(
        arm_.source, fmt::format("axis[{}].max_torque", i),
        fmt::format("found {:g} N·m, which takes {:.4g} V", arm_.axes[i].motor.torque, needed),
        fmt::format("a torque within the board's {:g} V", board.outputs[i].limit()));
  }
}

void ArmDevice::describe() {
  capabilities_.name = arm_.name;
  capabilities_.sensed_freedoms = axes_ == 6 ? 6 : 3;
  capabilities_.actuated_freedoms = arm_.motors == 6 ? 6 : 3;
  capabilities_.max_force = arm_.max_force;
  capabilities_.max_torque = arm_.max_torque;
  capabilities_.max_stiffness = arm_.max_stiffness;
  capabilities_.limits = arm_.limits;
  capabilities_.workspace_radius = arm_.workspace_radius;
  capabilities_.needs_homing = true;
  capabilities_.enable_button = arm_.enable_button;
  // One count of every axis at once, seen along the coarsest coordinate of the centre.
  SerialLink::Placement centre;
  std::vector<double> q = arm_.calibration_pose;
  if (axes_ == 3) q = coordinates_at(arm_, arm_.origin, q);
  link_.place(q, centre);
  for (int row = 0; row < 3; ++row) {
    double squares = 0.0;
    for (std::size_t k = 0; k < axes_; ++k) {
      const double moved = centre.jacobian(row, static_cast<Eigen::Index>(k)) * arm_.axes[k].step();
      squares += moved * moved;
    }
    capabilities_.resolution = std::max(capabilities_.resolution, std::sqrt(squares));
  }
}

}  // namespace haptic
