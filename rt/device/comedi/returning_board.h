#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "rt/device/comedi/arm_board.h"

namespace haptic {

/// A board that may go away and come back, as one on a USB cable does. The servo exchanges with it
/// as with any; one that has failed for so long is handed to the I/O side, which closes it, tries
/// to open it again and hands over what it got. Closing and opening block and allocate; neither
/// side ever waits for the other.
///
/// What comes back has its outputs at zero, its amplifiers off and its counters anew: connections()
/// says so, and the arm waits for an operator to home it again.
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

  /// The I/O side's step: closes a board that was lost, tries once to open it again.
  /// @returns a line for the operator, empty where there is nothing new
  std::string tend();

 private:
  ArmBoard* present() HAPTIC_REALTIME;
  DeviceStatus heard(DeviceStatus status) HAPTIC_REALTIME;

  Description description_;
  Open again_;
  std::uint32_t patience_;

  ArmBoard* board_;  // the servo's; null while it is away
  std::uint32_t failures_ = 0;
  std::uint64_t connections_ = 1;

  // Ownership goes with the pointer.
  std::atomic<ArmBoard*> lost_{nullptr};  // from the servo
  std::atomic<ArmBoard*> back_{nullptr};  // to the servo

  bool looking_ = false;  // the I/O side's
  std::string problem_;   // told last
};

}  // namespace haptic
