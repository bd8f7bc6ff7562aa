#pragma once

#include <cstdint>

namespace haptic {

/// Ends the claim of a kernel driver or a process on a USB interface: a process that
/// dies keeps its files for tens of milliseconds, and one that is stopped keeps them for ever.
/// libusb detaches kernel drivers only, so this calls the kernel itself.
/// Source: docs/methods/devices.md, "Taking a USB interface from another process".
/// @param bus, address  as libusb and /dev/bus/usb number them
/// @returns whether the interface is free
bool seize_usb_interface(std::uint8_t bus, std::uint8_t address, unsigned interface);

}  // namespace haptic
