#include "tests/machine/trial_outputs.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "tests/machine/gadget/gadget_state.h"

namespace haptic::machine {
namespace {

/// A number of the board in sysfs, over a descriptor that stays open.
std::function<std::uint64_t()> attribute(const char* name) {
  const int file =
      open((std::string("/sys/class/haptic_test_arm/arm0/") + name).c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) fail(std::string(name) + ": no such attribute");
  return [file] {
    char text[32] = {};
    return pread(file, text, sizeof text - 1, 0) > 0 ? std::strtoull(text, nullptr, 10) : 0;
  };
}

}  // namespace

void fail(const std::string& what) {
  std::printf("FAILED: %s\n", what.c_str());
  std::exit(kFailed);
}

Outputs find_outputs(const std::string& which) {
  if (which == "arm") {
    return {attribute("safe_since_ns"), attribute("unsafe_since_ns")};
  }
  const int file = open(which.c_str(), O_RDONLY | O_CLOEXEC);
  void* memory =
      file < 0 ? MAP_FAILED : mmap(nullptr, sizeof(GadgetState), PROT_READ, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) fail(which + ": no state of a gadget");
  const auto* state = static_cast<const GadgetState*>(memory);
  return {[state] { return state->safe_since_ns.load(); },
          [state] { return state->unsafe_since_ns.load(); }};
}

void CommandedWrench::look() {
  if (!reader_) {
    reader_ = std::make_unique<TelemetryReader>(name_);
    reader_->skip_to_newest();
  }
  TelemetrySample sample;
  while (reader_->next(sample)) {
    double sum = 0;
    for (const double f : sample.record.device_wrench.force_N) sum += std::fabs(f);
    for (const double t : sample.record.device_wrench.torque_Nm) sum += std::fabs(t);
    const auto now = static_cast<std::uint64_t>(sample.record.time_ns + sample.record.total_ns);
    std::uint64_t& since = sum == 0 ? safe_ : unsafe_;
    if (since == 0) since = now;
    (sum == 0 ? unsafe_ : safe_) = 0;
  }
}

}  // namespace haptic::machine
