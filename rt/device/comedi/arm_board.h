#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "rt/device/arm/serial_link.h"
#include "rt/device/comedi/analog_scale.h"
#include "rt/device/device.h"
#include "shared/realtime.h"

namespace haptic {

/// What goes to the board in one exchange.
struct BoardOutputs {
  std::array<std::uint32_t, kMaxArmAxes> codes{};  ///< of the motors' analog outputs
  bool enabled = false;                            ///< amplifier-enable line
  bool brake_released = false;
  bool heartbeat = false;  ///< level of the heartbeat line
};

/// What comes back.
struct BoardInputs {
  std::array<std::uint32_t, kMaxArmAxes> counts{};   ///< raw counters, one per axis
  std::array<std::uint32_t, kMaxArmAxes> monitor{};  ///< outputs read back, where monitored
  std::uint32_t buttons = 0;                         ///< bit per button, pressed = 1
  bool stop = false;                                 ///< the stop input is active: either channel
  bool stop_channels_differ = false;                 ///< of a stop input with two
};

/// Interface between an arm and its board. Construction opens the board and refuses one that does
/// not fit. Construction and destruction leave the outputs at zero and the amplifiers off.
class ArmBoard {
 public:
  struct Description {
    std::string driver, board;
    std::vector<AnalogScale> outputs;  ///< one per motor
    std::vector<AnalogScale> monitor;  ///< as many if the outputs are read back, else empty
    unsigned counter_bits = 24;
  };

  virtual ~ArmBoard() = default;
  virtual const Description& description() const HAPTIC_REALTIME = 0;

  /// Writes, then reads, in one instruction list. After any failure the outputs may have been
  /// written in part; the board has then tried to bring every one of them to zero.
  /// @returns kDisconnected if the board is disconnected or does not answer; `in` is then unchanged
  [[nodiscard]] virtual DeviceStatus exchange(const BoardOutputs& out,
                                              BoardInputs& in) HAPTIC_REALTIME = 0;
  /// The two halves of exchange(), for arms that read at the start of a cycle and write at its end.
  [[nodiscard]] virtual DeviceStatus write(const BoardOutputs& out) HAPTIC_REALTIME = 0;
  [[nodiscard]] virtual DeviceStatus read(BoardInputs& in) HAPTIC_REALTIME = 0;

  /// Turns the enable line off and applies the brake, then sets every output to zero independently,
  /// so that a defective converter does not affect the others. @returns whether all of it
  /// succeeded.
  virtual bool make_safe() HAPTIC_REALTIME = 0;

  /// Number of connections so far. If it changed, the counters were reset.
  virtual std::uint64_t connections() const HAPTIC_REALTIME { return 1; }
};

}  // namespace haptic
