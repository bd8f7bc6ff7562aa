#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "rt/device/comedi/arm_board.h"

namespace haptic {

/// A board that may be disconnected and reconnected, for example on a USB cable. The servo uses it
/// like any board. After `patience` failed calls the board is passed to the I/O side, which closes
/// it, tries to open it again and passes the new one back. Closing and opening block and allocate;
/// neither side ever waits for the other.
///
/// A reconnected board has its outputs at zero, its amplifiers off and its counters reset.
/// connections() reports this, and the arm waits for an operator to home it again.
class ReturningBoard : public ArmBoard {
 public:
  using Open = std::function<std::unique_ptr<ArmBoard>()>;

  /// @param again     opens the board again; throws while it is disconnected
  /// @param patience  failed calls in a row until the board counts as lost, >= 1
  ReturningBoard(std::unique_ptr<ArmBoard> first, Open again, std::uint32_t patience);
  ~ReturningBoard() override;
  ReturningBoard(const ReturningBoard&) = delete;
  ReturningBoard& operator=(const ReturningBoard&) = delete;

  const Description& description() const HAPTIC_REALTIME override { return description_; }
  [[nodiscard]] DeviceStatus exchange(const BoardOutputs& out,
                                      BoardInputs& in) HAPTIC_REALTIME override;
  [[nodiscard]] DeviceStatus write(const BoardOutputs& out) HAPTIC_REALTIME override;
  [[nodiscard]] DeviceStatus read(BoardInputs& in) HAPTIC_REALTIME override;
  bool make_safe() HAPTIC_REALTIME override;
  std::uint64_t connections() const HAPTIC_REALTIME override { return connections_; }

  /// One step of the I/O side: closes a lost board and tries once to open it again.
  /// @returns a line for the operator, empty if nothing has changed
  std::string tend();

 private:
  ArmBoard* present() HAPTIC_REALTIME;
  DeviceStatus heard(DeviceStatus status) HAPTIC_REALTIME;

  Description description_;
  Open again_;
  std::uint32_t patience_;

  ArmBoard* board_;  // the servo's; null while disconnected
  std::uint32_t failures_ = 0;
  std::uint64_t connections_ = 1;

  // Ownership goes with the pointer.
  std::atomic<ArmBoard*> lost_{nullptr};  // from the servo
  std::atomic<ArmBoard*> back_{nullptr};  // to the servo

  bool looking_ = false;  // the I/O side's
  std::string problem_;   // last one reported
};

}  // namespace haptic
