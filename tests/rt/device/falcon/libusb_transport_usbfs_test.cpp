// The whole driver, threads and real libusb included, against an emulated device behind the
// kernel's interface. Times are generous and nothing is asserted about them: only what happens.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <string>
#include <thread>

#include "rt/device/falcon/digest.h"
#include "rt/device/falcon/falcon_device.h"
#include "rt/device/falcon/falcon_outputs.h"
#include "rt/device/falcon/falcon_settings.h"
#include "rt/device/falcon/libusb_transport.h"
#include "rt/device/falcon/open_falcon.h"
#include "shared/error.h"
#include "tests/rt/device/falcon/libusb_memory.h"
#include "tests/rt/device/falcon/mock_usbfs.h"

namespace haptic {
namespace {

class Usbfs : public testing::Test {
 protected:
  Usbfs() {
    image_.resize(500);
    std::iota(image_.begin(), image_.end(), std::uint8_t{0xAA});
    image_[1] = 0x08;
    folder_ = std::filesystem::temp_directory_path() / ("falcon_usbfs_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / "image.bin", std::ios::binary)
        .write(reinterpret_cast<const char*>(image_.data()), std::ssize(image_));
    device_ = FalconEmulator(image_);
  }
  void SetUp() override {
    ASSERT_TRUE(umockdev_in_mock_environment())
        << "run it with LD_PRELOAD=libumockdev-preload.so.0";
  }
  ~Usbfs() override { std::filesystem::remove_all(folder_); }

  // The shipped manifest with this test's firmware and times.
  DeviceManifest manifest(const std::string& hash, int priority = 0) {
    std::ifstream file(std::filesystem::path(HAPTIC_SOURCE_DIR) / "firmware-config" /
                       "novint-falcon.toml");
    std::string text{std::istreambuf_iterator<char>(file), {}};
    const auto put = [&](const std::string& key, const std::string& value) {
      const std::size_t at = text.find(fmt::format("\n{} = ", key)) + key.size() + 4;
      text.replace(at, text.find('\n', at) - at, value);
    };
    put("file", fmt::format("\"{}\"", (folder_ / "image.bin").string()));
    put("size", "500");
    put("hash", fmt::format("\"sha256:{}\"", hash));
    put("priority", std::to_string(priority));
    put("reply_timeout_s", "0.2");
    put("hang_timeout_s", "1.0");
    put("command_timeout_s", "2.0");
    put("stale_s", "5.0");
    put("retry_s", "0.05");
    return parse_manifest(text, folder_ / "falcon.toml");
  }
  DeviceManifest manifest() { return manifest(sha256(image_)); }

  // Servo cycles until the device says `wanted`, homed or not.
  bool cycle_until(Device& falcon, DeviceStatus wanted, bool homed) {
    for (int k = 0; k < 20'000; ++k) {
      DeviceState state;
      const DeviceStatus status = falcon.sense(state);
      falcon.set_enabled(status == DeviceStatus::kOk);
      static_cast<void>(falcon.actuate({{0, 0, 2}, {0, 0, 0}}));
      if (status == wanted && state.homed == homed) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return false;
  }
  // Servo cycles until the device's motors pull.
  bool cycle_until_pulled(Device& falcon) {
    for (int k = 0; k < 20'000; ++k) {
      if (!cycle_until(falcon, DeviceStatus::kOk, true)) return false;
      if (motors() != std::array<std::int16_t, 3>{}) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return false;
  }
  std::array<std::int16_t, 3> motors() {
    return usb_.with_device([](FalconEmulator& device) { return device.motors(); });
  }
  void home(std::uint8_t bits = 0b111) {
    usb_.with_device([&](FalconEmulator& device) {
      device.encoders = {-300, -300, -300};
      device.homed = bits;
      return 0;
    });
  }
  std::string refusal(const DeviceManifest& m) {
    try {
      open_falcon(m, 1000.0);
    } catch (const std::exception& error) {
      return error.what();
    }
    return "opened";
  }

  std::vector<std::uint8_t> image_;
  std::filesystem::path folder_;
  FalconEmulator device_;
  MockUsbfs usb_{device_};
};

// What a process needs to run its threads under SCHED_FIFO is gone while this lives.
class NoRealtimeScheduling {
 public:
  NoRealtimeScheduling() {
    syscall(SYS_capget, &header_, before_);
    __user_cap_data_struct less[2] = {before_[0], before_[1]};
    less[0].effective &= ~(1U << CAP_SYS_NICE);
    syscall(SYS_capset, &header_, less);
    getrlimit(RLIMIT_RTPRIO, &limit_);
    const rlimit none{0, limit_.rlim_max};
    setrlimit(RLIMIT_RTPRIO, &none);
  }
  ~NoRealtimeScheduling() {
    setrlimit(RLIMIT_RTPRIO, &limit_);
    syscall(SYS_capset, &header_, before_);
  }
  NoRealtimeScheduling(const NoRealtimeScheduling&) = delete;
  NoRealtimeScheduling& operator=(const NoRealtimeScheduling&) = delete;

 private:
  __user_cap_header_struct header_{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct before_[2]{};
  rlimit limit_{};
};

TEST_F(Usbfs, an_io_thread_without_its_priority_is_reported_and_runs) {
  usb_.plug_in();
  const NoRealtimeScheduling refused;
  const auto falcon = open_falcon(manifest(sha256(image_), 85), 1000.0);
  ASSERT_EQ(falcon->shortcomings().size(), 1U);
  EXPECT_THAT(falcon->shortcomings().front(),
              testing::AllOf(testing::HasSubstr("I/O thread does not run under SCHED_FIFO 85"),
                             testing::HasSubstr("LimitRTPRIO")));
  EXPECT_TRUE(cycle_until(*falcon, DeviceStatus::kOk, false));
}

TEST_F(Usbfs, an_io_thread_that_asks_for_no_priority_lacks_none) {
  usb_.plug_in();
  EXPECT_TRUE(open_falcon(manifest(), 1000.0)->shortcomings().empty());
}

TEST_F(Usbfs, uploads_homes_and_pulls) {
  usb_.plug_in();
  const auto falcon = open_falcon(manifest(), 1000.0);
  EXPECT_EQ(usb_.with_device([](FalconEmulator& d) { return d.uploads(); }), 1);
  ASSERT_TRUE(cycle_until(*falcon, DeviceStatus::kOk, false));
  EXPECT_EQ(motors(), (std::array<std::int16_t, 3>{}));
  home();
  ASSERT_TRUE(cycle_until_pulled(*falcon));
  // Outwards on the axis: the same on each motor, negative units for positive torque.
  EXPECT_LT(motors()[0], -100);
  EXPECT_NEAR(motors()[1], motors()[0], 1);
  EXPECT_EQ(usb_.most_ins_in_flight(), 4U);
}

TEST_F(Usbfs, closing_leaves_the_motors_off_and_the_device_usable) {
  usb_.plug_in();
  for (int k = 0; k < 3; ++k) {
    const auto falcon = open_falcon(manifest(), 1000.0);
    home();
    ASSERT_TRUE(cycle_until_pulled(*falcon));
  }
  EXPECT_EQ(motors(), (std::array<std::int16_t, 3>{}));
  EXPECT_EQ(usb_.with_device([](FalconEmulator& d) { return d.uploads(); }), 1);
}

TEST_F(Usbfs, comes_back_after_being_unplugged) {
  usb_.plug_in();
  const auto falcon = open_falcon(manifest(), 1000.0);
  for (const int status : {-ESHUTDOWN, -EPROTO}) {
    home();
    ASSERT_TRUE(cycle_until_pulled(*falcon));
    usb_.unplug(status);
    ASSERT_TRUE(cycle_until(*falcon, DeviceStatus::kDisconnected, false)) << status;
    home(0);
    usb_.plug_in();
    ASSERT_TRUE(cycle_until(*falcon, DeviceStatus::kOk, false)) << status;
    EXPECT_EQ(motors(), (std::array<std::int16_t, 3>{}));
  }
}

// A running daemon opens a replugged device; its memory is locked and may be exhausted then.
TEST_F(Usbfs, an_open_without_memory_is_reported_and_the_next_one_succeeds) {
  usb_.plug_in();
  const auto transport = make_libusb_transport(read_falcon(manifest()).identity);
  ASSERT_EQ(transport->open(), UsbStatus::kOk);
  int refused = 0;
  for (long which = 0;; ++which) {
    LibusbMemory::fail(which);
    const UsbStatus status = transport->open();
    const bool failed = LibusbMemory::stop();
    if (!failed) break;  // each allocation of an open has failed once
    refused += status != UsbStatus::kOk;
    ASSERT_EQ(transport->open(), UsbStatus::kOk) << "after allocation " << which;
    EXPECT_EQ(transport->control(0, 0), UsbStatus::kOk) << "after allocation " << which;
  }
  // Five transfers and the device's handle at least.
  EXPECT_GE(refused, 6);
}

TEST_F(Usbfs, comes_back_after_hanging) {
  usb_.plug_in();
  const auto falcon = open_falcon(manifest(), 1000.0);
  home();
  ASSERT_TRUE(cycle_until_pulled(*falcon));
  usb_.hang(true);
  ASSERT_TRUE(cycle_until(*falcon, DeviceStatus::kDisconnected, false));
  // The loss is reported before the reset.
  for (int k = 0; k < 20'000 && !usb_.reset_seen(); ++k) {
    ASSERT_TRUE(cycle_until(*falcon, DeviceStatus::kDisconnected, false));
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_TRUE(usb_.reset_seen());
  usb_.hang(false);
  ASSERT_TRUE(cycle_until(*falcon, DeviceStatus::kOk, true));
}

TEST_F(Usbfs, takes_the_device_from_a_kernel_driver) {
  usb_.claim_by_driver();
  usb_.plug_in();
  const auto falcon = open_falcon(manifest(), 1000.0);
  EXPECT_TRUE(usb_.driver_detached());
}

TEST_F(Usbfs, reports_why_it_cannot_be_opened) {
  EXPECT_EQ(refusal(manifest()), "novint-falcon: USB device 0403:cb48 is not plugged in");
  EXPECT_FALSE(FalconOutputs(manifest()).make_safe());
  usb_.plug_in();
  EXPECT_EQ(refusal(manifest(std::string(64, '0'))),
            (folder_ / "image.bin").string() + ": firmware: found sha256:" + sha256(image_) +
                ", expected sha256:" + std::string(64, '0') + " as the manifest names");
  std::filesystem::remove(folder_ / "image.bin");
  EXPECT_EQ(refusal(manifest()), "novint-falcon: the device has lost its firmware and " +
                                     (folder_ / "image.bin").string() + " does not exist");
  usb_.claim_by_process();
  EXPECT_EQ(refusal(manifest()),
            "novint-falcon: USB device 0403:cb48 is in use by another process");
}

TEST_F(Usbfs, the_guard_ends_the_torque_while_another_process_has_the_device_open) {
  FalconOutputs guard(manifest());  // started before the device is there, as the guard's unit is
  EXPECT_EQ(guard.obstacle(), "the device is not plugged in");
  EXPECT_FALSE(guard.make_safe());
  usb_.plug_in();
  {
    const auto daemon = open_falcon(manifest(), 1000.0);
    home();
    ASSERT_TRUE(cycle_until_pulled(*daemon));
    EXPECT_EQ(guard.obstacle(), "");  // and the daemon keeps it
    EXPECT_TRUE(cycle_until_pulled(*daemon));
  }
  usb_.claim_by_process();  // stopped, or on its way out: the kernel closes files late
  // What it leaves behind.
  usb_.with_device([](FalconEmulator& device) {
    device.receive(encode({{1000, -2000, 3000}, 0, true}));
    return 0;
  });
  ASSERT_EQ(motors()[1], -2000);
  EXPECT_TRUE(guard.make_safe());
  EXPECT_EQ(motors(), (std::array<std::int16_t, 3>{}));
}

}  // namespace
}  // namespace haptic
