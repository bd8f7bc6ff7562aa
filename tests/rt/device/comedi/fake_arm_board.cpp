#include "tests/rt/device/comedi/fake_arm_board.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace haptic {

FakeArmBoard::FakeArmBoard(const ArmSettings& arm, double dt, std::vector<double> start,
                           unsigned bits, std::uint32_t first_count)
    : arm_(arm), dt_(dt), bits_(bits), first_count_(first_count) {
  description_.driver = "fake";
  description_.board = "fake";
  description_.counter_bits = bits;
  for (std::size_t i = 0; i < arm.motors; ++i) {
    description_.outputs.emplace_back(-10.0, 10.0, 16383, 10.0);
    codes_[i] = 12345;  // what somebody before us left there
  }
  std::copy(start.begin(), start.end(), q_.begin());
  start_ = q_;
}

void FakeArmBoard::watch_outputs() {
  description_.monitor = description_.outputs;
}

bool FakeArmBoard::is(Fault fault, std::size_t axis) const {
  return std::any_of(script.begin(), script.end(), [&](const Event& e) {
    return e.fault == fault && e.axis == axis && exchanges_ >= e.exchange && exchanges_ < e.until;
  });
}

double FakeArmBoard::torque(std::size_t motor) const {
  // The zero of the converter is half a code from that of the scale.
  const double volts = codes_[motor] == description_.outputs[motor].zero()
                           ? 0.0
                           : description_.outputs[motor].volts(codes_[motor]);
  return enabled_ ? arm_.axes[motor].torque(volts) : 0.0;
}

bool FakeArmBoard::outputs_are_zero() const {
  for (std::size_t i = 0; i < arm_.motors; ++i) {
    if (codes_[i] != description_.outputs[i].zero()) return false;
  }
  return true;
}

void FakeArmBoard::apply(const BoardOutputs& out) {
  enabled_ = out.enabled;
  brake_released_ = out.brake_released;
  heartbeats_ += out.heartbeat != heartbeat_;
  heartbeat_ = out.heartbeat;
  for (std::size_t i = 0; i < arm_.motors; ++i) {
    if (!is(Fault::kStuckOutput, i)) codes_[i] = out.codes[i];
    largest_torque_ = std::max(largest_torque_, std::abs(torque(i)));
  }
}

void FakeArmBoard::move() {
  for (std::size_t i = 0; i < arm_.axes.size(); ++i) {
    double pull = i < arm_.motors ? torque(i) * arm_.axes[i].ratio : 0.0;
    if (hand) pull += hand(i, q_);
    speed_[i] = (speed_[i] + dt_ * pull / mechanics.inertia) /
                (1.0 + dt_ * mechanics.damping / mechanics.inertia);
    q_[i] += dt_ * speed_[i];
  }
  ++exchanges_;
}

void FakeArmBoard::fill(BoardInputs& in) const {
  const std::uint32_t mask = bits_ == 32 ? ~0U : (1U << bits_) - 1;
  for (std::size_t i = 0; i < arm_.axes.size(); ++i) {
    auto counts = static_cast<std::int64_t>(
        std::floor(arm_.axes[i].encoder_sign * (q_[i] - start_[i]) / arm_.axes[i].step() + 0.5));
    if (is(Fault::kBackwards, i)) counts = -counts;
    for (const Event& e : script) {
      if (e.fault == Fault::kJump && e.axis == i && exchanges_ >= e.exchange) counts += e.amount;
    }
    if (is(Fault::kFrozenCounter, i)) continue;  // keeps the value of the last reading
    in.counts[i] = (first_count_ + static_cast<std::uint32_t>(counts)) & mask;
  }
  for (std::size_t i = 0; i < arm_.motors; ++i) in.monitor[i] = codes_[i];
  in.buttons = buttons;
  in.stop_channels_differ = is(Fault::kStopOneChannel);
  in.stop = is(Fault::kStop) || in.stop_channels_differ;
}

DeviceStatus FakeArmBoard::exchange(const BoardOutputs& out, BoardInputs& in) HAPTIC_REALTIME {
  const DeviceStatus written = write(out);
  if (written != DeviceStatus::kOk) return written;
  fill(in);
  return DeviceStatus::kOk;
}

DeviceStatus FakeArmBoard::write(const BoardOutputs& out) HAPTIC_REALTIME {
  if (is(Fault::kGone)) {
    move();
    return DeviceStatus::kDisconnected;
  }
  apply(out);
  if (is(Fault::kIoError)) {
    make_safe();
    move();
    return DeviceStatus::kDisconnected;
  }
  move();
  return DeviceStatus::kOk;
}

DeviceStatus FakeArmBoard::read(BoardInputs& in) HAPTIC_REALTIME {
  if (is(Fault::kGone) || is(Fault::kIoError)) {
    make_safe();
    return DeviceStatus::kDisconnected;
  }
  fill(in);
  return DeviceStatus::kOk;
}

bool FakeArmBoard::make_safe() HAPTIC_REALTIME {
  if (is(Fault::kGone)) return false;
  bool all = true;
  enabled_ = brake_released_ = false;
  for (std::size_t i = 0; i < arm_.motors; ++i) {
    if (is(Fault::kStuckOutput, i)) {
      all = false;
    } else {
      codes_[i] = description_.outputs[i].zero();
    }
  }
  return all;
}

}  // namespace haptic
