#include "tests/machine/gadget/functionfs.h"

#include <endian.h>
#include <fcntl.h>
#include <linux/usb/functionfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace haptic::machine {
namespace {

struct [[gnu::packed]] SpeedDescriptors {
  usb_interface_descriptor interface;
  usb_endpoint_descriptor_no_audio in;
  usb_endpoint_descriptor_no_audio out;
};

struct [[gnu::packed]] Descriptors {
  usb_functionfs_descs_head_v2 head;
  std::uint32_t full_count;
  std::uint32_t high_count;
  SpeedDescriptors full;
  SpeedDescriptors high;
};

struct [[gnu::packed]] Strings {
  usb_functionfs_strings_head head;
  std::uint16_t language;
  char text[7];
};

[[noreturn]] void fail(const std::string& what) {
  std::perror(what.c_str());
  std::exit(1);
}

SpeedDescriptors speed(FunctionFs::Transfer transfer, std::uint16_t packet, std::uint8_t interval) {
  const bool bulk = transfer == FunctionFs::Transfer::kBulk;
  SpeedDescriptors d{};
  d.interface.bLength = sizeof d.interface;
  d.interface.bDescriptorType = USB_DT_INTERFACE;
  d.interface.bNumEndpoints = 2;
  d.interface.bInterfaceClass = USB_CLASS_VENDOR_SPEC;
  d.interface.bInterfaceSubClass = USB_SUBCLASS_VENDOR_SPEC;
  d.interface.bInterfaceProtocol = 0xff;
  d.interface.iInterface = 1;
  d.in.bLength = sizeof d.in;
  d.in.bDescriptorType = USB_DT_ENDPOINT;
  d.in.bEndpointAddress = 1 | USB_DIR_IN;
  d.in.bmAttributes = bulk ? USB_ENDPOINT_XFER_BULK : USB_ENDPOINT_XFER_INT;
  d.in.wMaxPacketSize = htole16(packet);
  d.in.bInterval = bulk ? 0 : interval;
  d.out = d.in;
  d.out.bEndpointAddress = 2 | USB_DIR_OUT;
  return d;
}

int open_file(const std::string& path) {
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) fail(path);
  return file;
}

}  // namespace

FunctionFs::FunctionFs(const std::string& folder, Transfer transfer, std::uint16_t packet) {
  control_ = open_file(folder + "/ep0");

  Descriptors d{};
  d.head.magic = htole32(FUNCTIONFS_DESCRIPTORS_MAGIC_V2);
  d.head.length = htole32(sizeof d);
  d.head.flags =
      htole32(FUNCTIONFS_HAS_FS_DESC | FUNCTIONFS_HAS_HS_DESC | FUNCTIONFS_ALL_CTRL_RECIP);
  d.full_count = d.high_count = htole32(3);
  d.full = speed(transfer, packet, 1);
  d.high = speed(transfer, packet, 4);
  // A bulk packet of another length than 512 would be refused at high speed.
  if (transfer == Transfer::kBulk)
    d.high.in.wMaxPacketSize = d.high.out.wMaxPacketSize = htole16(512);
  if (write(control_, &d, sizeof d) != static_cast<ssize_t>(sizeof d)) fail("descriptors");

  Strings s{};
  s.head.magic = htole32(FUNCTIONFS_STRINGS_MAGIC);
  s.head.length = htole32(sizeof s);
  s.head.str_count = htole32(1);
  s.head.lang_count = htole32(1);
  s.language = htole16(0x0409);
  std::memcpy(s.text, "haptic", sizeof s.text);
  if (write(control_, &s, sizeof s) != static_cast<ssize_t>(sizeof s)) fail("strings");

  in_ = open_file(folder + "/ep1");
  out_ = open_file(folder + "/ep2");
}

FunctionFs::~FunctionFs() {
  close(out_);
  close(in_);
  close(control_);
}

void FunctionFs::serve(const Control& control, const std::function<void(bool)>& enabled) {
  std::uint8_t data[64];
  while (true) {
    usb_functionfs_event event{};
    const ssize_t got = read(control_, &event, sizeof event);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got < static_cast<ssize_t>(sizeof event)) return;
    switch (event.type) {
      case FUNCTIONFS_ENABLE:
        enabled(true);
        break;
      case FUNCTIONFS_DISABLE:
      case FUNCTIONFS_UNBIND:
        enabled(false);
        break;
      case FUNCTIONFS_SETUP: {
        const usb_ctrlrequest& request = event.u.setup;
        const bool to_host = (request.bRequestType & USB_DIR_IN) != 0;
        std::size_t length = 0;
        const bool good = control(request, data, length);
        // An answer in the wrong direction is FunctionFS's way to stall; errors of both are the
        // host's business, not ours.
        if (to_host == good) {
          static_cast<void>(!write(control_, data, good ? length : 0));
        } else {
          static_cast<void>(!read(control_, data, good ? le16toh(request.wLength) & 63 : 0));
        }
        break;
      }
      default:
        break;
    }
  }
}

}  // namespace haptic::machine
