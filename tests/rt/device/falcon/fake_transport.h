#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "rt/device/falcon/transport.h"
#include "tests/rt/device/falcon/falcon_emulator.h"

namespace haptic {

// In nanoseconds.
inline constexpr std::int64_t kMillisecond = 1'000'000, kSecond = 1'000'000'000;

/// What can go wrong between host and device.
enum class BusFault : std::uint8_t {
  kNone,
  kMissing,     ///< answers vanish
  kShort,       ///< answers end after five bytes
  kGarbled,     ///< a byte of each answer is another one
  kLate,        ///< answers come 15 ms later: after the driver gave them up
  kMisaligned,  ///< invalid bytes precede each answer
  kTwice,       ///< each answer comes twice
  kStatusless,  ///< IN transfers without even their modem status
  kEcho,        ///< the 40th byte of each answer is changed: an upload's echo
  kHung,        ///< what is written stays in the end point, nothing comes
  kStuckWrite,  ///< what is written never leaves
  kUnplugged,
  kUnpowered,  ///< the bus is there, the device behind it has lost its power
  kFrozen,     ///< a call returns when the fault is over: a lock, a stop, the kernel
};
inline constexpr int kBusFaults = 13;  ///< those with which the I/O thread goes on

/// A bus with an emulated Falcon at its end, in virtual time: each call takes the time that it
/// would take, and nothing else does. Faults hold over stretches of that time.
class FakeTransport final : public FalconTransport {
 public:
  struct Fault {
    std::int64_t from_ns, to_ns;
    BusFault kind;
  };

  explicit FakeTransport(FalconEmulator& device) : device_(device) {}

  UsbStatus open() override;
  UsbStatus reachable() override { return plugged() ? open_answers : UsbStatus::kAbsent; }
  void close() override;
  void reset() override { ++resets_; }
  UsbStatus control(std::uint8_t request, std::uint16_t value) override;
  UsbStatus write(std::span<const std::uint8_t> bytes, std::int64_t deadline_ns) override;
  UsbStatus read(UsbPacket& packet, std::int64_t deadline_ns) override;
  std::int64_t now_ns() override { return now_ns_; }
  void sleep_until(std::int64_t deadline_ns) override { advance(deadline_ns); }

  /// `tick` runs whenever this time has passed: the servo next to the I/O thread.
  void every(std::int64_t period_ns, std::function<void()> tick);
  void add(Fault fault) { faults_.push_back(fault); }
  /// From now on for so long.
  void fail(BusFault kind, std::int64_t for_ns) { add({now_ns_, now_ns_ + for_ns, kind}); }
  BusFault fault() const;
  void forget_old_faults() {
    std::erase_if(faults_, [this](const Fault& fault) { return fault.to_ns <= now_ns_; });
  }

  bool idle_status = true;  ///< modem status alone every millisecond, as the chip sends it
  UsbStatus open_answers = UsbStatus::kOk;
  std::vector<std::pair<std::uint8_t, std::uint16_t>> requests;  ///< vendor requests so far
  int resets() const { return resets_; }
  int opens() const { return opens_; }
  std::size_t waiting() const { return inbox_.size(); }

 private:
  struct Coming {
    std::int64_t due_ns;
    UsbPacket packet;
  };
  bool plugged() const { return fault() != BusFault::kUnplugged; }
  bool gone();
  void freeze();
  void advance(std::int64_t to_ns);
  void answer(std::vector<std::uint8_t> bytes);

  FalconEmulator& device_;
  std::int64_t now_ns_ = 1'000'000'000;
  std::vector<Fault> faults_;
  std::deque<Coming> inbox_;
  std::function<void()> tick_;
  std::int64_t period_ns_ = 0, next_tick_ns_ = 0;
  bool open_ = false, broken_ = false, ticking_ = false;
  int resets_ = 0, opens_ = 0;
};

}  // namespace haptic
