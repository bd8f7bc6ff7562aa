#include "rt/hapticd/budget_report.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "rt/bodies/body_model.h"
#include "rt/device/simulated_device.h"
#include "rt/servo/haptic_cycle.h"
#include "rt/session/scene_session.h"
#include "rt/worlds/contact_calibration.h"
#include "rt/worlds/make_world.h"
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

/// Finest level whose nodes, and those of all above it, fit; 0 if not even the first.
std::uint32_t levels_within(const PointTree& tree, double nodes) {
  std::uint32_t level = 0;
  while (level < tree.level_count() && tree.level_begin(level + 1) <= nodes) ++level;
  return level;
}

std::string contact_lines(const Scene& scene, double left_us, const Clock& clock) {
  std::string text;
  for (const SceneContact& contact : scene.contacts) {
    const SceneBody& of_points = scene.bodies[contact.points];
    const SceneBody& of_field = scene.bodies[contact.field];
    const BodyModel points(of_points.model, of_points.dimension);
    const BodyModel field(of_field.model, of_field.dimension);
    // The scene's own budget, or what the pairs may share.
    const double share_us = left_us / static_cast<double>(scene.contacts.size());
    NodeBudget budget(contact.budget_us.value_or(std::max(share_us, 1.0)));
    calibrate(budget, points, field, contact.settings, clock);
    const std::uint32_t nodes = budget.warm_nodes();
    text += fmt::format(
        "{:<28}{:.0f} ns a node, {:.0f} ns more a contact; {:.0f} us are {} nodes: "
        "levels 1 to {} of {} whole, finer ones as far as culling allows\n",
        of_points.name + " on " + of_field.name, 1e3 * budget.node_us(),
        1e3 * budget.node_us() * budget.contact_nodes(), budget.budget_us(), nodes,
        levels_within(*points.tree, nodes), points.tree->level_count());
  }
  return text;
}

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
                    {rate_hz, servo_limits(scene.limits), true, scene.passivity});
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
  return text + contact_lines(scene, left_us, clock);
}

}  // namespace haptic
