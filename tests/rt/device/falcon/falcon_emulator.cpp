#include "tests/rt/device/falcon/falcon_emulator.h"

#include <algorithm>
#include <utility>

namespace haptic {
namespace {

constexpr std::uint16_t kBaud9600 = 0x4138, kBaudUpload = 0x0015, kBaudRun = 0x0002;

std::int16_t int16_of(const std::uint8_t* letters) {
  int bits = 0;
  for (int k = 3; k >= 0; --k) bits = 16 * bits + (letters[k] - 'A');
  return static_cast<std::int16_t>(bits >= 0x8000 ? bits - 0x10000 : bits);
}

void put_int16(std::vector<std::uint8_t>& to, std::int16_t value) {
  int bits = value < 0 ? value + 0x10000 : value;
  for (int k = 0; k < 4; ++k, bits /= 16) to.push_back(static_cast<std::uint8_t>('A' + bits % 16));
}

}  // namespace

FalconEmulator::FalconEmulator(std::vector<std::uint8_t> image)
    : image_(std::move(image)), mode_(image_.empty() ? Mode::kRunning : Mode::kOff) {}

bool FalconEmulator::control(std::uint8_t request, std::uint16_t value) {
  switch (request) {
    case 0:
      return value <= 2;
    case 1:
      // The rising edge of DTR resets the DSP into its bootloader: whatever ran is gone.
      if (value == 0x0101 && !image_.empty()) {
        mode_ = Mode::kListening;
        heard_.clear();
      }
      return true;
    case 3:
      baud_ = value;
      heard_.clear();
      return true;
    case 2:
    case 4:
    case 9:
      return true;
    default:
      return false;
  }
}

std::vector<std::uint8_t> FalconEmulator::receive(std::span<const std::uint8_t> bytes) {
  std::vector<std::uint8_t> answer;
  for (const std::uint8_t byte : bytes) {
    if (mode_ == Mode::kListening && baud_ == kBaud9600) {
      heard_.push_back(byte);
      const std::vector<std::uint8_t> hello{0x0A, 0x43, 0x0D};
      if (heard_.size() >= 3 && std::equal(hello.begin(), hello.end(), heard_.end() - 3)) {
        for (const int b : {0x0A, 0x44, 0x2C, 0x0D}) answer.push_back(static_cast<uint8_t>(b));
      }
    } else if (mode_ == Mode::kListening && baud_ == kBaudUpload) {
      if (byte == 0x41) {
        answer.push_back(byte);
        mode_ = Mode::kLoading;
        loaded_.clear();
      }
    } else if (mode_ == Mode::kLoading && baud_ == kBaudUpload) {
      answer.push_back(byte);
      loaded_.push_back(byte);
      if (loaded_.size() == image_.size()) {
        ++uploads_;
        mode_ = loaded_ == image_ ? Mode::kRunning : Mode::kOff;
        heard_.clear();
      }
    } else if (mode_ == Mode::kRunning && baud_ == kBaudRun) {
      run(byte, answer);
    }
  }
  return answer;
}

void FalconEmulator::run(std::uint8_t byte, std::vector<std::uint8_t>& answer) {
  if (byte == '<') heard_.clear();
  heard_.push_back(byte);
  if (heard_.size() != 16 || heard_[0] != '<' || byte != '>') return;
  for (std::size_t i = 0; i < 3; ++i) motors_[i] = int16_of(&heard_[1 + 4 * i]);
  const int flags = heard_[13] - 'A';
  leds_ = static_cast<std::uint8_t>(flags & 0xE);
  const bool homing = (flags & 1) != 0;
  if (!homing) homed = 0;
  ++requests_;
  answer.push_back('<');
  for (const std::int16_t count : encoders) put_int16(answer, count);
  answer.push_back(static_cast<std::uint8_t>('A' + buttons + 16 * homed));
  answer.push_back('A');
  answer.push_back('>');
}

void FalconEmulator::power_cycle() {
  mode_ = image_.empty() ? Mode::kRunning : Mode::kOff;
  homed = 0;
  motors_ = {};
  heard_.clear();
}

}  // namespace haptic
