#include "rt/hapticd/budget_report.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "rt/device/simulated_device.h"
#include "rt/servo/haptic_cycle.h"
#include "rt/session/scene_session.h"
#include "rt/worlds/make_world.h"
#include "rt/worlds/world_kind.h"
#include "shared/ipc/telemetry_writer.h"

namespace haptic {
namespace {

constexpr double kSeconds = 1.0;

/// Microseconds, sorted on demand.
class Tally {
 public:
  explicit Tally(std::size_t room) { us_.reserve(room); }
  void add(std::int64_t ns) { us_.push_back(1e-3 * static_cast<double>(ns)); }
  double quantile(double p) {
    std::sort(us_.begin(), us_.end());
    return us_[static_cast<std::size_t>(p * static_cast<double>(us_.size() - 1))];
  }
  std::string line(std::string_view label) {
    return fmt::format("{:<28}p50 {:.1f}   p99 {:.1f}   max {:.1f} us\n", label, quantile(0.5),
                       quantile(0.99), quantile(1.0));
  }

 private:
  std::vector<double> us_;
};

}  // namespace

std::string budget_report(const Scene& scene, Clock& clock) {
  const double rate_hz = scene.rate_hz;
  const auto period_ns = static_cast<std::int64_t>(std::llround(1e9 / rate_hz));
  const auto cycles = static_cast<std::size_t>(std::ceil(kSeconds * rate_hz));
  const std::unique_ptr<World> world = make_world(scene, &clock);
  SimulatedDevice device(HandScript(), rate_hz);
  TelemetryWriter telemetry(fmt::format("calibrate-{}", getpid()),
                            describe_session(scene, device, *world));
  CommandChannel channel;
  HapticCycle cycle(device, *world, clock, channel, telemetry,
                    {rate_hz, scene.limits, true, scene.passivity});
  Tally wake(cycles), total(cycles);
  Schedule schedule(period_ns, clock.now_ns() + period_ns);
  for (std::size_t i = 0; i < cycles; ++i) {
    clock.sleep_until(schedule.next_ns());
    const std::int64_t woke_ns = clock.now_ns();
    const Slot slot = schedule.take(woke_ns);
    cycle.run(slot, woke_ns);
    wake.add(slot.lateness_ns);
    total.add(cycle.sample().total_ns);
  }
  const double period_us = 1e6 / rate_hz;
  const double left_us = period_us - wake.quantile(0.99) - total.quantile(0.99);
  std::string text = fmt::format("{:<28}{:g} Hz, {:.0f} us a cycle\n", "rate", rate_hz, period_us);
  text += wake.line("wake-up");
  text += total.line("cycle with the hand at rest");
  text += fmt::format("{:<28}{:.0f} us (the cycle less the 99th percentiles above)\n",
                      "left for contact", left_us);
  if (scene.kind->measure_budget == nullptr) return text;
  for (const BudgetLine& line : scene.kind->measure_budget(scene, left_us, clock)) {
    text += fmt::format("{:<28}{}\n", line.label, line.text);
  }
  return text;
}

}  // namespace haptic
