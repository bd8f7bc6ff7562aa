#pragma once

#include <memory>
#include <string>

#include "rt/device/device_manifest.h"

namespace haptic {

class FalconTransport;

/// Sends zero torque to a Falcon's motors, for the guard. Construction reads the manifest and
/// initialises libusb; nothing is opened or claimed until make_safe.
class FalconOutputs {
 public:
  /// @throws InputError for a wrong manifest, OperationError if libusb cannot start
  explicit FalconOutputs(const DeviceManifest& manifest);
  ~FalconOutputs();
  FalconOutputs(const FalconOutputs&) = delete;
  FalconOutputs& operator=(const FalconOutputs&) = delete;

  /// Why make_safe could not take the device now; empty: it could. Disturbs nobody.
  std::string obstacle();

  /// Takes the device from the process that has claimed it, sends zero torque and releases it; the
  /// device continues to run.
  /// @returns true if the device has answered, false if it is absent, silent or may not be opened
  bool make_safe();

 private:
  std::unique_ptr<FalconTransport> transport_;
};

}  // namespace haptic
