#include "rt/device/falcon/libusb_transport.h"

#include <fmt/format.h>
#include <libusb.h>
#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>
#include <string_view>
#include <utility>

#include "rt/device/falcon/usb_seizure.h"
#include "shared/error.h"
#include "shared/monotonic_time.h"

namespace haptic {
namespace {

constexpr int kInterface = 0;
constexpr unsigned char kIn = 0x81, kOut = 0x02;
constexpr std::size_t kInsInFlight = 4;
constexpr std::size_t kQueue = 32;  // IN transfers that came in and were not read yet
constexpr int kTransferBytes = 64;  // a whole packet; other sizes upset libusb (libnifalcon)
constexpr unsigned kControlTime_ms = 1000;
constexpr std::int64_t kCancelTime = 500'000'000;

class LibusbTransport final : public FalconTransport {
 public:
  LibusbTransport(const FalconIdentity& identity, UsbClaim claim)
      : identity_(identity), claim_(claim) {
    // libusb starts a thread for hotplug events. A signal that the program waits for must not be
    // delivered to that thread, where it would end the program.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int error = libusb_init(&context_);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (error != 0) {
      throw OperationError(fmt::format("libusb cannot start: {}", libusb_error_name(error)));
    }
  }
  LibusbTransport(const LibusbTransport&) = delete;
  LibusbTransport& operator=(const LibusbTransport&) = delete;
  ~LibusbTransport() override {
    close();
    libusb_exit(context_);
  }

  UsbStatus open() override {
    close();
    const UsbStatus found = find();
    if (found != UsbStatus::kOk) return found;
    // ftdi_sio claims the device if its product number was added to that driver.
    libusb_set_auto_detach_kernel_driver(handle_, 1);
    int claimed = libusb_claim_interface(handle_, kInterface);
    if (claimed == LIBUSB_ERROR_BUSY && claim_ == UsbClaim::kSeize && seize()) {
      claimed = libusb_claim_interface(handle_, kInterface);
    }
    if (claimed != 0) {
      libusb_close(handle_);
      handle_ = nullptr;
      return claimed == LIBUSB_ERROR_BUSY ? UsbStatus::kClaimed : status_of(claimed);
    }
    lost_ = false;
    first_ = count_ = 0;
    return start_transfers();
  }

  UsbStatus reachable() override {
    libusb_device** list = nullptr;
    const ssize_t size = libusb_get_device_list(context_, &list);
    UsbStatus status = UsbStatus::kAbsent;
    for (ssize_t i = 0; i < size && status != UsbStatus::kOk; ++i) {
      libusb_device_descriptor descriptor{};
      if (libusb_get_device_descriptor(list[i], &descriptor) != 0) continue;
      if (descriptor.idVendor != identity_.vendor || descriptor.idProduct != identity_.product) {
        continue;
      }
      const std::pair place(libusb_get_bus_number(list[i]), libusb_get_device_address(list[i]));
      // A place is not used again before all others, so its device was asked for its serial number.
      if (place != meant_ && !identity_.serial.empty() && !has_serial(list[i], descriptor))
        continue;
      meant_ = place;
      status = status_of_node(usb_interface_error(place.first, place.second, kInterface));
    }
    if (size >= 0) libusb_free_device_list(list, 1);
    return status;
  }

  void close() override {
    if (handle_ == nullptr) return;
    stop_transfers();
    libusb_release_interface(handle_, kInterface);
    libusb_close(handle_);
    handle_ = nullptr;
  }

  void reset() override {
    if (handle_ != nullptr) libusb_reset_device(handle_);
  }

  UsbStatus control(std::uint8_t request, std::uint16_t value) override {
    if (handle_ == nullptr || lost_) return UsbStatus::kLost;
    constexpr std::uint8_t kVendorOut = 0x40;
    const int done = libusb_control_transfer(handle_, kVendorOut, request, value, 0, nullptr, 0,
                                             kControlTime_ms);
    return done >= 0 ? UsbStatus::kOk : status_of(done);
  }

