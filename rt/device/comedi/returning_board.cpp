#include "rt/device/comedi/returning_board.h"

#include <exception>
#include <utility>

#include "shared/error.h"

namespace haptic {
namespace {

// The arm takes scales and widths at construction, so a board of another kind is not accepted.
bool same(const ArmBoard::Description& a, const ArmBoard::Description& b) {
  if (a.driver != b.driver || a.board != b.board || a.counter_bits != b.counter_bits) return false;
  if (a.outputs.size() != b.outputs.size() || a.monitor.size() != b.monitor.size()) return false;
  for (std::size_t i = 0; i < a.outputs.size(); ++i) {
    const AnalogScale &x = a.outputs[i], &y = b.outputs[i];
    if (x.zero() != y.zero() || x.limit() != y.limit() || x.code(x.limit()) != y.code(y.limit())) {
      return false;
    }
  }
  return true;
}

}  // namespace

ReturningBoard::ReturningBoard(std::unique_ptr<ArmBoard> first, Open again, std::uint32_t patience)
    : description_(first->description()),
      again_(std::move(again)),
      patience_(patience),
      board_(first.release()) {}

ReturningBoard::~ReturningBoard() {
  for (ArmBoard* board : {board_, lost_.load(), back_.load()}) {
    std::unique_ptr<ArmBoard>(board).reset();
  }
}

ArmBoard* ReturningBoard::present() HAPTIC_REALTIME {
  if (board_ != nullptr) return board_;
  board_ = back_.exchange(nullptr, std::memory_order_acquire);
  if (board_ != nullptr) {
    ++connections_;
    failures_ = 0;
  }
  return board_;
}

DeviceStatus ReturningBoard::heard(DeviceStatus status) HAPTIC_REALTIME {
  if (status == DeviceStatus::kOk) {
    failures_ = 0;
  } else if (++failures_ >= patience_) {
    // lost_ is empty: its previous board was taken, otherwise there would be no board to lose.
    lost_.store(board_, std::memory_order_release);
    board_ = nullptr;
  }
  return status;
}

DeviceStatus ReturningBoard::exchange(const BoardOutputs& out, BoardInputs& in) HAPTIC_REALTIME {
  ArmBoard* const board = present();
  return board == nullptr ? DeviceStatus::kDisconnected : heard(board->exchange(out, in));
}

DeviceStatus ReturningBoard::write(const BoardOutputs& out) HAPTIC_REALTIME {
  ArmBoard* const board = present();
  return board == nullptr ? DeviceStatus::kDisconnected : heard(board->write(out));
}

DeviceStatus ReturningBoard::read(BoardInputs& in) HAPTIC_REALTIME {
  ArmBoard* const board = present();
  return board == nullptr ? DeviceStatus::kDisconnected : heard(board->read(in));
}

bool ReturningBoard::make_safe() HAPTIC_REALTIME {
  return board_ != nullptr && board_->make_safe();
}

std::string ReturningBoard::tend() {
  bool just_lost = false;
  if (ArmBoard* dead = lost_.exchange(nullptr, std::memory_order_acquire)) {
    std::unique_ptr<ArmBoard>(dead).reset();  // tries to make it safe once more
    looking_ = just_lost = true;
    problem_.clear();
  }
  if (!looking_) return {};
  try {
    std::unique_ptr<ArmBoard> board = again_();
    if (!same(board->description(), description_)) {
      throw OperationError("found another board: " + board->description().board);
    }
    looking_ = false;
    back_.store(board.release(), std::memory_order_release);
    return "the board is connected again: bring the arm into its calibration pose, then haptic "
           "reset and haptic home";
  } catch (const std::exception& error) {
    if (error.what() == problem_) return {};
    problem_ = error.what();
    return (just_lost ? "the board is lost; searching for it: "
                      : "the board is not connected again yet: ") +
           problem_;
  }
}

}  // namespace haptic
