#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "tests/machine/gadget/falcon_mechanics.h"

namespace haptic::machine {

/// The system behind the Falcon's serial chip: boot loader and, once an image has been uploaded,
/// the running firmware (docs/methods/devices.md, "Bring-up", "Packets"). Bytes in and out only.
///
/// The image is not interpreted: any `image_size` bytes echoed in the boot loader and followed by
/// the run-time baud rate start the firmware emulated here.
class FalconFirmware {
 public:
  struct Fault {
    int garble = 0;    ///< replies with a wrong byte still to come
    int truncate = 0;  ///< replies cut short still to come
    int drop = 0;      ///< replies withheld still to come
    int shift = 0;     ///< replies with a foreign byte before them still to come
    int bad_echo = 0;  ///< upload bytes echoed wrongly still to come
  };

  explicit FalconFirmware(std::size_t image_size, bool running)
      : image_size_(image_size), running_(running) {}

  /// Vendor requests of the FTDI chip that matter here: baud divisor, DTR, purges.
  void set_divisor(std::uint16_t divisor);
  void set_dtr(bool high);
  void purge_receive() { received_.clear(); }

  /// Takes bytes of the host, appends what the device answers.
  void receive(std::span<const std::uint8_t> bytes, std::vector<std::uint8_t>& answer);

  bool running() const { return running_; }
  const std::array<int, 3>& motors() const { return motors_; }
  int homed_bits() const { return homed_; }
  std::uint64_t packets() const { return packets_; }
  std::uint64_t broken_packets() const { return broken_; }

  /// The encoders' truth, and whether the index marks for homing were passed.
  void set_angles(const FalconMechanics::Vector& angles);
  void set_buttons(int bits) { buttons_ = bits & 0x0f; }
  /// As after power-on of a device whose firmware runs: not homed, counters at zero here.
  void forget_homing();
  Fault& fault() { return fault_; }

 private:
  void boot_byte(std::uint8_t byte, std::vector<std::uint8_t>& answer);
  void run_packet(std::vector<std::uint8_t>& answer);

  std::size_t image_size_;
  bool running_;
  bool dtr_ = false;
  std::uint16_t divisor_ = 0;
  enum class Boot : std::uint8_t { kSilent, kHello, kReady, kUpload } boot_ = Boot::kSilent;
  std::size_t uploaded_ = 0;
  std::deque<std::uint8_t> received_;
  std::array<int, 3> motors_{};
  std::array<int, 3> counts_{};
  std::array<int, 3> power_on_counts_{};
  std::array<bool, 3> was_out_{};
  bool first_angles_ = true;
  int passed_ = 0;  // axes whose index marks were passed
  int homed_ = 0;   // what the last reply said
  int buttons_ = 0;
  std::uint64_t packets_ = 0;
  std::uint64_t broken_ = 0;
  Fault fault_;
};

}  // namespace haptic::machine
