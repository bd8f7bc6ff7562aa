// Runs a command in a world with a Falcon: an emulated device behind the kernel's interface to USB
// (MockUsbfs), homed, its grip moved back and forth by a hand. The libusb of the command finds it.
//
//   LD_PRELOAD=libumockdev-preload.so.0 falcon_testbed MANIFEST COMMAND [ARGUMENT...]
//
// Ends with the command's exit status. SIGTERM and SIGINT go to the command.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <numbers>
#include <thread>

#include "rt/device/falcon/falcon_settings.h"
#include "rt/device/falcon/kinematics.h"
#include "tests/rt/device/falcon/mock_usbfs.h"

namespace haptic {
namespace {

pid_t child = 0;

// The grip where the hand has it at this time [s], as counts of the three encoders.
std::array<std::int16_t, 3> counts_at(const FalconSettings& settings, double time) {
  const auto swing = [time](double metres, double hz) {
    return metres * std::sin(2.0 * std::numbers::pi * hz * time);
  };
  const Vector3 grip =
      settings.centre + Vector3(swing(0.010, 0.3), swing(0.020, 0.5), swing(0.010, 0.7));
  const FalconKinematics kinematics(settings.geometry);
  Vector3 angles;
  std::array<std::int16_t, 3> counts{};
  if (!kinematics.inverse(grip, angles)) return counts;
  for (int i = 0; i < 3; ++i) {
    counts[static_cast<std::size_t>(i)] =
        static_cast<std::int16_t>(std::lround(kinematics.count(angles[i])));
  }
  return counts;
}

int run(const char* manifest, char** command) {
  const FalconSettings settings = read_falcon(load_manifest(manifest));
  FalconEmulator device;
  MockUsbfs usb(device);
  if (!umockdev_in_mock_environment()) {
    std::fprintf(stderr, "run it with LD_PRELOAD=libumockdev-preload.so.0\n");
    return 2;
  }
  usb.plug_in();
  child = fork();
  if (child == 0) {
    execvp(command[0], command);
    std::perror(command[0]);
    _exit(127);
  }
  for (const int number : {SIGTERM, SIGINT}) {
    signal(number, [](int signal_number) { kill(child, signal_number); });
  }
  std::atomic<bool> done{false};
  std::thread hand([&] {
    for (double time = 0.0; !done; time += 0.001) {
      const auto counts = counts_at(settings, time);
      usb.with_device([&](FalconEmulator& falcon) {
        falcon.encoders = counts;
        falcon.homed = 0b111;
        return 0;
      });
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  done = true;
  hand.join();
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace
}  // namespace haptic

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: falcon_testbed MANIFEST COMMAND [ARGUMENT...]\n");
    return 2;
  }
  try {
    return haptic::run(argv[1], argv + 2);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "falcon_testbed: %s\n", error.what());
    return 2;
  }
}
