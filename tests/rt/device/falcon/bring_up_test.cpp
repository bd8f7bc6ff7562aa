#include "rt/device/falcon/bring_up.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <utility>
#include <vector>

#include "tests/rt/device/falcon/fake_transport.h"

namespace haptic {
namespace {

using Request = std::pair<std::uint8_t, std::uint16_t>;

// Any bytes do: the emulator has its own idea of what firmware is.
std::vector<std::uint8_t> some_image(std::size_t size) {
  std::vector<std::uint8_t> image(size);
  std::iota(image.begin(), image.end(), std::uint8_t{0xAA});
  image[1] = 0x08;
  return image;
}

class BringUp : public testing::Test {
 protected:
  FalconStart start(const std::vector<std::uint8_t>& image) {
    EXPECT_EQ(bus_.open(), UsbStatus::kOk);
    FalconSerialLine line(bus_, counters_);
    const FalconStart start = FalconBringUp(line, image, stop_).run(report_);
    bus_.close();
    return start;
  }

  const std::vector<std::uint8_t> image_ = some_image(1000);
  FalconEmulator device_{image_};
  FakeTransport bus_{device_};
  FalconCounters counters_;
  FalconReport report_;
  std::atomic<bool> stop_{false};
};

TEST_F(BringUp, a_device_with_running_firmware_is_not_restarted) {
  FalconEmulator running;
  running.encoders = {-516, 7, 300};
  FakeTransport bus(running);
  ASSERT_EQ(bus.open(), UsbStatus::kOk);
  FalconSerialLine line(bus, counters_);
  EXPECT_EQ(FalconBringUp(line, {}, stop_).run(report_), FalconStart::kRunning);
  EXPECT_EQ(report_.encoders, running.encoders);
  // Purge, normal mode, purge; nothing that would reset the DSP.
  const std::vector<Request> expected{{0, 1}, {0, 2}, {9, 1}, {3, 2}, {0, 1}, {0, 2}};
  EXPECT_EQ(bus.requests, expected);
  EXPECT_EQ(running.requests(), 1);
}

TEST_F(BringUp, firmware_is_uploaded_after_the_handshake) {
  EXPECT_EQ(start(image_), FalconStart::kRunning);
  EXPECT_EQ(device_.uploads(), 1);
  EXPECT_TRUE(device_.running());
  // docs/methods/devices.md, "Bring-up", step 3, in this order.
  const std::vector<Request> handshake{{9, 16},     {3, 0x4138}, {4, 8},
                                       {2, 0},      {1, 0x0200}, {1, 0x0100},
                                       {1, 0x0101}, {1, 0x0100}, {3, 0x0015}};
  EXPECT_NE(
      std::search(bus_.requests.begin(), bus_.requests.end(), handshake.begin(), handshake.end()),
      bus_.requests.end());
  const std::vector<Request> normal{{9, 1}, {3, 2}, {0, 1}, {0, 2}};
  EXPECT_TRUE(std::equal(normal.begin(), normal.end(), bus_.requests.end() - 4));
}

TEST_F(BringUp, an_echo_of_other_bytes_ends_the_upload_and_the_next_attempt_succeeds) {
  bus_.fail(BusFault::kEcho, kSecond);
  EXPECT_EQ(start(image_), FalconStart::kEcho);
  EXPECT_EQ(device_.uploads(), 0);
  bus_.sleep_until(bus_.now_ns() + kSecond);
  EXPECT_EQ(start(image_), FalconStart::kRunning);
}

TEST_F(BringUp, a_missing_echo_ends_the_upload) {
  // The handshake before it is over after 0.8 s; see the time of the next fault.
  for (std::int64_t ms = 100; ms <= 1500; ms += 7) {
    FalconEmulator device(image_);
    FakeTransport bus(device);
    ASSERT_EQ(bus.open(), UsbStatus::kOk);
    bus.add(
        {bus.now_ns() + ms * kSecond / 1000, bus.now_ns() + 3600 * kSecond, BusFault::kMissing});
    FalconSerialLine line(bus, counters_);
    const FalconStart start = FalconBringUp(line, image_, stop_).run(report_);
    EXPECT_TRUE(start == FalconStart::kNoBootloader || start == FalconStart::kEcho ||
                start == FalconStart::kNotRunning || start == FalconStart::kRunning);
    // An attempt is bounded: 10 and 50 questions of 20 ms, 100 of 60 ms, one echo of a second.
    EXPECT_LT(bus.now_ns(), (1 + 9) * kSecond + ms * kSecond / 1000);
  }
}

TEST_F(BringUp, a_missing_image_is_reported) {
  EXPECT_EQ(start({}), FalconStart::kNoImage);
}

TEST_F(BringUp, another_image_does_not_run) {
  auto wrong = image_;
  wrong[500] ^= 1;
  EXPECT_EQ(start(wrong), FalconStart::kNotRunning);
}

TEST_F(BringUp, a_device_without_power_has_no_bootloader) {
  bus_.fail(BusFault::kUnpowered, 3600 * kSecond);
  EXPECT_EQ(start(image_), FalconStart::kNoBootloader);
}

TEST_F(BringUp, unplugged_at_any_moment_it_ends_at_once) {
  for (std::int64_t ms = 0; ms <= 400; ms += 3) {
    FalconEmulator device(image_);
    FakeTransport bus(device);
    ASSERT_EQ(bus.open(), UsbStatus::kOk);
    const std::int64_t at = bus.now_ns() + ms * kSecond / 1000;
    bus.add({at, at + 3600 * kSecond, BusFault::kUnplugged});
    FalconSerialLine line(bus, counters_);
    const FalconStart start = FalconBringUp(line, image_, stop_).run(report_);
    if (start != FalconStart::kRunning) {
      EXPECT_EQ(start, FalconStart::kUsb) << ms;
      // The longest single wait is an answer of the bootloader's.
      EXPECT_LT(bus.now_ns(), at + kSecond / 10) << ms;
    }
  }
}

TEST_F(BringUp, stops_on_request) {
  bus_.fail(BusFault::kMissing, 3600 * kSecond);
  bus_.every(kSecond / 10, [this] { stop_ = true; });
  const std::int64_t begin = bus_.now_ns();
  EXPECT_EQ(start(image_), FalconStart::kStopped);
  EXPECT_LT(bus_.now_ns() - begin, kSecond / 2);
}

}  // namespace
}  // namespace haptic
