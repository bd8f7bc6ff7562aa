#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "shared/ipc/telemetry_reader.h"

namespace haptic::machine {

/// The program's exit status after `fail`. 1 means that all trials were made and
/// missed their bound.
constexpr int kFailed = 3;

/// Prints `what` and ends the program with kFailed: a trial that cannot be made, or that found
/// something wrong.
[[noreturn]] void fail(const std::string& what);

/// When the device's outputs last became zero, and when they last ceased to be; 0: not so now.
struct Outputs {
  std::function<std::uint64_t()> safe_since, unsafe_since;
};
/// @param which  "arm": the emulated board's own stamps; else the state file of a gadget
Outputs find_outputs(const std::string& which);

/// The daemon's commanded wrench as outputs: for a device that was unplugged, all there is to see.
/// The ring is followed to the first cycle at zero, so that no cycle between two looks is missed.
class CommandedWrench {
 public:
  explicit CommandedWrench(const std::string& name) : name_(name) {}
  void look();
  void clear() {
    reader_.reset();
    safe_ = unsafe_ = 0;
  }
  std::uint64_t safe_since() {
    look();
    return safe_;
  }
  std::uint64_t unsafe_since() {
    look();
    return unsafe_;
  }

 private:
  std::string name_;
  std::unique_ptr<TelemetryReader> reader_;
  std::uint64_t safe_ = 0, unsafe_ = 0;
};

}  // namespace haptic::machine