  UsbStatus write(std::span<const std::uint8_t> bytes, std::int64_t deadline_ns) override {
    while (out_.in_flight && !lost_) {
      if (!pump(deadline_ns)) return UsbStatus::kTimeout;
    }
    if (handle_ == nullptr || lost_) return UsbStatus::kLost;
    const std::size_t size = std::min(bytes.size(), out_.bytes.size());
    std::copy_n(bytes.begin(), size, out_.bytes.begin());
    out_.transfer->length = static_cast<int>(size);
    return submit(out_) ? UsbStatus::kOk : UsbStatus::kLost;
  }

  UsbStatus read(UsbPacket& packet, std::int64_t deadline_ns) override {
    bool waited = false;
    while (count_ == 0) {
      if (handle_ == nullptr || lost_) return UsbStatus::kLost;
      if (waited && now_ns() >= deadline_ns) return UsbStatus::kTimeout;
      pump(deadline_ns);
      waited = true;
    }
    packet = queue_[first_];
    first_ = (first_ + 1) % kQueue;
    --count_;
    return UsbStatus::kOk;
  }

  std::int64_t now_ns() override { return monotonic_ns(); }

  void sleep_until(std::int64_t deadline_ns) override {
    const timespec until{deadline_ns / 1'000'000'000, deadline_ns % 1'000'000'000};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
    }
  }

 private:
  struct Transfer {
    LibusbTransport* owner = nullptr;
    libusb_transfer* transfer = nullptr;
    std::array<unsigned char, kTransferBytes> bytes{};
    bool in_flight = false;
    bool is_in = false;
  };

  static UsbStatus status_of(int error) {
    switch (error) {
      case LIBUSB_ERROR_ACCESS:
        return UsbStatus::kNoAccess;
      case LIBUSB_ERROR_TIMEOUT:
        return UsbStatus::kTimeout;
      case LIBUSB_ERROR_PIPE:
        return UsbStatus::kRefused;
      default:
        return UsbStatus::kLost;
    }
  }

  static UsbStatus status_of_node(int error) {
    switch (error) {
      case 0:
        return UsbStatus::kOk;
      case EACCES:
      case EPERM:
        return UsbStatus::kNoAccess;
      case ENOENT:
      case ENODEV:
        return UsbStatus::kAbsent;
      default:
        return UsbStatus::kLost;
    }
  }

  bool has_serial(libusb_device* device, const libusb_device_descriptor& descriptor) {
    libusb_device_handle* opened = nullptr;
    if (libusb_open(device, &opened) != 0) return false;
    const bool meant = is_meant(opened, descriptor);
    libusb_close(opened);
    return meant;
  }

  UsbStatus find() {
    libusb_device** list = nullptr;
    const ssize_t size = libusb_get_device_list(context_, &list);
    UsbStatus status = UsbStatus::kAbsent;
    for (ssize_t i = 0; i < size && handle_ == nullptr; ++i) {
      libusb_device_descriptor descriptor{};
      if (libusb_get_device_descriptor(list[i], &descriptor) != 0) continue;
      if (descriptor.idVendor != identity_.vendor || descriptor.idProduct != identity_.product) {
        continue;
      }
      const int error = libusb_open(list[i], &handle_);
      if (error != 0) {
        handle_ = nullptr;
        if (error != LIBUSB_ERROR_NO_DEVICE) status = status_of(error);
      } else if (!is_meant(handle_, descriptor)) {
        libusb_close(handle_);
        handle_ = nullptr;
      }
    }
    if (size >= 0) libusb_free_device_list(list, 1);
    return handle_ != nullptr ? UsbStatus::kOk : status;
  }

  bool seize() {
    libusb_device* const device = libusb_get_device(handle_);
    return seize_usb_interface(libusb_get_bus_number(device), libusb_get_device_address(device),
                               kInterface);
  }

  bool is_meant(libusb_device_handle* device, const libusb_device_descriptor& descriptor) {
    if (identity_.serial.empty()) return true;
    std::array<unsigned char, 128> text{};
    const int length = libusb_get_string_descriptor_ascii(device, descriptor.iSerialNumber,
                                                          text.data(), int{text.size()});
    if (length < 0) return false;
    const auto* const begin = reinterpret_cast<const char*>(text.data());
    return identity_.serial == std::string_view(begin, static_cast<std::size_t>(length));
  }

