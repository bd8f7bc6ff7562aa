#include "rt/device/falcon/usb_seizure.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/usbdevice_fs.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <string>

namespace haptic {

bool seize_usb_interface(std::uint8_t bus, std::uint8_t address, unsigned interface) {
  const std::string node = fmt::format("/dev/bus/usb/{:03}/{:03}", bus, address);
  const int file = open(node.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return false;
  usbdevfs_disconnect_claim claim{};  // no flags: whatever driver, usbfs too
  claim.interface = interface;
  const bool taken = ioctl(file, USBDEVFS_DISCONNECT_CLAIM, &claim) == 0;
  if (taken) ioctl(file, USBDEVFS_RELEASEINTERFACE, &interface);
  close(file);
  return taken;
}

}  // namespace haptic
