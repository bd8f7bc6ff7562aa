#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "shared/realtime.h"

namespace haptic {

/// Faults that a simulated device can reproduce.
enum class DeviceFaultKind : std::uint8_t {
  kJump,         ///< the position reading is off by `size` m along x
  kStuck,        ///< the reading does not change
  kDisconnect,   ///< nothing answers and no force acts
  kNan,          ///< the position reads as not a number
  kEio,          ///< outputs are refused: the last one keeps acting
  kLate,         ///< an exchange takes `size` s
  kStop,         ///< the stop input is active
  kUnhomed,      ///< the reference of the encoders is lost
  kHot,          ///< a winding is too warm: no force acts
  kDiscrepancy,  ///< the stop input's two channels disagree
  kOld,          ///< a reading is stamped `size` s in the past
  kStall,        ///< what is sent does not reach the motors, the last force keeps acting
  kButton,       ///< the hand releases the enable button
};
inline constexpr std::array<std::string_view, 13> kDeviceFaultNames = {
    "jump",    "stuck", "disconnect",  "nan", "eio",   "late",  "stop",
    "unhomed", "hot",   "discrepancy", "old", "stall", "button"};
inline constexpr std::size_t kDeviceFaultKinds = kDeviceFaultNames.size();

struct DeviceFault {
  static constexpr double kMaxValue = 1e6;  ///< of each number; keeps counts of exchanges exact
  DeviceFaultKind kind = DeviceFaultKind::kJump;
  double at = 0.0;     ///< s since the first exchange, >= 0
  double lasts = 0.0;  ///< s, >= 0; at least the one exchange at `at`
  double size = 0.0;   ///< of a jump [m], of a delay or an age [s]; else 0
  bool operator==(const DeviceFault&) const = default;
};

/// Determines which faults act in which exchange.
class FaultScript {
 public:
  FaultScript() = default;
  /// @param rate_hz exchanges per second @throws InputError for a time or size out of range
  FaultScript(std::vector<DeviceFault> faults, double rate_hz);

  /// Advances to `exchange`, counted from 0 and never backwards.
  void advance(std::uint64_t exchange) HAPTIC_REALTIME;
  /// The fault of `kind` that acts now, or nullptr; of several the one that began last.
  const DeviceFault* active(DeviceFaultKind kind) const HAPTIC_REALTIME {
    const std::size_t entry = active_[static_cast<std::size_t>(kind)];
    return entry < entries_.size() ? &entries_[entry].fault : nullptr;
  }
  bool empty() const { return entries_.empty(); }

 private:
  struct Entry {
    DeviceFault fault;
    std::uint64_t begin, end;  // exchanges, end excluded
  };
  std::vector<Entry> entries_;  // by begin
  std::size_t next_ = 0;
  static constexpr std::size_t kNone = ~std::size_t{0};
  std::array<std::size_t, kDeviceFaultKinds> active_ = filled_with_none();  // index into entries_

  static constexpr std::array<std::size_t, kDeviceFaultKinds> filled_with_none() {
    std::array<std::size_t, kDeviceFaultKinds> none{};
    none.fill(kNone);
    return none;
  }
};

}  // namespace haptic
