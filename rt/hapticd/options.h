#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "rt/session/session_options.h"

namespace haptic {

/// Command line of hapticd.
struct Options : SessionOptions {
  std::filesystem::path scene;
  std::uint64_t cycles = 0;  ///< 0: until told to stop
  bool check = false;        ///< validate and exit
  bool calibrate = false;    ///< measure the time of a cycle on this machine, print and exit
  bool require_rt = false;
  bool engage = false;  ///< simulated devices only
  bool home = false;    ///< home as soon as the device waits for it: the operator is at the device
  bool unguarded = false;           ///< a real device may be engaged without a guard
  double guard_patience_s = 0.03;   ///< longest pause between two beats of the guard
  std::optional<int> cpu;           ///< absent: choices_for_loop(); -1: not pinned
  std::filesystem::path black_box;  ///< folder of fault records
};

}  // namespace haptic
