#pragma once

#include <cstdint>

namespace haptic {

/// Ends the claim of a kernel driver or a process on a USB interface. A process that is exiting
/// keeps its files for tens of milliseconds, and a stopped one keeps them for ever. libusb detaches
/// kernel drivers only, so this calls the kernel directly.
/// Source: docs/methods/devices.md, "Taking a USB interface from another process".
/// @param bus, address  as libusb and /dev/bus/usb number them
/// @returns whether the interface is free
bool seize_usb_interface(std::uint8_t bus, std::uint8_t address, unsigned interface);

/// Whether seize_usb_interface could take it now: its node may be opened for writing and has the
/// interface, whoever has claimed it. Claims nothing and moves no packet.
/// @returns 0 or the kernel's error
int usb_interface_error(std::uint8_t bus, std::uint8_t address, unsigned interface);

}  // namespace haptic
