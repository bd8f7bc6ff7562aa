#include "host/log/log_columns.h"

#include <array>

namespace haptic {
namespace {

constexpr std::size_t kPosition = offsetof(PoseRecord, position_m);
constexpr std::size_t kOrientation = offsetof(PoseRecord, orientation_wxyz);
constexpr std::size_t kForce = offsetof(WrenchRecord, force_N);
constexpr std::size_t kTorque = offsetof(WrenchRecord, torque_Nm);

using enum ColumnType;
#define AT(field) offsetof(SampleRecord, field)

constexpr std::array kSampleColumns = {
    LogColumn{"/samples/cycle", "1", "exchanges with the device before this one", kUint64, 1,
              AT(cycle)},
    LogColumn{"/samples/state", "1", "0 starting, 1 homing, 2 idle, 3 engaged, 4 fault, 5 stopping",
              kUint32, 1, AT(state)},
    LogColumn{"/samples/fault", "1", "why the fault is latched, 0 none", kUint32, 1, AT(fault)},
    LogColumn{"/samples/buttons", "1", "bit per button", kUint32, 1, AT(buttons)},
    LogColumn{"/samples/limited", "1",
              "limits that cut the wrench: 1 force, 2 torque, 4 slew, 8 ramp, 16 power", kUint32, 1,
              AT(limited)},
    LogColumn{"/samples/device_position_m", "m", "hand, device frame", kFloat64, 3,
              AT(device_pose) + kPosition},
    LogColumn{"/samples/device_orientation_wxyz", "1", "hand, device frame", kFloat64, 4,
              AT(device_pose) + kOrientation},
    LogColumn{"/samples/device_velocity_m_s", "m/s", "hand, device frame", kFloat64, 3,
              AT(device_twist) + offsetof(TwistRecord, linear_m_s)},
    LogColumn{"/samples/device_angular_velocity_rad_s", "rad/s", "hand, device frame", kFloat64, 3,
              AT(device_twist) + offsetof(TwistRecord, angular_rad_s)},
    LogColumn{"/samples/manipulandum_position_m", "m", "hand scaled into the world", kFloat64, 3,
              AT(manipulandum_pose) + kPosition},
    LogColumn{"/samples/manipulandum_orientation_wxyz", "1", "hand in the world", kFloat64, 4,
              AT(manipulandum_pose) + kOrientation},
    LogColumn{"/samples/held_position_m", "m", "simulated object in the hand, world", kFloat64, 3,
              AT(held_pose) + kPosition},
    LogColumn{"/samples/held_orientation_wxyz", "1", "simulated object in the hand, world",
              kFloat64, 4, AT(held_pose) + kOrientation},
    LogColumn{"/samples/device_force_N", "N", "commanded, after every limit, on the hand", kFloat64,
              3, AT(device_wrench) + kForce},
    LogColumn{"/samples/device_torque_Nm", "N m", "commanded, after every limit, on the hand",
              kFloat64, 3, AT(device_wrench) + kTorque},
    LogColumn{"/samples/wanted_force_N", "N", "of the world, before ramp and limits, on the hand",
              kFloat64, 3, AT(wanted_wrench) + kForce},
    LogColumn{"/samples/wanted_torque_Nm", "N m",
              "of the world, before ramp and limits, on the hand", kFloat64, 3,
              AT(wanted_wrench) + kTorque},
    LogColumn{"/samples/contact_force_N", "N", "on the held body, world", kFloat64, 3,
              AT(contact_wrench) + kForce},
    LogColumn{"/samples/contact_torque_Nm", "N m", "on the held body about its grasp, world",
              kFloat64, 3, AT(contact_wrench) + kTorque},
    LogColumn{"/samples/ramp", "1", "force scale, 0 to 1", kFloat64, 1, AT(ramp)},
    LogColumn{"/samples/port_energy_J", "J",
              "taken by the hand's side since engaging, by the passivity observer", kFloat64, 1,
              AT(port_energy_J)},
    LogColumn{"/samples/port_damping_N_s_m", "N s/m", "added by the passivity controller", kFloat64,
              1, AT(port_damping_N_s_m)},
    LogColumn{"/samples/port_damping_Nm_s", "N m s/rad", "added by the passivity controller",
              kFloat64, 1, AT(port_damping_Nm_s)},
    LogColumn{"/samples/world_step", "1", "steps of the world up to the state rendered", kUint64, 1,
              AT(world_step)},
    LogColumn{"/samples/world_hand_age", "1",
              "cycles since the hand of the newest world steps, the newest step first", kUint32, 3,
              AT(world_hand_age), true},
};

constexpr std::array kTimingColumns = {
    LogColumn{"/timing/scheduled_ns", "ns", "deadline of the cycle's slot, CLOCK_MONOTONIC", kInt64,
              1, AT(scheduled_ns)},
    LogColumn{"/timing/missed", "1", "slots skipped since the start", kUint64, 1, AT(missed)},
    LogColumn{"/timing/wake_ns", "ns", "wake-up latency", kInt64, 1, AT(wake_ns)},
    LogColumn{"/timing/sense_ns", "ns", "reading the device", kInt64, 1, AT(sense_ns)},
    LogColumn{"/timing/couple_ns", "ns", "virtual coupling", kInt64, 1, AT(couple_ns)},
    LogColumn{"/timing/touch_ns", "ns", "contact", kInt64, 1, AT(touch_ns)},
    LogColumn{"/timing/move_ns", "ns", "solve and dynamics", kInt64, 1, AT(move_ns)},
    LogColumn{"/timing/feel_ns", "ns", "limits and device output", kInt64, 1, AT(feel_ns)},
    LogColumn{"/timing/publish_ns", "ns", "telemetry, of the cycle before", kInt64, 1,
              AT(publish_ns)},
    LogColumn{"/timing/world_age_ns", "ns", "of the world's state when it was rendered", kInt64, 1,
              AT(world_age_ns)},
    LogColumn{"/timing/total_ns", "ns", "whole cycle", kInt64, 1, AT(total_ns)},
};
#undef AT

}  // namespace

std::span<const LogColumn> sample_columns() {
  return kSampleColumns;
}
std::span<const LogColumn> timing_columns() {
  return kTimingColumns;
}

}  // namespace haptic
