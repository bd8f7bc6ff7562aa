#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>

#include "rt/device/device.h"
#include "rt/device/exchange_timer.h"
#include "rt/device/external/external_settings.h"
#include "shared/ipc/external_link.h"

namespace haptic {

/// Why a record of the adapter was refused, or not there.
enum class LinkFinding : std::uint8_t {
  kNone,
  kTorn,        ///< the adapter wrote during every attempt to read; the last pose is kept
  kForeign,     ///< written by another instance than the one that is connected
  kBackwards,   ///< sequence or time went back
  kFuture,      ///< measured later than now
  kNotFinite,   ///< a value is NaN, infinite or absurdly large
  kQuaternion,  ///< not a unit quaternion
  kJump,        ///< moved further than the device's speed limit permits, by far
  kStale,       ///< the newest pose is too old
  kError,       ///< the adapter reports an error of the vendor's library
};
inline constexpr std::array<std::string_view, 10> kLinkFindingNames = {
    "none",
    "torn record",
    "record of another adapter",
    "sequence or time went back",
    "record from the future",
    "value not finite",
    "not a unit quaternion",
    "pose jumped",
    "pose too old",
    "vendor's library reports an error"};

/// What the loop tells the thread of the link, and the other way round. Single words.
struct LinkState {
  std::atomic<std::uint64_t> instance{0};  ///< of the connected adapter; 0: none. By the thread
  std::atomic<LinkFinding> last{LinkFinding::kNone};  ///< newest finding. By the loop
  std::atomic<std::uint64_t> refused{0};              ///< records refused. By the loop
  std::atomic<std::uint64_t> torn{0};                 ///< cycles without a whole record
  std::atomic<std::uint64_t> skipped{0};              ///< records between two cycles, not read
  std::atomic<bool> hung{false};  ///< stale while a force may act: the adapter does not answer
};

/// The servo's side of an external device. Only loads and stores of shared memory.
///
/// Without an adapter the device is not homed. What the adapter writes is checked before use, each
/// record in full; a record that is refused is kBadValue (a jump kImplausible). An adapter that
/// leaves, or is replaced, while the device is enabled is kDisconnected; a pose older than
/// max_age_s is kStale then, and "not homed" otherwise. Once hapticd-guard has demanded zero, which
/// is for good, the device's emergency stop is pressed.
class ExternalDevice final : public Device {
 public:
  /// @param memory,state  outlive the device @param clock  absent: CLOCK_MONOTONIC
  ExternalDevice(const ExternalSettings& settings, haptic_link_memory& memory, LinkState& state,
                 const Clock* clock = nullptr);

  const DeviceCapabilities& capabilities() const HAPTIC_REALTIME override { return capabilities_; }
  [[nodiscard]] DeviceStatus sense(DeviceState& state) HAPTIC_REALTIME override;
  void set_enabled(bool enabled) HAPTIC_REALTIME override { enabled_ = enabled; }
  void restart() HAPTIC_REALTIME override { forget(); }
  /// The adapter has not confirmed that the device took a zero wrench after the last other one.
  bool force_may_act() const HAPTIC_REALTIME override;
  [[nodiscard]] DeviceStatus actuate(const Wrench& wrench) HAPTIC_REALTIME override;

 private:
  void forget() HAPTIC_REALTIME;
  bool read(haptic_link_pose& record) HAPTIC_REALTIME;
  LinkFinding judge(const haptic_link_pose& record, std::int64_t now_ns) const HAPTIC_REALTIME;
  DeviceStatus refuse(LinkFinding finding) HAPTIC_REALTIME;
  void accept(const haptic_link_pose& record) HAPTIC_REALTIME;

  ExternalSettings settings_;
  DeviceCapabilities capabilities_;
  haptic_link_memory& memory_;
  LinkState& state_;
  DeviceTime time_;
  std::int64_t max_age_ns_;

  bool enabled_ = false;
  std::uint64_t instance_ = 0;
  bool have_ = false;          // newest_ is a pose of this instance
  haptic_link_pose newest_{};  // the last accepted record
  Pose pose_;
  std::uint64_t wrenches_ = 0;
};

}  // namespace haptic
