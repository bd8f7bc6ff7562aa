// A library to preload: the daemon's real libcomedi finds an emulated board (EmulatedComedi) at the
// file that HAPTIC_EMULATED_BOARD names. A simulated hand moves the arm's axes back and forth
// while the enable line is on.
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <numbers>

#include "tests/rt/device/comedi/emulated_comedi.h"

namespace haptic {
namespace {

constexpr double kRate = 1000.0;  // lists per second
constexpr std::array<double, 3> kSwing{100.0, 125.0,
                                       75.0};  // counts at 500 a turn, some 0.1 rad of an axis
constexpr std::array<double, 3> kHz{0.5, 0.7, 0.3};
constexpr std::uint32_t kStart = 0x800000, kMask = 0xFFFFFF;  // what the driver presets
constexpr std::uint32_t kEnable = 1, kStopWhole = 1U << 8, kButtonUp = 1U << 9;

class MovedBoard {
 public:
  explicit MovedBoard(const char* node) : board_(node) {
    board_.lines_in = kStopWhole | kButtonUp;
    board_.before_list = [this] { move(); };
  }

 private:
  void move() {
    if ((board_.lines_out & kEnable) == 0) return;
    time_ += 1.0 / kRate;
    for (std::size_t i = 0; i < kSwing.size(); ++i) {
      const double counts = kSwing[i] * std::sin(2.0 * std::numbers::pi * kHz[i] * time_);
      board_.counter[i] = (kStart + static_cast<std::uint32_t>(std::lround(counts))) & kMask;
    }
  }

  EmulatedComedi board_;
  double time_ = 0.0;
};

[[gnu::constructor]] void begin() {
  const char* node = std::getenv("HAPTIC_EMULATED_BOARD");
  if (node != nullptr) static MovedBoard board(node);
}

}  // namespace
}  // namespace haptic
