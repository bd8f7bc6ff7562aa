#include "rt/device/fault_script.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "shared/error.h"

namespace haptic {
namespace {

constexpr double kLongest = 1e6;  // s; keeps counts of exchanges exact

void check(const DeviceFault& fault, std::size_t index) {
  const auto within = [](double x) { return x >= 0.0 && x <= kLongest; };
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

std::vector<DeviceFault> read_faults(const TomlTable& table) {
  std::vector<DeviceFault> faults;
  for (const TomlTable& entry : table.tables("faults")) {
    DeviceFault fault;
    const std::string kind = entry.text("kind");
    const auto named = std::find(kDeviceFaultNames.begin(), kDeviceFaultNames.end(), kind);
    if (named == kDeviceFaultNames.end()) {
      entry.refuse("kind", "found \"" + kind + "\"",
                   fmt::format("one of {}", fmt::join(kDeviceFaultNames, ", ")));
    }
    fault.kind = static_cast<DeviceFaultKind>(named - kDeviceFaultNames.begin());
    fault.at = entry.number("at", NumberRange::between(0.0, kLongest, "s"));
    fault.lasts = entry.number("lasts", NumberRange::between(0.0, kLongest, "s"), 0.0);
    if (fault.kind == DeviceFaultKind::kJump) {
      fault.size = entry.number("size", NumberRange::between(-kLongest, kLongest, "m"));
    } else if (fault.kind == DeviceFaultKind::kLate || fault.kind == DeviceFaultKind::kOld) {
      fault.size = entry.number("size", NumberRange::between(0.0, kLongest, "s"));
    } else if (entry.has("size")) {
      entry.refuse("size", "found a size of a fault that has none",
                   "kind = \"jump\", \"late\" or \"old\"");
    }
    entry.finish();
    faults.push_back(fault);
  }
  return faults;
}

}  // namespace haptic
