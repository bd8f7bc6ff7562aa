#pragma once

#include <cstdint>
#include <memory>

#include "rt/device/falcon/falcon_settings.h"
#include "rt/device/falcon/transport.h"

namespace haptic {

/// What to do about a device that another process has claimed.
enum class UsbClaim : std::uint8_t {
  kPolite,  ///< leave it
  kSeize,   ///< take it, also from a process that is stopped or dying: for the guard
};

/// The real bus: libusb-1.0, asynchronous transfers, several INs always queued (a transfer that is
/// submitted lands in the next frame, so a single one would lose every other frame).
///
/// An unplugged device shows as LIBUSB_TRANSFER_ERROR, LIBUSB_TRANSFER_NO_DEVICE or either of their
/// return codes, depending on the order of events: all of them are kLost. A device that hangs
/// causes no error at all (docs/methods/devices.md, "Link states").
/// @throws OperationError if libusb cannot be initialised
std::unique_ptr<FalconTransport> make_libusb_transport(const FalconIdentity& identity,
                                                       UsbClaim claim = UsbClaim::kPolite);

}  // namespace haptic
