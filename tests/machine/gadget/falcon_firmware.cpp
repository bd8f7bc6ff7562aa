#include "tests/machine/gadget/falcon_firmware.h"

#include <cstdint>

namespace haptic::machine {
namespace {

constexpr std::size_t kPacket = 16;
constexpr std::uint16_t kBootDivisor = 0x4138;    // 9600 baud
constexpr std::uint16_t kUploadDivisor = 0x0015;  // 142857 baud
constexpr std::uint16_t kRunDivisor = 0x0002;     // 1.5 Mbaud
constexpr double kOut = 1.05;                     // rad: an arm pulled fully out
constexpr double kIn = 0.05;                      // rad: and pushed in again

bool take(int& left) {
  if (left == 0) return false;
  --left;
  return true;
}

}  // namespace

void FalconFirmware::set_divisor(std::uint16_t divisor) {
  divisor_ = divisor;
  if (divisor == kBootDivisor && !running_) boot_ = Boot::kSilent;
  if (divisor == kRunDivisor && boot_ == Boot::kUpload && uploaded_ == image_size_) {
    running_ = true;
    boot_ = Boot::kSilent;
    forget_homing();
  }
  received_.clear();
}

void FalconFirmware::set_dtr(bool high) {
  // The line's rise restarts the boot loader.
  if (high && !dtr_ && divisor_ == kBootDivisor) {
    running_ = false;
    motors_ = {};
    boot_ = Boot::kHello;
    uploaded_ = 0;
    received_.clear();
  }
  dtr_ = high;
}

void FalconFirmware::boot_byte(std::uint8_t byte, std::vector<std::uint8_t>& answer) {
  if (boot_ == Boot::kHello && divisor_ == kBootDivisor) {
    received_.push_back(byte);
    if (received_.size() > 3) received_.pop_front();
    if (received_ == std::deque<std::uint8_t>{0x0A, 0x43, 0x0D}) {
      answer.insert(answer.end(), {0x0A, 0x44, 0x2C, 0x0D});
      boot_ = Boot::kReady;
      received_.clear();
    }
  } else if (boot_ == Boot::kReady && divisor_ == kUploadDivisor) {
    if (byte != 0x41) return;
    answer.push_back(0x41);
    boot_ = Boot::kUpload;
  } else if (boot_ == Boot::kUpload && divisor_ == kUploadDivisor) {
    ++uploaded_;
    answer.push_back(take(fault_.bad_echo) ? static_cast<std::uint8_t>(byte ^ 0x10) : byte);
  }
}

void FalconFirmware::receive(std::span<const std::uint8_t> bytes,
                             std::vector<std::uint8_t>& answer) {
  for (const std::uint8_t byte : bytes) {
    if (!running_) {
      boot_byte(byte, answer);
      continue;
    }
    // At another speed than the run-time one the firmware sees noise.
    if (divisor_ != kRunDivisor) continue;
    if (received_.empty() && byte != '<') {
      ++broken_;
      continue;
    }
    received_.push_back(byte);
    if (received_.size() == kPacket) {
      run_packet(answer);
      received_.clear();
    }
  }
}

void FalconFirmware::run_packet(std::vector<std::uint8_t>& answer) {
  std::array<int, 3> motors{};
  bool good = received_[15] == '>';
  for (std::size_t i = 0; i < 3; ++i) {
    std::uint16_t value = 0;
    for (std::size_t nibble = 0; nibble < 4; ++nibble) {
      const int digit = received_[1 + 4 * i + nibble] - 0x41;
      good = good && digit >= 0 && digit < 16;
      value = static_cast<std::uint16_t>(value | (digit & 15) << (4 * nibble));
    }
    motors[i] = static_cast<std::int16_t>(value);
  }
  if (!good) {
    ++broken_;
    return;
  }
  motors_ = motors;
  ++packets_;
  const bool homing = ((received_[13] - 0x41) & 1) != 0;
  homed_ = homing ? passed_ : 0;

  if (take(fault_.drop)) return;
  std::array<std::uint8_t, kPacket> reply{};
  reply[0] = '<';
  for (std::size_t i = 0; i < 3; ++i) {
    const int shown = (passed_ >> i & 1) != 0 ? counts_[i] : counts_[i] - power_on_counts_[i];
    const auto value = static_cast<std::uint16_t>(shown);
    for (std::size_t nibble = 0; nibble < 4; ++nibble)
      reply[1 + 4 * i + nibble] = static_cast<std::uint8_t>(0x41 + (value >> (4 * nibble) & 15));
  }
  reply[13] = static_cast<std::uint8_t>(0x41 + (buttons_ | homed_ << 4));
  reply[14] = 0x41;
  reply[15] = '>';
  if (take(fault_.garble)) reply[6] = 0x7f;
  if (take(fault_.shift)) answer.push_back(0x55);
  answer.insert(answer.end(), reply.begin(), reply.begin() + (take(fault_.truncate) ? 9 : 16));
}

void FalconFirmware::set_angles(const FalconMechanics::Vector& angles) {
  counts_ = FalconMechanics::counts(angles);
  if (first_angles_) power_on_counts_ = counts_;
  first_angles_ = false;
  for (std::size_t i = 0; i < 3; ++i) {
    was_out_[i] = was_out_[i] || angles[i] > kOut;
    if (was_out_[i] && angles[i] < kIn) passed_ |= 1 << i;
  }
}

void FalconFirmware::forget_homing() {
  passed_ = homed_ = 0;
  was_out_ = {};
  first_angles_ = true;
  motors_ = {};
}

}  // namespace haptic::machine
