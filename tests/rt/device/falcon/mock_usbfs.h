#pragma once

#include <umockdev.h>

#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "tests/rt/device/falcon/falcon_emulator.h"

namespace haptic {

/// An emulated Falcon behind the kernel's own interface to USB devices: its node in /dev/bus/usb,
/// its entry in sysfs and udev, and the ioctls that libusb makes. The process must run under
/// umockdev's preload library; the real libusb then finds, opens and drives it.
class MockUsbfs {
 public:
  explicit MockUsbfs(FalconEmulator& device);
  ~MockUsbfs();
  MockUsbfs(const MockUsbfs&) = delete;
  MockUsbfs& operator=(const MockUsbfs&) = delete;

  /// Appears at a new address, as after every plugging in.
  void plug_in();
  /// Transfers in flight end with `status`: -ESHUTDOWN or -EPROTO, both happen.
  void unplug(int status);
  /// Takes requests and answers nothing.
  void hang(bool hangs);
  /// Somebody else's: a kernel driver, which can be detached, or another process, which cannot.
  void claim_by_driver();
  void claim_by_process();

  /// Runs `f` while no ioctl touches the device.
  template <typename F>
  auto with_device(const F& f) {
    const std::lock_guard lock(mutex_);
    return f(device_);
  }
  bool driver_detached() {
    const std::lock_guard lock(mutex_);
    return detached_;
  }
  std::size_t most_ins_in_flight() {
    const std::lock_guard lock(mutex_);
    return most_ins_;
  }
  bool reset_seen() {
    const std::lock_guard lock(mutex_);
    return resets_ > 0;
  }

 private:
  static gboolean on_ioctl(UMockdevIoctlBase* base, UMockdevIoctlClient* client, void* self);
  bool handle(UMockdevIoctlClient* client);
  int submit(UMockdevIoctlData* argument);
  int reap(UMockdevIoctlData* argument);
  int discard(UMockdevIoctlData* argument);
  void fill_ins();
  void complete(UMockdevIoctlData* urb, int status, int length);

  FalconEmulator& device_;
  UMockdevTestbed* testbed_;
  UMockdevIoctlBase* base_;
  std::mutex mutex_;
  std::deque<UMockdevIoctlData*> ins_;   // flying
  std::deque<UMockdevIoctlData*> done_;  // to be reaped
  std::vector<std::uint8_t> pending_;    // bytes of the device that no IN has taken
  std::string syspath_;
  int address_ = 1;
  bool plugged_ = false, hangs_ = false, driver_ = false, process_ = false, detached_ = false;
  std::size_t most_ins_ = 0;
  int resets_ = 0;
};

}  // namespace haptic
