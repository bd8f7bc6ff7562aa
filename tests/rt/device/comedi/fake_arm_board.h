#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "rt/device/arm/arm_settings.h"
#include "rt/device/comedi/arm_board.h"

namespace haptic {

/// A board and the arm behind it in virtual time: a step of the mechanics per exchange, faults by
/// script. Deterministic.
class FakeArmBoard final : public ArmBoard {
 public:
  enum class Fault {
    kIoError,         ///< exchanges fail with EIO; what was written first has taken
    kGone,            ///< every access fails, from now on, the outputs keep their values
    kStuckOutput,     ///< converter `axis` keeps its value
    kBackwards,       ///< counter `axis` counts against its motor
    kFrozenCounter,   ///< counter `axis` does not change
    kJump,            ///< counter `axis` is off by `amount`, once
    kStop,            ///< the stop input is active
    kStopOneChannel,  ///< one of its two channels is
  };
  struct Event {
    std::uint64_t exchange;  ///< first one that sees it
    std::uint64_t until;     ///< first one that does not
    Fault fault;
    std::size_t axis = 0;
    std::int64_t amount = 0;
  };
  struct Mechanics {
    double inertia = 2e-3;  ///< of every axis, at the joint [kg m²]
    double damping = 0.02;  ///< [N·m s/rad]
  };

  /// The arm starts at `start` (coordinates), counters at `first_count`.
  FakeArmBoard(const ArmSettings& arm, double dt, std::vector<double> start, unsigned bits = 24,
               std::uint32_t first_count = 0);

  std::vector<Event> script;
  Mechanics mechanics;
  /// Torque of the hand and of gravity on every axis, given coordinates [N·m].
  std::function<double(std::size_t, const std::array<double, kMaxArmAxes>&)> hand;
  std::uint32_t buttons = 0;

  /// What an oscilloscope on the board would show.
  bool amplifiers_on() const { return enabled_; }
  double torque(std::size_t motor) const;  ///< at the motor's shaft, whatever asked for it
  bool outputs_are_zero() const;
  const std::array<double, kMaxArmAxes>& coordinates() const { return q_; }
  std::uint64_t exchanges() const { return exchanges_; }
  bool brake_released() const { return brake_released_; }
  unsigned heartbeats() const { return heartbeats_; }  ///< edges of the line
  double largest_torque() const { return largest_torque_; }

  const Description& description() const HAPTIC_REALTIME override { return description_; }
  void watch_outputs();  ///< gives description() its monitor
  DeviceStatus exchange(const BoardOutputs& out, BoardInputs& in) HAPTIC_REALTIME override;
  DeviceStatus write(const BoardOutputs& out) HAPTIC_REALTIME override;
  DeviceStatus read(BoardInputs& in) HAPTIC_REALTIME override;
  bool make_safe() HAPTIC_REALTIME override;

 private:
  bool is(Fault fault, std::size_t axis = 0) const;
  void apply(const BoardOutputs& out);
  void move();
  void fill(BoardInputs& in) const;

  ArmSettings arm_;
  double dt_;
  unsigned bits_;
  std::uint32_t first_count_;
  Description description_;
  std::array<double, kMaxArmAxes> start_{}, q_{}, speed_{};
  std::array<std::uint32_t, kMaxArmAxes> codes_{};
  bool enabled_ = false, brake_released_ = false, heartbeat_ = false;
  unsigned heartbeats_ = 0;
  std::uint64_t exchanges_ = 0;
  double largest_torque_ = 0.0;
};

}  // namespace haptic
