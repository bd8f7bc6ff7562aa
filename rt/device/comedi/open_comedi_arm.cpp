#include "rt/device/comedi/open_comedi_arm.h"

#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "rt/device/comedi/arm_calibration.h"
#include "rt/device/comedi/arm_device.h"
#include "rt/device/comedi/board_keys.h"
#include "rt/device/comedi/comedi_board.h"
#include "rt/device/comedi/returning_board.h"
#include "shared/journal/message.h"

namespace haptic {
namespace {

constexpr double kLostAfterSeconds = 0.1;  // of failing exchanges
constexpr std::chrono::milliseconds kLookAgain{
    100};  // also the longest wait of a daemon that stops

/// With an ordinary thread that reopens it. That thread does nothing while the board is connected.
class TendedBoard final : public ReturningBoard {
 public:
  TendedBoard(std::string name, std::unique_ptr<ArmBoard> first, Open again, double rate_hz)
      : ReturningBoard(std::move(first), std::move(again),
                       static_cast<std::uint32_t>(std::ceil(kLostAfterSeconds * rate_hz))) {
    // Signals are for the thread that waits for them.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread([this, name = std::move(name)] {
      while (!stop_) {
        const std::string news = tend();
        if (!news.empty()) message::say(Priority::kWarning, "{}: {}", name, news);
        std::this_thread::sleep_for(kLookAgain);
      }
    });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    pthread_setname_np(thread_.native_handle(), "comedi-io");
  }
  TendedBoard(const TendedBoard&) = delete;
  TendedBoard& operator=(const TendedBoard&) = delete;
  ~TendedBoard() override {
    stop_ = true;
    thread_.join();
  }

 private:
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

// The calibration file refers to counts that the board has lost: no later start may use it.
void put_aside(const std::filesystem::path& calibration) {
  std::error_code failure;
  if (!std::filesystem::exists(calibration, failure)) return;
  std::filesystem::path aside = calibration;
  aside += ".lost";
  std::filesystem::rename(calibration, aside, failure);
  message::say(Priority::kWarning, "{}: {}; haptic calibrate writes a new one",
               calibration.string(),
               failure ? "is no longer valid and cannot be renamed (" + failure.message() + ")"
                       : "is no longer valid and was renamed to " + aside.filename().string());
}

}  // namespace

ComediArm read_comedi_arm(const DeviceManifest& manifest) {
  ComediArm read;
  read.arm = read_arm(manifest);
  read.board = read_board(manifest, read.arm.axes.size(), read.arm.motors);
  enable_button_keys().read_some(manifest.table, read.arm);
  if (manifest.table.has("enable_button")) {
    if (read.board.buttons.empty()) {
      manifest.table.refuse("enable_button", "found it on a board without buttons",
                            "board.buttons, too");
    }
    const auto buttons = static_cast<std::int64_t>(read.board.buttons.size());
    static_cast<void>(manifest.table.integer("enable_button", 0, buttons - 1));
  }
  manifest.table.finish();
  return read;
}

std::unique_ptr<Device> open_comedi_arm(const DeviceManifest& manifest, double rate_hz,
                                        const Clock* clock) {
  ComediArm read = read_comedi_arm(manifest);
  const bool from_file = read.arm.homing == ArmHoming::kFile;
  std::optional<ArmCalibration> calibration;
  if (from_file) calibration = read_calibration(read.arm.calibration_file);
  auto board = std::make_unique<ComediBoard>(
      read.board, from_file ? ComediBoard::Counters::kLeave : ComediBoard::Counters::kConfigure);
  std::optional<std::vector<std::uint32_t>> counts;
  if (calibration) {
    check_calibration(*calibration, read.arm, read.board, board->description(), this_boot());
    counts = calibration->counts;
  }
  auto again = [wiring = read.board, from_file, file = read.arm.calibration_file] {
    auto opened = std::make_unique<ComediBoard>(wiring, ComediBoard::Counters::kConfigure);
    if (from_file) put_aside(file);
    return opened;
  };
  auto tended =
      std::make_unique<TendedBoard>(manifest.name, std::move(board), std::move(again), rate_hz);
  return std::make_unique<ArmDevice>(std::move(read.arm), read.board, std::move(tended), rate_hz,
                                     std::move(counts), clock);
}

}  // namespace haptic
