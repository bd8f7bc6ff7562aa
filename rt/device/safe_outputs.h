#pragma once

#include <memory>
#include <string>

#include "rt/device/device_manifest.h"

namespace haptic {

/// Makes a device's outputs safe for a process that outlives the daemon: analog outputs keep their
/// last value when a process dies (docs/methods/devices.md, "Outputs after a process ends").
class SafeOutputs {
 public:
  virtual ~SafeOutputs() = default;

  /// Opens what can be opened while the daemon still runs, so that make_safe only has to write. A
  /// failure is not an error yet: make_safe tries again.
  virtual void prepare() {}

  /// One attempt. If the transport can, prevents a daemon that still runs from writing afterwards,
  /// until release().
  /// @returns whether every output is safe now
  virtual bool make_safe() = 0;

  /// The daemon has ended: the next one may open the device.
  virtual void release() {}

  /// What make_safe does or why it could not, one line.
  virtual std::string describe() const = 0;
};

/// By the manifest's kind:
///   comedi-arm  the enable line dropped and the brake applied, then every analog output at its
///               zero code (libcomedi); a heartbeat line stays as it is
///   falcon      zero-torque packets (libusb); the interface is free once the daemon is gone
///   external    a word of the link that makes the adapter apply zero, until it has confirmed it
///   simulated, replay  nothing, and says so
/// @throws InputError if the manifest is refused
std::unique_ptr<SafeOutputs> safe_outputs_of(const DeviceManifest& manifest);

/// Attempts make_safe every 0.2 ms until it succeeds or `seconds` have passed; then calls
/// release().
bool make_safe_within(SafeOutputs& outputs, double seconds);

}  // namespace haptic
