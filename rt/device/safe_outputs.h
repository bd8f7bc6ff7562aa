#pragma once

#include <sys/types.h>

#include <memory>
#include <string>

#include "rt/device/device_manifest.h"

namespace haptic {

/// Whether make_safe() would reach a device's outputs.
struct OutputReach {
  bool proven = false;
  std::string words;  ///< the proof, or the obstacle; one line
};

/// Makes a device's outputs safe for a process that outlives the daemon: analog outputs keep their
/// last value when a process dies (docs/methods/devices.md, "Outputs after a process ends").
class SafeOutputs {
 public:
  virtual ~SafeOutputs() = default;

  /// Proves now that make_safe would reach the outputs that the process `daemon` drives, changes
  /// none of them and does not disturb that process. Opens what is not open yet, so that make_safe
  /// only has to write: a proof that is repeated is a few system calls; one that fails may take
  /// 50 ms.
  virtual OutputReach reach(pid_t daemon) = 0;

  /// One attempt. If the transport can, prevents a daemon that still runs from writing afterwards,
  /// until release().
  /// @returns whether every output is known to be safe now: a write was confirmed, or nothing has
  ///          driven it. False: it may be safe or not, see describe()
  virtual bool make_safe() = 0;

  /// The daemon has ended: the next one may open the device.
  virtual void release() {}

  /// What make_safe did or why it could not, one line.
  virtual std::string describe() const = 0;
};

/// By the manifest's kind:
///   comedi-arm  the enable line dropped and the brake applied, then every analog output at its
///               zero code (libcomedi); a heartbeat line stays as it is. Reach: the board is open,
///               attached, its lines answer and no other program has locked them
///   falcon      zero-torque packets (libusb); the interface is free once the daemon is gone.
///   Reach:
///               the device is there, its node may be written and has the interface
///   external    a word of the link that makes the adapter apply zero, until it has confirmed it.
///               Reach: the link is up and its other end is the daemon
///   simulated, replay  nothing, and says so
/// @throws InputError if the manifest is refused
std::unique_ptr<SafeOutputs> safe_outputs_of(const DeviceManifest& manifest);

/// Attempts make_safe every 0.2 ms until it succeeds or `seconds` have passed; then calls
/// release().
bool make_safe_within(SafeOutputs& outputs, double seconds);

}  // namespace haptic
