#pragma once

#include <cstdint>
#include <vector>

#include "host/log/log_reader.h"
#include "rt/device/device.h"
#include "shared/ipc/servo_state.h"

namespace haptic {

/// The hand in every row.
class LoggedHand {
 public:
  explicit LoggedHand(const LogReader& log)
      : p_(log.column("/samples/device_position_m")),
        q_(log.column("/samples/device_orientation_wxyz")),
        v_(log.column("/samples/device_velocity_m_s")),
        w_(log.column("/samples/device_angular_velocity_rad_s")),
        buttons_(log.column("/samples/buttons")) {}

  DeviceState at(std::uint64_t row) const {
    DeviceState hand;
    hand.pose.position = Vector3(&p_[3 * row]);
    hand.pose.orientation =
        Quaternion(q_[4 * row], q_[4 * row + 1], q_[4 * row + 2], q_[4 * row + 3]);
    hand.twist.linear = Vector3(&v_[3 * row]);
    hand.twist.angular = Vector3(&w_[3 * row]);
    hand.buttons = static_cast<std::uint32_t>(buttons_[row]);
    return hand;
  }

 private:
  std::vector<double> p_, q_, v_, w_, buttons_;
};

/// State and fault of the servo in every row.
class LoggedServo {
 public:
  explicit LoggedServo(const LogReader& log)
      : state_(log.column("/samples/state")), fault_(log.column("/samples/fault")) {}

  /// The servo resets the world when the device has found its reference pose.
  bool ends_homing(std::uint64_t row) const {
    return row > 0 && is(state_[row - 1], ServoState::kHoming) &&
           !is(state_[row], ServoState::kHoming) && !is(state_[row], ServoState::kFault);
  }
  bool has_fault(std::uint64_t row) const { return fault_[row] != 0.0; }
  /// Whether the world failed for the first time since the last reset, as far as the log says: a
  /// fault that is latched already hides others.
  bool latches_fault_of_world(std::uint64_t row) const {
    if (row > 0 && fault_[row - 1] == fault_[row]) return false;
    return is(fault_[row], FaultKind::kWorldDiverged) ||
           is(fault_[row], FaultKind::kWorldNotFinite) ||
           is(fault_[row], FaultKind::kWorldCapacity);
  }

 private:
  template <class Kind>
  static bool is(double value, Kind kind) {
    return value == static_cast<double>(kind);
  }
  std::vector<double> state_, fault_;
};

}  // namespace haptic
