#include <gtest/gtest.h>

#include <cstddef>
#include <limits>
#include <random>
#include <string>

#include "rt/device/external/external_device.h"
#include "tests/rt/device/external/external_rig.h"

namespace haptic {
namespace {

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Garbage {
  const char* what;
  void (*spoil)(ExternalRig&);
  LinkFinding finding;
  DeviceStatus status;
};

class ExternalDeviceGarbage : public ::testing::TestWithParam<Garbage> {};

TEST_P(ExternalDeviceGarbage, is_a_fault_with_a_name_and_can_be_reset) {
  ExternalRig rig(six_freedoms());
  rig.start();
  GetParam().spoil(rig);
  EXPECT_EQ(rig.cycle(), GetParam().status);
  EXPECT_EQ(rig.state.last.load(), GetParam().finding);
  EXPECT_EQ(rig.state.refused.load(), 1u);
  EXPECT_FALSE(rig.apply());
  rig.connect(11);
  rig.pose = {};
  rig.pose.orientation[0] = 1.0;
  rig.pose.flags = HAPTIC_LINK_HOMED;
  rig.device.restart();
  EXPECT_EQ(rig.run(3), DeviceStatus::kOk);
  EXPECT_TRUE(rig.heard.homed);
}

const Garbage kGarbage[] = {
    {"nan",
     [](ExternalRig& r) {
       r.pose.position[1] = kNotANumber;
       r.publish();
     },
     LinkFinding::kNotFinite, DeviceStatus::kBadValue},
    {"absurd",
     [](ExternalRig& r) {
       r.pose.position[0] = 1e30;
       r.publish();
     },
     LinkFinding::kNotFinite, DeviceStatus::kBadValue},
    {"infinite_velocity",
     [](ExternalRig& r) {
       r.pose.velocity[0] = -kInfinity;
       r.publish();
     },
     LinkFinding::kNotFinite, DeviceStatus::kBadValue},
    {"nan_spin",
     [](ExternalRig& r) {
       r.pose.angular_velocity[0] = kNotANumber;
       r.publish();
     },
     LinkFinding::kNotFinite, DeviceStatus::kBadValue},
    {"quaternion",
     [](ExternalRig& r) {
       r.pose.orientation[0] = 1.01;
       r.publish();
     },
     LinkFinding::kQuaternion, DeviceStatus::kBadValue},
    {"zero_quaternion",
     [](ExternalRig& r) {
       r.pose.orientation[0] = 0.0;
       r.publish();
     },
     LinkFinding::kQuaternion, DeviceStatus::kBadValue},
    {"jump",
     [](ExternalRig& r) {
       r.pose.position[0] = 0.03;
       r.publish();
     },
     LinkFinding::kJump, DeviceStatus::kImplausible},
    {"turn",
     [](ExternalRig& r) {
       r.pose.orientation[0] = 0.0;
       r.pose.orientation[1] = 1.0;
       r.publish();
     },
     LinkFinding::kJump, DeviceStatus::kImplausible},
    {"future",
     [](ExternalRig& r) {
       r.pose.time_ns = r.clock.now + 2'000'000;  // the cycle is 1 ms later
       haptic_link_publish(&r.adapter, &r.pose);
     },
     LinkFinding::kFuture, DeviceStatus::kBadValue},
    {"time_back",
     [](ExternalRig& r) {
       r.pose.time_ns -= 3'000'000;
       haptic_link_publish(&r.adapter, &r.pose);
     },
     LinkFinding::kBackwards, DeviceStatus::kBadValue},
    {"sequence_back",
     [](ExternalRig& r) {
       r.adapter.sequence -= 3;
       r.publish();
     },
     LinkFinding::kBackwards, DeviceStatus::kBadValue},
    {"foreign",
     [](ExternalRig& r) {
       r.memory->instance = r.adapter.instance = 99;
       r.publish();
     },
     LinkFinding::kForeign, DeviceStatus::kBadValue},
};
INSTANTIATE_TEST_SUITE_P(Records, ExternalDeviceGarbage, ::testing::ValuesIn(kGarbage),
                         [](const auto& test) { return std::string(test.param.what); });

TEST(ExternalDeviceMemory, any_bits_in_the_memory_give_a_status_and_zero_or_finite_values) {
  std::mt19937_64 random(20261127);
  for (int trial = 0; trial < 2000; ++trial) {
    ExternalRig rig(six_freedoms());
    rig.start();
    auto* words = reinterpret_cast<std::uint64_t*>(&rig.memory->newest_pose);
    const std::size_t count =
        (sizeof(haptic_link_memory) - offsetof(haptic_link_memory, newest_pose)) / 8;
    for (int i = 0; i < 40; ++i) words[random() % count] = trial % 2 ? random() : random() % 16;
    for (int i = 0; i < 15; ++i) {
      rig.cycle();
      ASSERT_TRUE(is_finite(rig.heard.pose));
      ASSERT_TRUE(rig.heard.twist.linear.allFinite() && rig.heard.twist.angular.allFinite());
    }
    ASSERT_FALSE(rig.engaged);  // nobody published: stale, or refused before
  }
}

}  // namespace
}  // namespace haptic
