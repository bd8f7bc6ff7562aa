#include "rt/device/fault_script.h"

#include <gtest/gtest.h>

#include <cmath>

#include "rt/device/simulated_settings.h"
#include "shared/error.h"
#include "tests/support/no_allocation.h"

namespace haptic {
namespace {

using enum DeviceFaultKind;

class PassingClock final : public Clock {
 public:
  std::int64_t now_ns() const HAPTIC_REALTIME override { return now; }
  void sleep_until(std::int64_t deadline_ns) override { now = deadline_ns; }
  std::int64_t now = 0;
};

SimulatedSettings settings_of(const std::string& text) {
  const TomlDocument document = TomlDocument::parse(text, "device.toml");
  const TomlTable root = document.root();
  SimulatedSettings settings = read_simulated(root);
  root.finish();
  return settings;
}

SimulatedDevice device_with(std::vector<DeviceFault> faults, HandleWatch watch = {}) {
  return SimulatedDevice(HandScript(), 1000.0, {}, {}, {{}, watch, std::move(faults)});
}

TEST(FaultScript, every_fault_acts_in_its_exchanges_and_in_no_other) {
  FaultScript script({{kStuck, 0.005, 0.003}, {kJump, 0.002, 0.0, 0.1}, {kStuck, 0.007, 0.002}},
                     1000.0);
  for (std::uint64_t k = 0; k < 20; ++k) {
    script.advance(k);
    EXPECT_EQ(script.active(kJump) != nullptr, k == 2) << k;
    EXPECT_EQ(script.active(kStuck) != nullptr, k >= 5 && k < 9) << k;
    EXPECT_EQ(script.active(kNan), nullptr);
  }
}

TEST(FaultScript, refuses_invalid_entries) {
  const SimulatedSettings settings = settings_of(
      "saturation = 4\ndelay = 0.002\nwatch_speed = 5\n"
      "faults = [{ kind = \"jump\", at = 2.0, lasts = 0.01, size = -0.03 },\n"
      "          { kind = \"eio\", at = 3.0 }]\n");
  EXPECT_EQ(settings.hardware.amplifier.saturation, 4.0);
  EXPECT_EQ(settings.hardware.amplifier.delay_s, 0.002);
  EXPECT_EQ(settings.hardware.watch.speed, 5.0);
  ASSERT_EQ(settings.hardware.faults.size(), 2u);
  EXPECT_EQ(settings.hardware.faults[0].kind, kJump);
  EXPECT_EQ(settings.hardware.faults[0].at, 2.0);
  EXPECT_EQ(settings.hardware.faults[0].lasts, 0.01);
  EXPECT_EQ(settings.hardware.faults[0].size, -0.03);
  EXPECT_EQ(settings.hardware.faults[1].kind, kEio);
  for (const char* bad :
       {"faults = [{ kind = \"explode\", at = 1 }]", "faults = [{ kind = \"nan\" }]",
        "faults = [{ kind = \"nan\", at = -1 }]", "faults = [{ kind = \"jump\", at = 1 }]",
        "faults = [{ kind = \"nan\", at = 1, size = 1 }]",
        "faults = [{ kind = \"late\", at = 1, size = -1 }]",
        "faults = [{ kind = \"old\", at = 1 }]",
        "faults = [{ kind = \"stall\", at = 1, size = 1 }]",
        "faults = [{ kind = \"nan\", at = 1, length = 1 }]", "saturation = 0", "delay = -1",
        "watch_speed = 0"}) {
    EXPECT_THROW(settings_of(bad), InputError) << bad;
  }
  EXPECT_THROW(FaultScript({{kNan, std::nan(""), 0.0}}, 1000.0), InputError);
}

TEST(FaultyDevice, jump_and_stuck_reach_the_reading) {
  SimulatedDevice device = device_with({{kJump, 0.003, 0.002, 0.05}, {kStuck, 0.004, 0.004}});
  DeviceState state;
  const double expected[] = {0, 0, 0, 0.05, 0.05, 0.05, 0.05, 0.05, 0, 0};  // stuck at the jump
  for (const double x : expected) {
    ASSERT_EQ(device.sense(state), DeviceStatus::kOk);
    EXPECT_EQ(state.pose.position.x(), x);
    ASSERT_EQ(device.actuate(Wrench{}), DeviceStatus::kOk);
  }
}

TEST(FaultyDevice, a_monitored_handle_reports_a_jump_and_a_dead_encoder) {
  SimulatedDevice jumps = device_with({{kJump, 0.003, 0.002, 0.05}}, {.speed = 5.0});
  DeviceState state;
  for (int k = 0; k < 10; ++k) {
    // There and back again, each 50 mm where 5 mm are possible.
    EXPECT_EQ(jumps.sense(state),
              k == 3 || k == 5 ? DeviceStatus::kImplausible : DeviceStatus::kOk);
  }
  SimulatedDevice dead =
      device_with({{kStuck, 0.010, 1.0}}, {.stuck_s = 0.0205, .stuck_torque = 1.0});
  for (int k = 0; k < 100; ++k) {
    // The hand of this device never moves: only the force makes that suspicious.
    const DeviceStatus expected = k > 50 + 20 ? DeviceStatus::kImplausible : DeviceStatus::kOk;
    EXPECT_EQ(dead.sense(state), expected) << k;
    ASSERT_EQ(dead.actuate({{0.0, k < 50 ? 0.5 : 1.5, 0.0}, Vector3::Zero()}), DeviceStatus::kOk);
  }
}

TEST(FaultyDevice, a_lost_device_neither_answers_nor_exerts_force) {
  SimulatedDevice device = device_with({{kDisconnect, 0.002, 0.002}});
  DeviceState state;
  for (int k = 0; k < 6; ++k) {
    const bool lost = k == 2 || k == 3;
    const DeviceStatus expected = lost ? DeviceStatus::kDisconnected : DeviceStatus::kOk;
    EXPECT_EQ(device.sense(state), expected);
    if (lost) {
      EXPECT_EQ(device.felt().force, Vector3::Zero());
    }
    EXPECT_EQ(device.actuate({{1.0, 0.0, 0.0}, Vector3::Zero()}), expected);
  }
  EXPECT_EQ(device.felt().force.x(), 1.0);
}

TEST(FaultyDevice, a_refused_output_keeps_acting_until_the_enable_line_drops) {
  SimulatedDevice device = device_with({{kEio, 0.001, 1.0}});
  DeviceState state;
  ASSERT_EQ(device.sense(state), DeviceStatus::kOk);
  ASSERT_EQ(device.actuate({{2.0, 0.0, 0.0}, Vector3::Zero()}), DeviceStatus::kOk);
  ASSERT_EQ(device.sense(state), DeviceStatus::kOk);
  EXPECT_EQ(device.actuate(Wrench{}), DeviceStatus::kDisconnected);
  EXPECT_EQ(device.felt().force.x(), 2.0);
  device.set_enabled(false);
  EXPECT_EQ(device.felt().force.x(), 0.0);
}

TEST(FaultyDevice, stop_unhomed_nan_and_late) {
  SimulatedDevice device = device_with(
      {{kStop, 0.001, 0.0}, {kUnhomed, 0.002, 0.0}, {kNan, 0.003, 0.0}, {kLate, 0.004, 0.0, 0.05}});
  PassingClock clock;
  device.set_clock(clock);
  DeviceState state;
  for (int k = 0; k < 7; ++k) {
    EXPECT_EQ(device.sense(state), DeviceStatus::kOk);
    EXPECT_EQ(state.emergency_stop, k == 1);
    EXPECT_EQ(state.homed, k != 2);
    EXPECT_EQ(std::isnan(state.pose.position.y()), k == 3);
    EXPECT_EQ(clock.now, k < 4 ? 0 : 50'000'000);
  }
}

TEST(FaultyDevice, stop_channels_that_disagree_and_old_readings) {
  SimulatedDevice device = device_with({{kDiscrepancy, 0.001, 0.002}, {kOld, 0.004, 0.002, 0.03}});
  PassingClock clock;
  clock.now = 5'000'000'000;
  DeviceState state;
  const auto run = [&] {
    for (int k = 0; k < 8; ++k) {
      EXPECT_EQ(device.sense(state), DeviceStatus::kOk);
      EXPECT_EQ(state.stop_channels_disagree, k == 1 || k == 2) << k;
      EXPECT_EQ(state.taken_ns, k == 4 || k == 5 ? 4'970'000'000 : 0) << k;
      EXPECT_FALSE(state.emergency_stop);
    }
  };
  device.set_clock(clock);
  run();
  SimulatedDevice offline = device_with({{kOld, 0.001, 1.0, 0.03}});  // it has no clock
  for (int k = 0; k < 5; ++k) {
    EXPECT_EQ(offline.sense(state), DeviceStatus::kOk);
    EXPECT_EQ(state.taken_ns, 0);
  }
}

TEST(FaultyDevice, a_stalled_device_accepts_outputs_without_effect) {
  SimulatedDevice device = device_with({{kStall, 0.002, 0.003}});
  DeviceState state;
  for (int k = 0; k < 7; ++k) {
    const bool stalled = k >= 2 && k < 5;
    EXPECT_EQ(device.sense(state), DeviceStatus::kOk);
    EXPECT_EQ(device.reaches_motors(), !stalled) << k;
    device.set_enabled(k < 3 || k > 5);
    EXPECT_EQ(device.actuate({{1.0 + k, 0.0, 0.0}, Vector3::Zero()}), DeviceStatus::kOk);
    // What was sent last keeps acting, whatever is enabled, until something reaches it again.
    const double felt[] = {1, 2, 2, 2, 2, 0, 7};
    EXPECT_EQ(device.felt().force.x(), felt[k]) << k;
  }
}

TEST(FaultyDevice, a_hot_winding_exerts_no_force_and_is_reported) {
  SimulatedDevice device = device_with({{kHot, 0.002, 0.002}});
  DeviceState state;
  for (int k = 0; k < 6; ++k) {
    const bool hot = k == 2 || k == 3;
    EXPECT_EQ(device.sense(state), DeviceStatus::kOk);  // the pose is as good as ever
    EXPECT_EQ(device.actuate({{1.0, 0.0, 0.0}, Vector3::Zero()}),
              hot ? DeviceStatus::kOverheated : DeviceStatus::kOk);
    EXPECT_EQ(device.felt().force.x(), hot ? 0.0 : 1.0);
  }
}

TEST(SimulatedAmplifier, saturates_each_axis_and_delays_by_whole_exchanges) {
  SimulatedDevice device(HandScript(), 1000.0, {}, {}, {{4.0, 0.003}, {}, {}});
  DeviceState state;
  const double felt[] = {0, 0, 0, 4, -2, 4, 4};
  const double sent[] = {10, -2, 10, 10, 10, 10, 10};
  for (int k = 0; k < 7; ++k) {
    ASSERT_EQ(device.sense(state), DeviceStatus::kOk);
    ASSERT_EQ(device.actuate({{sent[k], 0.0, 0.0}, {0.0, 1.0, 0.0}}), DeviceStatus::kOk);
    EXPECT_EQ(device.felt().force.x(), felt[k]) << k;
  }
  EXPECT_NEAR(device.felt().torque.y(), 4.0 * kHandGyrationRadius, 1e-15);
  device.set_enabled(false);
  EXPECT_EQ(device.felt().force.x(), 0.0);
  device.set_enabled(true);
  ASSERT_EQ(device.actuate({{1.0, 0.0, 0.0}, Vector3::Zero()}), DeviceStatus::kOk);
  EXPECT_EQ(device.felt().force.x(), 0.0);  // nothing of before comes out of the delay
}

TEST(FaultyDevice, no_fault_allocates) {
  std::vector<DeviceFault> faults;
  for (std::size_t kind = 0; kind < kDeviceFaultKinds; ++kind) {
    faults.push_back(
        {static_cast<DeviceFaultKind>(kind), 0.01 * static_cast<double>(kind), 0.01, 0.0});
  }
  SimulatedDevice device = device_with(faults);
  DeviceState state;
  int failures = 0;
  {
    const NoAllocation guard;
    for (int k = 0; k < 100; ++k) {
      failures += device.sense(state) != DeviceStatus::kOk;
      failures += device.actuate(Wrench{}) != DeviceStatus::kOk;
    }
  }
  EXPECT_EQ(failures, 10 + 10 + 10 + 10);  // disconnect on both ways, eio and hot on one
}

}  // namespace
}  // namespace haptic
