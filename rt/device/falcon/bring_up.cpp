#include "rt/device/falcon/bring_up.h"

#include <algorithm>
#include <array>
#include <vector>

namespace haptic {
namespace {

constexpr std::int64_t kMillisecond = 1'000'000;
constexpr std::int64_t kWriteTime = 1000 * kMillisecond, kEchoTime = 1000 * kMillisecond;
constexpr std::int64_t kReplyTime = 20 * kMillisecond;  // in run mode; a good one takes 1 to 2
// At 9600 baud question and answer are on the line for 7 ms, and the chip may hold the answer for
// its latency of 16.
constexpr std::int64_t kBootloaderTime = 60 * kMillisecond;
constexpr int kBootloaderTries = 100, kTriesBeforeUpload = 10, kTriesAfterUpload = 50;
constexpr std::size_t kUploadBlock = 62;

// FTDI vendor requests (docs/methods/devices.md, "USB identity and line").
constexpr std::uint8_t kModemControl = 1, kFlowControl = 2, kBaud = 3, kData = 4, kLatency = 9;
constexpr std::uint16_t kDtrHigh = 0x0101, kDtrLow = 0x0100, kRtsLow = 0x0200;
constexpr std::uint16_t kBaud9600 = 0x4138, kBaudUpload = 0x0015, kBaudRun = 0x0002;

constexpr std::array<std::uint8_t, 3> kHello{0x0A, 0x43, 0x0D};
constexpr std::array<std::uint8_t, 4> kHelloBack{0x0A, 0x44, 0x2C, 0x0D};
constexpr std::array<std::uint8_t, 1> kLoad{0x41};

}  // namespace

FalconBringUp::FalconBringUp(FalconSerialLine& line, std::span<const std::uint8_t> image,
                             const std::atomic<bool>& stop)
    : line_(line), image_(image), stop_(stop) {}

FalconStart FalconBringUp::run(FalconReport& report) {
  usb_failed_ = false;
  if (!purge() || !normal_mode()) return FalconStart::kUsb;
  std::optional<FalconReport> reply = ask(kTriesBeforeUpload);
  if (!reply && !usb_failed_ && !stop_) {
    FalconStart start = bootloader();
    if (start == FalconStart::kRunning) start = upload();
    if (start == FalconStart::kRunning && !normal_mode()) start = FalconStart::kUsb;
    if (start != FalconStart::kRunning) return start;
    reply = ask(kTriesAfterUpload);
  }
  if (reply) {
    report = *reply;
    return FalconStart::kRunning;
  }
  if (usb_failed_) return FalconStart::kUsb;
  return stop_ ? FalconStart::kStopped : FalconStart::kNotRunning;
}

bool FalconBringUp::make_safe() {
  usb_failed_ = false;
  return ask(kTriesBeforeUpload).has_value();
}

bool FalconBringUp::request(std::uint8_t request, std::uint16_t value) {
  if (line_.request(request, value) == UsbStatus::kOk) return true;
  usb_failed_ = true;
  return false;
}

bool FalconBringUp::purge() {
  if (line_.purge() == UsbStatus::kOk) return true;
  usb_failed_ = true;
  return false;
}

bool FalconBringUp::normal_mode() {
  return request(kLatency, 1) && request(kBaud, kBaudRun) && purge();
}

// Zero torque, homing bit set, as every packet of this driver.
std::optional<FalconReport> FalconBringUp::ask(int tries) {
  const FalconPacket question = encode(FalconCommand{});
  for (int k = 0; k < tries && !stop_; ++k) {
    if (k > 0 && !purge()) return std::nullopt;
    UsbStatus status = line_.send(question, in(kWriteTime));
    FalconPacketReader reader;
    const std::int64_t deadline = in(kReplyTime);
    while (status == UsbStatus::kOk) {
      std::span<const std::uint8_t> bytes;
      status = line_.receive(bytes, deadline);
      for (const std::uint8_t byte : bytes) {
        if (const auto report = reader.push(byte)) return report;
      }
    }
    if (status != UsbStatus::kTimeout) {
      usb_failed_ = true;
      return std::nullopt;
    }
  }
  return std::nullopt;
}

FalconStart FalconBringUp::bootloader() {
  const bool ready = purge() && request(kLatency, 16) && request(kBaud, kBaud9600) &&
                     request(kData, 8) && request(kFlowControl, 0) &&
                     request(kModemControl, kRtsLow) && request(kModemControl, kDtrLow) &&
                     request(kModemControl, kDtrHigh);
  if (!ready) return FalconStart::kUsb;
  bool heard = false;
  for (int k = 0; k < kBootloaderTries && !heard && !usb_failed_; ++k) {
    if (stop_) return FalconStart::kStopped;
    heard = answered(kHello, kHelloBack);
  }
  if (!heard) return usb_failed_ ? FalconStart::kUsb : FalconStart::kNoBootloader;
  if (!request(kModemControl, kDtrLow) || !request(kBaud, kBaudUpload)) return FalconStart::kUsb;
  if (!answered(kLoad, kLoad)) return usb_failed_ ? FalconStart::kUsb : FalconStart::kNoBootloader;
  return image_.empty() ? FalconStart::kNoImage : FalconStart::kRunning;
}

// Whether the reply ends with the answer; other bytes may precede it (00 and 13 were seen).
bool FalconBringUp::answered(std::span<const std::uint8_t> question,
                             std::span<const std::uint8_t> answer) {
  UsbStatus status = line_.send(question, in(kWriteTime));
  std::vector<std::uint8_t> heard;
  const std::int64_t deadline = in(kBootloaderTime);
  while (status == UsbStatus::kOk) {
    std::span<const std::uint8_t> bytes;
    status = line_.receive(bytes, deadline);
    heard.insert(heard.end(), bytes.begin(), bytes.end());
    if (heard.size() >= answer.size() &&
        std::equal(answer.begin(), answer.end(), heard.end() - std::ssize(answer))) {
      return true;
    }
  }
  usb_failed_ = usb_failed_ || status != UsbStatus::kTimeout;
  return false;
}

FalconStart FalconBringUp::upload() {
  std::vector<std::uint8_t> echo;
  for (std::size_t at = 0; at < image_.size(); at += kUploadBlock) {
    if (stop_) return FalconStart::kStopped;
    const auto block = image_.subspan(at, std::min(kUploadBlock, image_.size() - at));
    UsbStatus status = line_.send(block, in(kWriteTime));
    echo.clear();
    if (status == UsbStatus::kOk) {
      status = line_.receive_exactly(block.size(), echo, in(kEchoTime));
    }
    if (status == UsbStatus::kTimeout) return FalconStart::kEcho;
    if (status != UsbStatus::kOk) return FalconStart::kUsb;
    if (!std::equal(block.begin(), block.end(), echo.begin())) return FalconStart::kEcho;
  }
  return FalconStart::kRunning;
}

}  // namespace haptic
