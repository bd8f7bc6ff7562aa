#include "rt/servo/servo_scene.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace haptic {
namespace {

// A few periods. A transport with a separate thread has a separate period, which may be 1 ms.
constexpr double kOldestInputPeriods = 5.0;
constexpr double kOldestInput_s = 0.02;

std::int64_t nanoseconds(double seconds) {
  return seconds < 1e9 ? std::llround(seconds * 1e9) : std::numeric_limits<std::int64_t>::max();
}

double oldest_input(const ServoLimits& limits, double rate_hz) {
  if (limits.stale_input_s > 0.0) return limits.stale_input_s;
  return std::max(kOldestInputPeriods / rate_hz, kOldestInput_s);
}

std::vector<StateRate> rates_of(const StateLayout& layout) {
  std::vector<StateRate> rates;
  for (const StateBlock& block : layout.blocks()) rates.push_back(block.rate);
  return rates;
}

}  // namespace

ServoScene::ServoScene(World& of_scene, CycleSink& to, const DeviceCapabilities& device,
                       const ServoLimits& limits, const PassivitySettings& settings, double rate_hz)
    : world(of_scene),
      sink(to),
      parameters(of_scene, device, rate_hz),
      guard(lowered_to(limits, device), 1.0 / rate_hz),
      passivity(settings, 1.0 / rate_hz, device.actuated_freedoms >= 6),
      brake(settings, device, 1.0 / rate_hz),
      load(limits, std::llround(1e9 / rate_hz)),
      warnings(of_scene.state_layout(), rate_hz, of_scene.cycles_per_step()),
      stale_ns(nanoseconds(limits.stale_s)),
      stale_input_ns(nanoseconds(oldest_input(limits, rate_hz))),
      rates(rates_of(of_scene.state_layout())),
      state(of_scene.state_layout().cycle_values()),
      display(static_cast<std::size_t>(std::ranges::count(rates, StateRate::kDisplay))) {}

}  // namespace haptic
