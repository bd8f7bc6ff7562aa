#include "rt/device/fault_script.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "shared/error.h"

namespace haptic {
namespace {

void check(const DeviceFault& fault, std::size_t index) {
  const auto within = [](double x) { return x >= 0.0 && x <= DeviceFault::kMaxValue; };
  const auto require = [&](bool valid, const char* key, double found) {
    if (valid) return;
    throw InputError("simulated device", fmt::format("faults[{}].{}", index, key),
                     fmt::format("found {}", found), "a number from 0 to 1e6");
  };
  require(within(fault.at), "at", fault.at);
  require(within(fault.lasts), "lasts", fault.lasts);
  require(within(std::abs(fault.size)), "size", fault.size);
}

}  // namespace

FaultScript::FaultScript(std::vector<DeviceFault> faults, double rate_hz) {
  for (std::size_t i = 0; i < faults.size(); ++i) {
    const DeviceFault& fault = faults[i];
    check(fault, i);
    const auto begin = static_cast<std::uint64_t>(std::llround(fault.at * rate_hz));
    const auto length = static_cast<std::uint64_t>(std::llround(fault.lasts * rate_hz));
    entries_.push_back({fault, begin, begin + std::max<std::uint64_t>(length, 1)});
  }
  std::stable_sort(entries_.begin(), entries_.end(),
                   [](const Entry& a, const Entry& b) { return a.begin < b.begin; });
}

void FaultScript::advance(std::uint64_t exchange) HAPTIC_REALTIME {
  for (; next_ < entries_.size() && entries_[next_].begin <= exchange; ++next_) {
    active_[static_cast<std::size_t>(entries_[next_].fault.kind)] = next_;
  }
  for (std::size_t& entry : active_) {
    if (entry != kNone && exchange >= entries_[entry].end) entry = kNone;
  }
}

}  // namespace haptic
