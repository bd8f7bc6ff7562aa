#include "rt/device/falcon/usb_seizure.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/usbdevice_fs.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <string>

namespace haptic {
namespace {

int open_node(std::uint8_t bus, std::uint8_t address) {
  const std::string node = fmt::format("/dev/bus/usb/{:03}/{:03}", bus, address);
  return open(node.c_str(), O_RDWR | O_CLOEXEC);
}

}  // namespace

bool seize_usb_interface(std::uint8_t bus, std::uint8_t address, unsigned interface) {
  const int file = open_node(bus, address);
  if (file < 0) return false;
  usbdevfs_disconnect_claim claim{};  // no flags: whatever driver, usbfs too
  claim.interface = interface;
  const bool taken = ioctl(file, USBDEVFS_DISCONNECT_CLAIM, &claim) == 0;
  if (taken) ioctl(file, USBDEVFS_RELEASEINTERFACE, &interface);
  close(file);
  return taken;
}

int usb_interface_error(std::uint8_t bus, std::uint8_t address, unsigned interface) {
  const int file = open_node(bus, address);
  if (file < 0) return errno;
  usbdevfs_getdriver driver{};
  driver.interface = interface;
  // ENODATA: nobody has claimed it.
  const int error = ioctl(file, USBDEVFS_GETDRIVER, &driver) == 0 || errno == ENODATA ? 0 : errno;
  close(file);
  return error;
}

}  // namespace haptic
