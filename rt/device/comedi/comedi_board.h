#pragma once

#include <array>
#include <vector>

#include "rt/device/comedi/arm_board.h"
#include "rt/device/comedi/comedi_outputs.h"

namespace haptic {

/// A board behind the real libcomedi: one instruction list per exchange, prepared at construction.
///
/// The kernel runs the instructions of the list in order and stops at the first that fails. So
/// enable line, brake and heartbeat come first, then the outputs, then the reads; every failure
/// counts as partly applied.
class ComediBoard final : public ArmBoard {
 public:
  enum class Counters { kConfigure, kLeave };

  /// Opens the board, makes the outputs safe, sets the directions of digital lines and, for
  /// kConfigure, sets the counters up to count from the middle of their range. kLeave assumes that
  /// they already count, as a calibration file requires.
  /// @throws InputError, OperationError as ComediOutputs, and if another of our programs uses the
  ///          board
  ComediBoard(const BoardSettings& settings, Counters counters);
  ~ComediBoard() override {
    make_safe();
    outputs_.still_heartbeat();
  }
  ComediBoard(const ComediBoard&) = delete;
  ComediBoard& operator=(const ComediBoard&) = delete;

  const Description& description() const HAPTIC_REALTIME override { return description_; }
  [[nodiscard]] DeviceStatus exchange(const BoardOutputs& out,
                                      BoardInputs& in) HAPTIC_REALTIME override;
  [[nodiscard]] DeviceStatus write(const BoardOutputs& out) HAPTIC_REALTIME override;
  [[nodiscard]] DeviceStatus read(BoardInputs& in) HAPTIC_REALTIME override;
  bool make_safe() HAPTIC_REALTIME override { return outputs_.make_safe(); }

 private:
  using Data = std::array<lsampl_t, 2>;

  void claim() const;
  void set_directions();
  void read_counter_width();
  void configure_counter(std::size_t axis) const;
  void prepare();
  Data& add(unsigned instruction, unsigned count, unsigned subdevice, unsigned channel_spec);
  unsigned counter_subdevice(std::size_t axis) const;
  void fill(const BoardOutputs& out) HAPTIC_REALTIME;
  void take(std::size_t input_bits, BoardInputs& in) const HAPTIC_REALTIME;
  DeviceStatus run(std::size_t begin, std::size_t end) HAPTIC_REALTIME;

  BoardSettings settings_;
  ComediOutputs outputs_;
  Description description_;
  std::vector<unsigned> counter_subdevices_;
  unsigned input_subdevice_ = 0, monitor_subdevice_ = 0;
  bool has_inputs_ = false;

  std::vector<comedi_insn> list_;  // what is written, then what is read
  std::vector<Data> data_;         // one per instruction; never resized once list_ points into it
  std::size_t written_ = 0;        // instructions that write
  std::size_t exchanged_ = 0;      // of a whole exchange; what follows is for read() alone
  std::size_t first_output_ = 0, first_counter_ = 0, input_bits_ = 0, first_monitor_ = 0;
  std::size_t read_bits_ = 0;  // input lines of a read() alone
};

}  // namespace haptic
