#include "rt/device/falcon/open_falcon.h"

#include <fmt/format.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include <atomic>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "rt/device/falcon/falcon_device.h"
#include "rt/device/falcon/falcon_settings.h"
#include "rt/device/falcon/libusb_transport.h"
#include "rt/device/falcon/link.h"
#include "shared/error.h"

namespace haptic {
namespace {

constexpr int kAttempts = 10;  // of the whole start; the bootloader is known to need several

std::string no_device(UsbStatus opened, const FalconSettings& settings) {
  const std::string which = fmt::format("{}: USB device {:04x}:{:04x}", settings.name,
                                        settings.identity.vendor, settings.identity.product);
  switch (opened) {
    case UsbStatus::kAbsent:
      return which + " is not plugged in";
    case UsbStatus::kNoAccess:
      return which +
             " cannot be opened: no permission (udev rule installed? user in group "
             "haptic-operator?)";
    case UsbStatus::kClaimed:
      return which + " is in use by another process";
    default:
      return which + " cannot be opened";
  }
}

std::string no_start(FalconStart start, const FalconSettings& settings) {
  const std::string which = settings.name + ": ";
  switch (start) {
    case FalconStart::kNoImage:
      return which + (settings.firmware
                          ? fmt::format("the device has lost its firmware and {} does "
                                        "not exist",
                                        settings.firmware->path.string())
                          : "the device has lost its firmware and the manifest names "
                            "none ([firmware])");
    case FalconStart::kNoBootloader:
      return which + "the device answers neither packets nor its bootloader (power supply?)";
    case FalconStart::kEcho:
      return which + "the firmware upload fails: the device echoes other bytes than were sent";
    case FalconStart::kNotRunning:
      return which + "the firmware was uploaded but answers no packet";
    default:
      return which + "the USB bus fails while the device is started";
  }
}

// A Falcon with its transport, link and I/O thread.
class RunningFalcon final : public FalconDevice {
 public:
  RunningFalcon(const FalconSettings& settings, double rate_hz, std::vector<std::uint8_t> firmware)
      : FalconDevice(settings, rate_hz),
        transport_(make_libusb_transport(settings.identity)),
        link_(*transport_, exchange(), std::move(firmware), settings.times, stop_) {
    start(settings);
    // Signals are for the thread that waits for them.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread([this] {
      while (!stop_) link_.turn();
      link_.shut_down();
    });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    pthread_setname_np(thread_.native_handle(), "falcon-io");
    const sched_param parameters{settings.io_priority};
    const int refused = settings.io_priority > 0 ? pthread_setschedparam(thread_.native_handle(),
                                                                         SCHED_FIFO, &parameters)
                                                 : 0;
    if (refused != 0) {
      shortcomings_.push_back(fmt::format(
          "the {}'s I/O thread does not run under SCHED_FIFO {}: {} (LimitRTPRIO or CAP_SYS_NICE)",
          settings.name, settings.io_priority, std::strerror(refused)));
    }
  }
  RunningFalcon(const RunningFalcon&) = delete;
  RunningFalcon& operator=(const RunningFalcon&) = delete;
  ~RunningFalcon() override {
    stop_ = true;
    thread_.join();
  }

  std::vector<std::string> shortcomings() const override { return shortcomings_; }

 private:
  void start(const FalconSettings& settings) {
    UsbStatus opened = UsbStatus::kAbsent;
    FalconStart started = FalconStart::kUsb;
    for (int k = 0; k < kAttempts; ++k) {
      started = link_.connect(opened);
      if (started == FalconStart::kRunning) return;
      // A repeated attempt would fail for the same reason.
      if (opened != UsbStatus::kOk && opened != UsbStatus::kLost) break;
      if (started == FalconStart::kNoImage) break;
    }
    throw OperationError(opened != UsbStatus::kOk ? no_device(opened, settings)
                                                  : no_start(started, settings));
  }

  std::atomic<bool> stop_{false};
  std::unique_ptr<FalconTransport> transport_;
  FalconLink link_;
  std::thread thread_;
  std::vector<std::string> shortcomings_;
};

}  // namespace

std::unique_ptr<Device> open_falcon(const DeviceManifest& manifest, double rate_hz) {
  const FalconSettings settings = read_falcon(manifest);
  std::vector<std::uint8_t> firmware;
  if (settings.firmware) {
    if (auto image = load_firmware(*settings.firmware)) firmware = std::move(*image);
  }
  return std::make_unique<RunningFalcon>(settings, rate_hz, std::move(firmware));
}

}  // namespace haptic
