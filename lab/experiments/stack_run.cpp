#include "lab/experiments/stack_run.h"

#include <algorithm>
#include <cmath>

#include "shared/error.h"

namespace haptic {
namespace {

constexpr double kObserve_s = 1e-3;

double part(std::vector<double>& values, double fraction) {
  if (values.empty()) return 0.0;
  const auto at = static_cast<std::size_t>(fraction * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(at), values.end());
  return values[at];
}

}  // namespace

std::string StackRun::fault() const {
  if (!went_on) return "no step";
  if (gain > kGain) return "energy";
  if (crossings > 0) return "passes through";
  return deepest > kDeepest ? "depth" : "";
}

StackRun run_stack(BodyStepper& bodies, const BowlStack& stack, PenetrationProbe& probe, double dt,
                   double duration,
                   const std::function<void(double, std::span<const Pose>)>& seen) {
  StackRun run;
  WallCrossings crossings(stack);
  const double start = bodies.energy();
  const auto steps = std::lround(duration / dt);
  const long every = std::max(1L, std::lround(kObserve_s / dt));
  std::vector<double> search, solve, all;
  std::vector<Pose> last(bodies.poses().begin(), bodies.poses().end());
  for (long i = 1; i <= steps; ++i) {
    run.went_on = bodies.step();
    run.end_s = static_cast<double>(i) * dt;
    if (!run.went_on) break;
    const BodyStepper::Report report = bodies.report();
    run.contacts = std::max(run.contacts, report.contacts);
    search.push_back(1e3 * report.search_seconds);
    solve.push_back(1e3 * report.solve_seconds);
    all.push_back(search.back() + solve.back());
    run.gain = std::max(run.gain, (bodies.energy() - start) / start);
    if (i % every != 0 && i != steps) continue;
    crossings.observe(bodies.poses());
    run.crossings = crossings.count();
    run.misses_pairs = crossings.misses_pairs();
    if (run.misses_pairs) break;
    run.deepest = std::max(run.deepest, probe.at(bodies.poses()).deepest / stack.shape().wall);
    if (!run.is_stable()) break;
    run.speed = 0.0;
    for (std::size_t b = 0; b < last.size(); ++b) {
      const double moved = (bodies.poses()[b].position - last[b].position).norm();
      run.speed = std::max(run.speed, moved / (static_cast<double>(every) * dt));
      last[b] = bodies.poses()[b];
    }
    if (seen) seen(run.end_s, bodies.poses());
  }
  run.nested = nested_bowls(stack, bodies.poses());
  run.search_ms = part(search, 0.5);
  run.solve_ms = part(solve, 0.5);
  run.step_ms = part(all, 0.5);
  run.step_p99_ms = part(all, 0.99);
  return run;
}

double largest_stable_step(double dt, double largest, const std::function<bool(double)>& stable) {
  constexpr double kPrecision = 1.05, kMin = 1e-7;
  double low = 0.0, high = 0.0;
  while (low == 0.0 || high == 0.0) {
    if (stable(dt)) {
      low = dt;
      if (dt >= largest) return dt;
      dt = std::min(2.0 * dt, largest);
    } else {
      high = dt;
      dt *= 0.5;
    }
    if (dt < kMin) throw OperationError("no step is stable");
  }
  while (high > kPrecision * low) {
    const double middle = std::sqrt(low * high);
    (stable(middle) ? low : high) = middle;
  }
  return low;
}

}  // namespace haptic
