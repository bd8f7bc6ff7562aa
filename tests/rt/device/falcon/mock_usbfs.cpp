#include "tests/rt/device/falcon/mock_usbfs.h"

#include <fmt/format.h>
#include <linux/usbdevice_fs.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>

namespace haptic {
namespace {

// Device 0403:cb48, full speed, one configuration, interface 0 with bulk IN 0x81 and OUT 0x02 of 64
// bytes (docs/methods/devices.md, "USB identity and line").
constexpr const char* kDescriptors =
    "12010002000000400304"
    "48cb"
    "0006"
    "010203"
    "01"
    "0902200001010080"
    "2d"
    "0904000002ffffff02"
    "07058102400000"
    "07050202400000";

usbdevfs_urb* urb_of(UMockdevIoctlData* data) {
  return reinterpret_cast<usbdevfs_urb*>(data->data);
}

}  // namespace

MockUsbfs::MockUsbfs(FalconEmulator& device)
    : device_(device), testbed_(umockdev_testbed_new()), base_(umockdev_ioctl_base_new()) {
  g_signal_connect(base_, "handle-ioctl", G_CALLBACK(&MockUsbfs::on_ioctl), this);
}

MockUsbfs::~MockUsbfs() {
  g_object_unref(base_);
  g_object_unref(testbed_);
}

void MockUsbfs::plug_in() {
  ++address_;
  const std::string node = fmt::format("bus/usb/001/{:03}", address_);
  umockdev_testbed_attach_ioctl(testbed_, ("/dev/" + node).c_str(), base_, nullptr);
  const std::string text = fmt::format(
      "P: /devices/usb1/1-{0}\nN: {1}\nE: SUBSYSTEM=usb\nE: DRIVER=usb\nE: BUSNUM=001\n"
      "E: DEVNUM={2:03}\nE: DEVNAME=/dev/{1}\nE: DEVTYPE=usb_device\n"
      "A: bConfigurationValue=1\\n\nA: busnum=1\\n\nA: devnum={2}\\n\nA: speed=12\\n\n"
      "H: descriptors={3}\n",
      address_, node, address_, kDescriptors);
  {
    const std::lock_guard lock(mutex_);
    plugged_ = true;
    pending_.clear();
  }
  syspath_ = fmt::format("/sys/devices/usb1/1-{}", address_);
  umockdev_testbed_add_from_string(testbed_, text.c_str(), nullptr);
}

void MockUsbfs::unplug(int status) {
  {
    const std::lock_guard lock(mutex_);
    plugged_ = false;
    while (!ins_.empty()) {
      complete(ins_.front(), status, 0);
      ins_.pop_front();
    }
  }
  umockdev_testbed_uevent(testbed_, syspath_.c_str(), "remove");
  umockdev_testbed_remove_device(testbed_, syspath_.c_str());
}

void MockUsbfs::hang(bool hangs) {
  const std::lock_guard lock(mutex_);
  hangs_ = hangs;
}

void MockUsbfs::claim_by_driver() {
  const std::lock_guard lock(mutex_);
  driver_ = true;
}

void MockUsbfs::claim_by_process() {
  const std::lock_guard lock(mutex_);
  process_ = true;
}

gboolean MockUsbfs::on_ioctl(UMockdevIoctlBase*, UMockdevIoctlClient* client, void* self) {
  return static_cast<MockUsbfs*>(self)->handle(client) ? TRUE : FALSE;
}

bool MockUsbfs::handle(UMockdevIoctlClient* client) {
  const std::lock_guard lock(mutex_);
  UMockdevIoctlData* argument = umockdev_ioctl_client_get_arg(client);
  int error = 0;
  switch (umockdev_ioctl_client_get_request(client)) {
    case USBDEVFS_GET_CAPABILITIES: {
      g_autoptr(UMockdevIoctlData) data =
          umockdev_ioctl_data_resolve(argument, 0, sizeof(std::uint32_t), nullptr);
      *reinterpret_cast<std::uint32_t*>(data->data) =
          USBDEVFS_CAP_NO_PACKET_SIZE_LIM | USBDEVFS_CAP_REAP_AFTER_DISCONNECT;
      break;
    }
    case USBDEVFS_GETDRIVER:
      error = driver_ ? 0 : ENODATA;
      break;
    case USBDEVFS_CLAIMINTERFACE:
      error = driver_ || process_ ? EBUSY : 0;
      break;
    case USBDEVFS_DISCONNECT_CLAIM: {
      g_autoptr(UMockdevIoctlData) data =
          umockdev_ioctl_data_resolve(argument, 0, sizeof(usbdevfs_disconnect_claim), nullptr);
      // Without flags the kernel takes an interface from anybody; libusb excepts usbfs.
      const auto flags = reinterpret_cast<const usbdevfs_disconnect_claim*>(data->data)->flags;
      error = process_ && flags != 0 ? EBUSY : 0;
      process_ = process_ && error != 0;
      detached_ = detached_ || (error == 0 && driver_);
      driver_ = driver_ && error != 0;
      break;
    }
    case USBDEVFS_RESET:
      ++resets_;
      break;
    case USBDEVFS_RELEASEINTERFACE:
    case USBDEVFS_IOCTL:
      break;
    case USBDEVFS_SUBMITURB:
      error = submit(argument);
      break;
    case USBDEVFS_REAPURB:
    case USBDEVFS_REAPURBNDELAY:
      error = reap(argument);
      break;
    case USBDEVFS_DISCARDURB:
      error = discard(argument);
      break;
    default:
      error = ENOTTY;
  }
  umockdev_ioctl_client_complete(client, error == 0 ? 0 : -1, error);
  return true;
}

int MockUsbfs::submit(UMockdevIoctlData* argument) {
  if (!plugged_) return ENODEV;
  UMockdevIoctlData* data = umockdev_ioctl_data_resolve(argument, 0, sizeof(usbdevfs_urb), nullptr);
  usbdevfs_urb* urb = urb_of(data);
  const int length = urb->buffer_length;
  g_autoptr(UMockdevIoctlData) buffer = umockdev_ioctl_data_resolve(
      data, offsetof(usbdevfs_urb, buffer), static_cast<gsize>(length), nullptr);
  const std::span bytes(buffer->data, static_cast<std::size_t>(length));
  if (urb->type == USBDEVFS_URB_TYPE_CONTROL) {
    const auto value = static_cast<std::uint16_t>(bytes[2] | bytes[3] << 8);
    if (bytes[0] == 0x40 && bytes[1] == 0 && value == 1) pending_.clear();
    const bool taken = bytes[0] == 0x40 && device_.control(bytes[1], value);
    complete(data, taken ? 0 : -EPIPE, 0);
  } else if (urb->endpoint == 0x02) {
    if (!hangs_) {
      for (const std::uint8_t byte : device_.receive(bytes)) pending_.push_back(byte);
    }
    complete(data, 0, length);
  } else if (urb->endpoint == 0x81) {
    ins_.push_back(data);
    most_ins_ = std::max(most_ins_, ins_.size());
  } else {
    complete(data, -ENOENT, 0);
  }
  fill_ins();
  return 0;
}

void MockUsbfs::fill_ins() {
  while (!pending_.empty() && !ins_.empty()) {
    UMockdevIoctlData* data = ins_.front();
    ins_.pop_front();
    const std::size_t size = std::min<std::size_t>(62, pending_.size());
    g_autoptr(UMockdevIoctlData) buffer =
        umockdev_ioctl_data_resolve(data, offsetof(usbdevfs_urb, buffer),
                                    static_cast<gsize>(urb_of(data)->buffer_length), nullptr);
    buffer->data[0] = 0x01;
    buffer->data[1] = 0x60;
    std::copy_n(pending_.begin(), size, buffer->data + 2);
    pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(size));
    complete(data, 0, static_cast<int>(2 + size));
  }
}

void MockUsbfs::complete(UMockdevIoctlData* data, int status, int length) {
  urb_of(data)->status = status;
  urb_of(data)->actual_length = length;
  done_.push_back(data);
}

int MockUsbfs::reap(UMockdevIoctlData* argument) {
  if (done_.empty()) return plugged_ ? EAGAIN : ENODEV;
  UMockdevIoctlData* data = done_.front();
  done_.pop_front();
  g_autoptr(UMockdevIoctlData) pointer =
      umockdev_ioctl_data_resolve(argument, 0, sizeof(void*), nullptr);
  umockdev_ioctl_data_set_ptr(pointer, 0, data);
  g_object_unref(data);
  return 0;
}

int MockUsbfs::discard(UMockdevIoctlData* argument) {
  const gulong address = *reinterpret_cast<gulong*>(argument->data);
  const auto found = std::find_if(ins_.begin(), ins_.end(), [&](UMockdevIoctlData* data) {
    return data->client_addr == address;
  });
  if (found == ins_.end()) return EINVAL;
  UMockdevIoctlData* data = *found;
  ins_.erase(found);
  complete(data, -ENOENT, 0);
  return 0;
}

}  // namespace haptic
