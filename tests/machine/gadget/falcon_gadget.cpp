// A Novint Falcon that is a program: FunctionFS in front, boot loader, firmware and mechanics
// behind. Test-only, for the emulated machine (dummy_hcd). Commands come line by line on standard
// input:
//   hand X Y Z [m] | stiffness K [N/m] | buttons BITS | home (pulls out, pushes in, releases at the
//   hand's place) | garble N | truncate N | drop N | shift N | bad-echo N
// To hang it, stop the process; to pull the plug, unbind the controller or kill it.
#include <endian.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/machine/gadget/falcon_firmware.h"
#include "tests/machine/gadget/falcon_mechanics.h"
#include "tests/machine/gadget/functionfs.h"
#include "tests/machine/gadget/gadget_state.h"

namespace haptic::machine {
namespace {

/// Everything the threads share, under one lock: a test's device needs no better.
struct Falcon {
  Falcon(std::size_t image_size, bool running, double units_per_Nm, GadgetState& shown)
      : firmware(image_size, running), units(units_per_Nm), state(shown) {}

  /// Moves the mechanics to now under the motors' present torques; tells the firmware the angles.
  void advance() {
    const std::uint64_t now = monotonic_ns();
    FalconMechanics::Vector torques{};
    for (std::size_t i = 0; i < 3; ++i) torques[i] = firmware.motors()[i] / units;
    if (homing_until > now) {
      const bool out = homing_until - now > 600000000ULL;
      mechanics.set_hand({0, 0, out ? 0.172 : 0.078});
      mechanics.set_hand_stiffness(2000);
    } else if (homing_until != 0) {
      homing_until = 0;
      mechanics.set_hand(hand);
      mechanics.set_hand_stiffness(stiffness);
    }
    mechanics.advance(static_cast<double>(now - advanced) * 1e-9, torques);
    advanced = now;
    firmware.set_angles(FalconMechanics::angles(mechanics.position()));
  }

  void show() {
    if (firmware.packets() != shown_packets) {
      note_outputs(state, firmware.motors().data(), 3);
      shown_packets = firmware.packets();
    }
    state.firmware = firmware.running() ? 1 : 0;
    state.homed = static_cast<std::uint64_t>(firmware.homed_bits());
    state.broken_packets = firmware.broken_packets();
    for (std::size_t i = 0; i < 3; ++i) state.position[i] = mechanics.position()[i];
  }

