#include "rt/device/device_limits.h"

#include <string_view>
#include <utility>

namespace haptic {
namespace {

using L = DeviceLimits;

DeclaredKey<L> limit(std::string_view name, double L::*member, std::string_view unit,
                     std::string_view meaning) {
  return key(name, member, NumberRange::positive(unit), meaning);
}

KeySchema<L> make_keys(LimitsNeeded needed) {
  const auto of_force = [needed](DeclaredKey<L> key) {
    constexpr const char* kWords = "no limit; required for a device with motors";
    if (needed == LimitsNeeded::kNone) return std::move(key).absent(kWords);
    return std::move(key).required(kWords);
  };
  const auto of_torque = [needed](DeclaredKey<L> key) {
    constexpr const char* kWords = "no limit; required for a device with a torque";
    if (needed != LimitsNeeded::kForceTorque) return std::move(key).absent(kWords);
    return std::move(key).required(kWords);
  };
  return KeySchema<L>({
      of_force(limit("speed", &L::speed, "m/s",
                     "Largest speed of an engaged hand; a higher one is a fault.")),
      of_torque(limit("angular_speed", &L::angular_speed, "rad/s",
                      "Largest angular speed of an engaged hand; a higher one is a fault.")),
      of_force(limit("reach", &L::reach, "m",
                     "Largest distance of an engaged hand from the origin; beyond it is a fault.")),
      of_force(
          limit("slew_N_per_s", &L::slew_N_per_s, "N/s", "Largest rate of change of the force.")),
      of_torque(limit("torque_slew_Nm_per_s", &L::torque_slew_Nm_per_s, "N·m/s",
                      "Largest rate of change of the torque.")),
      of_force(limit("power", &L::power, "W", "Largest power into the hand.")),
      of_force(limit("impulse", &L::impulse, "N·s",
                     "Largest integral of the force's magnitude within impulse_window_s; more is a "
                     "fault.")),
      key("impulse_window_s", &L::impulse_window_s, NumberRange::between(0.01, 60.0, "s"),
          "Window of impulse."),
  });
}

}  // namespace

const KeySchema<DeviceLimits>& device_limit_keys(LimitsNeeded needed) {
  static const KeySchema<L> none = make_keys(LimitsNeeded::kNone);
  static const KeySchema<L> force = make_keys(LimitsNeeded::kForce);
  static const KeySchema<L> torque = make_keys(LimitsNeeded::kForceTorque);
  switch (needed) {
    case LimitsNeeded::kForce:
      return force;
    case LimitsNeeded::kForceTorque:
      return torque;
    case LimitsNeeded::kNone:
      break;
  }
  return none;
}

}  // namespace haptic
