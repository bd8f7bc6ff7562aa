#pragma once

#include <memory>

#include "rt/device/device_manifest.h"

namespace haptic {

class FalconTransport;

/// The way to a Falcon's motors for the guard: ready before it is needed (manifest read, libusb
/// initialised), nothing opened or claimed until then.
class FalconOutputs {
 public:
  /// @throws InputError for a wrong manifest, OperationError if libusb cannot start
  explicit FalconOutputs(const DeviceManifest& manifest);
  ~FalconOutputs();
  FalconOutputs(const FalconOutputs&) = delete;
  FalconOutputs& operator=(const FalconOutputs&) = delete;

  /// Takes the device from the process that has it, sends zero torque, returns it; the device goes
  /// on running.
  /// @returns true if the device has answered, false if it is not there, not ours to open or silent
  bool make_safe();

 private:
  std::unique_ptr<FalconTransport> transport_;
};

}  // namespace haptic