  std::mutex mutex;
  std::condition_variable changed;
  FalconFirmware firmware;
  FalconMechanics mechanics;
  double units;  ///< motor units per N·m, signed
  GadgetState& state;
  FalconMechanics::Vector hand{0, 0, 0.125};
  double stiffness = 200;
  std::uint64_t advanced = monotonic_ns();
  std::uint64_t homing_until = 0;
  std::uint64_t shown_packets = 0;
  std::vector<std::uint8_t> to_host;
  bool enabled = false;
  int latency_ms = 16;
};

bool control(Falcon& falcon, const usb_ctrlrequest& request, std::uint8_t* answer,
             std::size_t& length) {
  const std::lock_guard lock(falcon.mutex);
  const std::uint16_t value = le16toh(request.wValue);
  if (request.bRequestType == 0xC0) {
    if (request.bRequest != 10) return false;
    answer[0] = static_cast<std::uint8_t>(falcon.latency_ms);
    length = 1;
    return true;
  }
  if (request.bRequestType != 0x40) return false;
  switch (request.bRequest) {
    case 0:  // reset, purges
      if (value != 2) falcon.firmware.purge_receive();
      if (value != 1) falcon.to_host.clear();
      return value <= 2;
    case 1:
      if ((value & 0x0100) != 0) falcon.firmware.set_dtr((value & 1) != 0);
      return true;
    case 2:
    case 4:
      return true;
    case 3:
      falcon.firmware.set_divisor(value);
      return true;
    case 9:
      falcon.latency_ms = value & 0xff;
      return true;
    default:
      return false;
  }
}

void from_host(Falcon& falcon, int file) {
  std::array<std::uint8_t, 512> data{};
  while (true) {
    const ssize_t got = read(file, data.data(), data.size());
    if (got <= 0) {  // not configured: the end point is shut
      usleep(2000);
      continue;
    }
    const std::lock_guard lock(falcon.mutex);
    falcon.advance();
    falcon.firmware.receive({data.data(), static_cast<std::size_t>(got)}, falcon.to_host);
    falcon.show();
    falcon.changed.notify_all();
  }
}

void to_host(Falcon& falcon, int file) {
  while (true) {
    std::vector<std::uint8_t> packet{0x01, 0x60};
    {
      std::unique_lock lock(falcon.mutex);
      falcon.changed.wait(lock, [&] { return falcon.enabled; });
      // As the chip: what there is, at the latest when the latency timer runs out.
      falcon.changed.wait_for(lock, std::chrono::milliseconds(std::max(1, falcon.latency_ms)),
                              [&] { return !falcon.to_host.empty() || !falcon.enabled; });
      if (!falcon.enabled) continue;
      const std::size_t n = std::min<std::size_t>(62, falcon.to_host.size());
      packet.insert(packet.end(), falcon.to_host.begin(),
                    falcon.to_host.begin() + static_cast<std::ptrdiff_t>(n));
      falcon.to_host.erase(falcon.to_host.begin(),
                           falcon.to_host.begin() + static_cast<std::ptrdiff_t>(n));
    }
    if (write(file, packet.data(), packet.size()) < 0) usleep(2000);
  }
}

void commands(Falcon& falcon) {
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    const std::lock_guard lock(falcon.mutex);
    falcon.advance();
    FalconFirmware::Fault& fault = falcon.firmware.fault();
    int number = 0;
    if (word == "hand") {
      words >> falcon.hand[0] >> falcon.hand[1] >> falcon.hand[2];
      falcon.mechanics.set_hand(falcon.hand);
    } else if (word == "stiffness") {
      words >> falcon.stiffness;
      falcon.mechanics.set_hand_stiffness(falcon.stiffness);
    } else if (word == "home") {
      falcon.homing_until = monotonic_ns() + 1200000000ULL;
    } else if (words >> number && word == "buttons") {
      falcon.firmware.set_buttons(number);
    } else if (word == "garble") {
      fault.garble = number;
    } else if (word == "truncate") {
      fault.truncate = number;
    } else if (word == "drop") {
      fault.drop = number;
    } else if (word == "shift") {
      fault.shift = number;
    } else if (word == "bad-echo") {
      fault.bad_echo = number;
    } else {
      std::fprintf(stderr, "falcon_gadget: unknown command '%s'\n", line.c_str());
      continue;
    }
    if (!words) std::fprintf(stderr, "falcon_gadget: bad command '%s'\n", line.c_str());
  }
}

}  // namespace

int run(int argc, char** argv) {
  if (argc != 6 || std::strtod(argv[4], nullptr) == 0) {
    std::fputs("usage: falcon_gadget FUNCTIONFS STATE_FILE IMAGE_SIZE UNITS_PER_NM boot|running\n",
               stderr);
    return 2;
  }
  GadgetState& state = *create_state(argv[2]);
  FunctionFs function(argv[1], FunctionFs::Transfer::kBulk, 64);
  Falcon falcon(std::strtoul(argv[3], nullptr, 10), std::strcmp(argv[5], "running") == 0,
                std::strtod(argv[4], nullptr), state);
  std::puts("ready");
  std::fflush(stdout);
  std::thread(from_host, std::ref(falcon), function.out()).detach();
  std::thread(to_host, std::ref(falcon), function.in()).detach();
  std::thread(commands, std::ref(falcon)).detach();
  std::thread([&falcon] {  // motion and homing go on when the host is silent
    while (true) {
      usleep(10000);
      const std::lock_guard lock(falcon.mutex);
      falcon.advance();
      falcon.show();
    }
  })
      .detach();
  function.serve([&](const usb_ctrlrequest& request, std::uint8_t* answer,
                     std::size_t& length) { return control(falcon, request, answer, length); },
                 [&](bool enabled) {
                   const std::lock_guard lock(falcon.mutex);
                   falcon.enabled = enabled;
                   falcon.to_host.clear();
                   state.enabled = enabled ? 1 : 0;
                   falcon.changed.notify_all();
                 });
  std::_Exit(0);
}

}  // namespace haptic::machine

int main(int argc, char** argv) {
  return haptic::machine::run(argc, argv);
}