  UsbStatus start_transfers() {
    bool started = prepare(out_, kOut);
    for (Transfer& in : ins_) started = started && prepare(in, kIn);
    for (Transfer& in : ins_) started = started && submit(in);
    if (started) return UsbStatus::kOk;
    close();
    return UsbStatus::kLost;
  }

  /// @returns false without memory: this may run while the daemon does, when the device is
  /// replugged
  bool prepare(Transfer& t, unsigned char endpoint) {
    t.owner = this;
    t.is_in = endpoint == kIn;
    t.in_flight = false;
    t.transfer = libusb_alloc_transfer(0);
    if (t.transfer == nullptr) return false;
    // No time-out of libusb's: a device may be silent, and the driver watches the time itself.
    libusb_fill_bulk_transfer(t.transfer, handle_, endpoint, t.bytes.data(), kTransferBytes,
                              &LibusbTransport::completed, &t, 0);
    return true;
  }

  bool submit(Transfer& t) {
    t.in_flight = libusb_submit_transfer(t.transfer) == 0;
    if (!t.in_flight) lost_ = true;
    return t.in_flight;
  }

  static void LIBUSB_CALL completed(libusb_transfer* transfer) {
    auto& t = *static_cast<Transfer*>(transfer->user_data);
    t.in_flight = false;
    t.owner->take(t);
  }

  void take(Transfer& t) {
    if (closing_) return;
    switch (t.transfer->status) {
      case LIBUSB_TRANSFER_COMPLETED:
        if (t.is_in) keep(t);
        break;
      case LIBUSB_TRANSFER_OVERFLOW:  // more than one packet: none of it is usable
        break;
      default:
        lost_ = true;
        return;
    }
    if (t.is_in) submit(t);
  }

  // The oldest transfer is dropped if none is read.
  void keep(const Transfer& t) {
    if (count_ == kQueue) {
      first_ = (first_ + 1) % kQueue;
      --count_;
    }
    UsbPacket& packet = queue_[(first_ + count_++) % kQueue];
    packet.length = static_cast<std::size_t>(t.transfer->actual_length);
    std::copy_n(t.bytes.begin(), packet.length, packet.bytes.begin());
  }

  // Runs libusb until a transfer completes or the deadline. @returns false if the deadline had
  // passed
  bool pump(std::int64_t deadline_ns) {
    const std::int64_t left = std::max<std::int64_t>(deadline_ns - now_ns(), 0);
    timeval time{left / 1'000'000'000, left % 1'000'000'000 / 1000};
    libusb_handle_events_timeout_completed(context_, &time, nullptr);
    return left > 0;
  }

  void stop_transfers() {
    closing_ = true;
    const auto busy = [this] {
      return out_.in_flight ||
             std::any_of(ins_.begin(), ins_.end(), [](const Transfer& t) { return t.in_flight; });
    };
    for (Transfer& in : ins_) cancel(in);
    cancel(out_);
    const std::int64_t deadline = now_ns() + kCancelTime;
    while (busy() && pump(deadline)) {
    }
    for (Transfer& in : ins_) release(in);
    release(out_);
    closing_ = false;
  }

  static void cancel(Transfer& t) {
    if (t.in_flight) libusb_cancel_transfer(t.transfer);
  }

  // A transfer that the kernel never returned stays allocated: it may still be written to.
  static void release(Transfer& t) {
    if (!t.in_flight) libusb_free_transfer(t.transfer);
    t.transfer = nullptr;
    t.in_flight = false;
  }

  FalconIdentity identity_;
  UsbClaim claim_;
  libusb_context* context_ = nullptr;
  libusb_device_handle* handle_ = nullptr;
  std::array<Transfer, kInsInFlight> ins_{};
  Transfer out_;
  std::array<UsbPacket, kQueue> queue_{};
  std::size_t first_ = 0, count_ = 0;
  bool lost_ = false, closing_ = false;
  std::pair<std::uint8_t, std::uint8_t> meant_{};  // bus and address of reachable()
};

}  // namespace

std::unique_ptr<FalconTransport> make_libusb_transport(const FalconIdentity& identity,
                                                       UsbClaim claim) {
  return std::make_unique<LibusbTransport>(identity, claim);
}

}  // namespace haptic
