#pragma once

#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rt/device/comedi/arm_device.h"
#include "rt/device/comedi/open_comedi_arm.h"
#include "tests/rt/device/comedi/fake_arm_board.h"
#include "tests/rt/device/comedi/stepped_clock.h"

namespace haptic {

inline constexpr double kRate = 1000.0;
inline constexpr std::int64_t kPeriod_ns = 1'000'000;
inline constexpr std::uint64_t kForEver = std::numeric_limits<std::uint64_t>::max();
inline constexpr std::uint64_t kHoming = 600;  // exchanges: hold_s = 0.5 s and some

/// As shipped, but on a board that counts every edge; the 626 of the manifest counts one in four.
inline ComediArm woodenhaptics() {
  ComediArm read =
      read_comedi_arm(load_manifest(std::string(HAPTIC_FIRMWARE_CONFIG) + "/woodenhaptics.toml"));
  for (ArmAxis& axis : read.arm.axes) axis.counts_per_turn *= 4.0;
  return read;
}

/// A WoodenHaptics arm on the fake board, driven as the servo does.
struct Rig {
  explicit Rig(ComediArm description = woodenhaptics(), std::vector<double> start = {},
               unsigned bits = 24, std::uint32_t first = 0,
               std::optional<std::vector<std::uint32_t>> counts = {})
      : read(std::move(description)) {
    if (start.empty()) start = read.arm.calibration_pose;
    auto made = std::make_unique<FakeArmBoard>(read.arm, 1.0 / kRate, start, bits, first);
    board = made.get();
    device =
        std::make_unique<ArmDevice>(read.arm, read.board, std::move(made), kRate, counts, &clock);
  }

  /// Gravity, and a hand that pushes (device frame).
  double hand(std::size_t axis, const std::array<double, kMaxArmAxes>& q) const {
    SerialLink::Placement at;
    SerialLink(read.arm.link).place({q.data(), read.arm.axes.size()}, at);
    const auto column = static_cast<Eigen::Index>(axis);
    const Vector3 f = read.arm.orientation * push;
    return at.jacobian.col(column).head<3>().dot(f) - at.gravity[column];
  }

  /// One cycle; after a bad sense the servo sends nothing and disables.
  DeviceStatus cycle(const Wrench& wrench, bool enabled, std::int64_t after_ns = kPeriod_ns) {
    clock.now += after_ns;
    const DeviceStatus sensed = device->sense(state);
    const bool good = sensed == DeviceStatus::kOk;
    device->set_enabled(enabled && good);
    const DeviceStatus sent = device->actuate(good && enabled ? wrench : Wrench{});
    return good ? sent : sensed;
  }

  /// Gravity pulls from now on, and the hand.
  void release() {
    board->hand = [this](std::size_t axis, const auto& q) { return hand(axis, q); };
  }

  void home() {  // pinned in its calibration pose
    device->home();
    for (std::uint64_t k = 0; k < kHoming; ++k) ASSERT_EQ(cycle({}, false), DeviceStatus::kOk);
    ASSERT_TRUE(state.homed);
    release();
  }

  /// A spring that pulls the handle to the device frame's `goal`.
  Wrench spring(double stiffness, double damping, const Vector3& goal = Vector3::Zero()) const {
    return {stiffness * (goal - state.pose.position) - damping * state.twist.linear,
            Vector3::Zero()};
  }

  SteppedClock clock;
  ComediArm read;
  FakeArmBoard* board = nullptr;
  std::unique_ptr<ArmDevice> device;
  DeviceState state;
  Vector3 push = Vector3::Zero();
};

}  // namespace haptic
