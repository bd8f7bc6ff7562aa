#include "rt/device/external/open_external.h"

#include <cmath>

#include "rt/device/external/external_device.h"
#include "rt/device/external/link_memory.h"
#include "rt/device/external/link_server.h"
#include "shared/ipc/run_folder.h"
#include "shared/ipc/shared_memory.h"

namespace haptic {
namespace {

/// The device with what it needs; the thread ends first.
class LinkedDevice final : public Device {
 public:
  explicit LinkedDevice(const ExternalSettings& settings)
      : settings_(settings),
        lock_(own_run_folder() / ("device." + settings.link + ".link-lock"),
              "link \"" + settings.link + "\""),
        memory_(settings.link, std::llround(1e9 * settings.zero_after_s)),
        device_(settings_, memory_.shared(), state_),
        server_(settings_, memory_, state_) {}

  const DeviceCapabilities& capabilities() const HAPTIC_REALTIME override {
    return device_.capabilities();
  }
  [[nodiscard]] DeviceStatus sense(DeviceState& state) HAPTIC_REALTIME override {
    return device_.sense(state);
  }
  void set_enabled(bool enabled) HAPTIC_REALTIME override { device_.set_enabled(enabled); }
  void restart() HAPTIC_REALTIME override { device_.restart(); }
  bool force_may_act() const HAPTIC_REALTIME override { return device_.force_may_act(); }
  [[nodiscard]] DeviceStatus actuate(const Wrench& wrench) HAPTIC_REALTIME override {
    return device_.actuate(wrench);
  }

 private:
  ExternalSettings settings_;
  InstanceLock lock_;  // before the socket is replaced
  LinkMemory memory_;
  LinkState state_;
  ExternalDevice device_;
  LinkServer server_;
};

}  // namespace

std::unique_ptr<Device> open_external(const DeviceManifest& manifest) {
  return std::make_unique<LinkedDevice>(read_external(manifest));
}

}  // namespace haptic
