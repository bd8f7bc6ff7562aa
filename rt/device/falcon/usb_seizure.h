#pragma once

#include <cstdint>

namespace haptic {

/// Ends the claim on a USB interface of whoever has one, kernel driver or process. A process that
/// dies keeps its files until the kernel has taken its memory back, tens of milliseconds for a
/// daemon with its models locked, and one that is stopped keeps them for ever; libusb detaches
/// kernel drivers only, so this goes past it (spec emulated-machine 5).
/// @param bus, address  as libusb and /dev/bus/usb number them
/// @returns whether the interface is free
bool seize_usb_interface(std::uint8_t bus, std::uint8_t address, unsigned interface);

}  // namespace haptic
