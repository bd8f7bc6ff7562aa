#include "rt/device/falcon/serial_line.h"

#include <algorithm>

namespace haptic {
namespace {

constexpr std::size_t kModemStatus = 2;
constexpr std::uint8_t kLineErrors = 0x1E;  // of the second byte: overrun, parity, framing, break
constexpr std::uint8_t kReset = 0;          // FTDI vendor request (see bring_up.cpp)
constexpr std::uint16_t kPurgeRx = 1, kPurgeTx = 2;
constexpr std::int64_t kDrainTime = 5'000'000;  // idle status packets may continue for ever

}  // namespace

FalconSerialLine::FalconSerialLine(FalconTransport& transport, FalconCounters& counters)
    : transport_(transport), counters_(counters) {}

UsbStatus FalconSerialLine::request(std::uint8_t request, std::uint16_t value) {
  return transport_.control(request, value);
}

UsbStatus FalconSerialLine::send(std::span<const std::uint8_t> bytes, std::int64_t deadline_ns) {
  return transport_.write(bytes, deadline_ns);
}

UsbStatus FalconSerialLine::receive(std::span<const std::uint8_t>& bytes,
                                    std::int64_t deadline_ns) {
  bytes = {};
  while (used_ >= packet_.length) {
    const UsbStatus status = transport_.read(packet_, deadline_ns);
    used_ = kModemStatus;
    if (status != UsbStatus::kOk) {
      packet_.length = 0;
      return status;
    }
    if (packet_.length < kModemStatus) {
      ++counters_.short_packets;
    } else if ((packet_.bytes[1] & kLineErrors) != 0) {
      ++counters_.line_errors;
    }
    // Status packets alone may continue for ever.
    if (packet_.length <= kModemStatus && transport_.now_ns() >= deadline_ns) {
      return UsbStatus::kTimeout;
    }
  }
  bytes = std::span(packet_.bytes).subspan(used_, packet_.length - used_);
  used_ = packet_.length;
  return UsbStatus::kOk;
}

UsbStatus FalconSerialLine::receive_exactly(std::size_t count, std::vector<std::uint8_t>& to,
                                            std::int64_t deadline_ns) {
  while (count > 0) {
    std::span<const std::uint8_t> bytes;
    const UsbStatus status = receive(bytes, deadline_ns);
    if (status != UsbStatus::kOk) return status;
    const std::size_t taken = std::min(count, bytes.size());
    to.insert(to.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(taken));
    used_ -= bytes.size() - taken;
    count -= taken;
  }
  return UsbStatus::kOk;
}

UsbStatus FalconSerialLine::purge() {
  UsbStatus status = request(kReset, kPurgeRx);
  if (status == UsbStatus::kOk) status = request(kReset, kPurgeTx);
  // Earlier bytes are in the transfers that wait to be read.
  const std::int64_t begin = transport_.now_ns();
  while (status == UsbStatus::kOk && transport_.now_ns() - begin < kDrainTime) {
    status = transport_.read(packet_, begin);
  }
  used_ = packet_.length = 0;
  return status == UsbStatus::kTimeout ? UsbStatus::kOk : status;
}

}  // namespace haptic
