#include "rt/device/falcon/falcon_outputs.h"

#include <atomic>

#include "rt/device/falcon/bring_up.h"
#include "rt/device/falcon/falcon_settings.h"
#include "rt/device/falcon/libusb_transport.h"
#include "rt/device/falcon/serial_line.h"

namespace haptic {

FalconOutputs::FalconOutputs(const DeviceManifest& manifest)
    : transport_(make_libusb_transport(read_falcon(manifest).identity, UsbClaim::kSeize)) {}

FalconOutputs::~FalconOutputs() = default;

std::string FalconOutputs::obstacle() {
  switch (transport_->reachable()) {
    case UsbStatus::kOk:
      return {};
    case UsbStatus::kAbsent:
      return "the device is not plugged in";
    case UsbStatus::kNoAccess:
      return "no permission to open the device";
    default:
      return "the device does not have the interface";
  }
}

bool FalconOutputs::make_safe() {
  if (transport_->open() != UsbStatus::kOk) return false;
  FalconCounters counters;
  FalconSerialLine line(*transport_, counters);
  const std::atomic<bool> never{false};
  const bool answered = FalconBringUp(line, {}, never).make_safe();
  transport_->close();
  return answered;
}

}  // namespace haptic
