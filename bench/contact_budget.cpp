// Time-critical contact (docs/methods/contact-and-coupling.md, A15): does every cycle that the
// system did not interrupt stay within its budget when the contact area is huge? A deformable
// ball of 256,000 points is moved in a hole of the same size, with the budget and without it.
//
//   contact_budget [SECONDS] [BUDGET_US]
//
// A cycle counts as interrupted if the thread was away from its processor for more than 10 us of it
// (lab/timing/off_processor.h): the difference of two clocks, independent of the time of the code.
// It also counts as interrupted (stalled) if the clock, read before every look-up of sixteen
// points, advanced by more than kStall_us between two look-ups of a level, which take some 3 us:
// this detects interrupt handlers and hypervisors that report nothing.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include "host/sampling/point_shell_builder.h"
#include "host/sampling/point_tree_builder.h"
#include "lab/oracle/contact_scene.h"
#include "lab/timing/off_processor.h"
#include "rt/contact/contact_pair.h"
#include "rt/contact/node_budget.h"

namespace haptic {
namespace {

using namespace oracle;

constexpr double kBall = 0.06,
                 kBlock = 0.09;  // radius of ball and hole, half side of the block [m]
constexpr std::uint32_t kPoints = 256000, kLevels = 5, kResolution = 256;
constexpr double kStall_us = 50.0;

double now_us() {
  return std::chrono::duration<double, std::micro>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// A field that records the time between look-ups.
class WatchedField final : public SignedField {
 public:
  explicit WatchedField(const DistanceField& field) : field_(&field) {}

  /// Largest time between two full batches [us] since the last call; a level ends with a batch that
  /// is not full, and the time after it is not spent in look-ups.
  double take_gap() {
    last_ = 0.0;
    return std::exchange(gap_, 0.0);
  }

  void evaluate(const FieldPoints& points, std::uint32_t count, Culling culling,
                FieldSamples& samples) const HAPTIC_REALTIME override {
    const double now = now_us();
    if (last_ != 0.0) gap_ = std::max(gap_, now - last_);
    last_ = count == kFieldBatch ? now : 0.0;
    field_->evaluate(points, count, culling, samples);
  }
  void prefetch(const FieldPoints& points, std::uint32_t count) const HAPTIC_REALTIME override {
    field_->prefetch(points, count);
  }
  Sample distance_and_gradient(const Vector3& p) const HAPTIC_REALTIME override {
    return field_->distance_and_gradient(p);
  }
  double edge() const HAPTIC_REALTIME override { return field_->edge(); }
  double reach() const HAPTIC_REALTIME override { return field_->reach(); }

 private:
  const DistanceField* field_;
  mutable double last_ = 0.0, gap_ = 0.0;
};

struct Ball {
  Ball() {
    const ShellData spiral = spiral_sphere(kBall, kPoints);
    const PointShell unordered = spiral.view();
    // Every leading part of the order is spread over the ball: multiples of large strides first.
    std::vector<std::uint32_t> by_level;
    std::vector<std::uint32_t> ends;
    for (std::uint32_t stride = 1u << (2 * (kLevels - 1)), coarser = 0; stride > 0; stride /= 4) {
      for (std::uint32_t s = 0; s < kPoints; s += stride) {
        if (coarser == 0 || s % coarser != 0) by_level.push_back(s);
      }
      ends.push_back(static_cast<std::uint32_t>(by_level.size()));
      coarser = stride;
    }
    std::vector<Vector3> leveled, ordered;
    for (std::uint32_t s : by_level) leveled.push_back(unordered.rest_position(s));
    for (std::uint32_t place : tree_order(leveled, ends)) {
      const std::uint32_t s = by_level[place];
      ordered.push_back(unordered.rest_position(s));
      shell_data.add(unordered.rest_position(s), unordered.rest_normal(s));
    }
    shell_data.set_modes(bending_modes());
    const BuiltTree tree = build_point_tree(ordered, ends, shell_data.displacement, shell_data.r);
    tree_data = {shell_data.r,     kPoints,          tree.level_begin, tree.point,
                 tree.child_begin, tree.child_count, tree.radius,      tree.modal_radius};
  }
  ShellData shell_data;
  TreeData tree_data;
};

/// A block with a spherical hole: a ball that is slightly larger is in contact everywhere.
double hole_distance(const Vector3& p) {
  return std::max(box_distance(p, Vector3::Constant(kBlock)), kBall - p.norm());
}

struct Result {
  std::vector<double> us;  // of cycles without an interruption
  std::size_t cycles = 0, interrupted = 0, stalled = 0, over = 0, over_interrupted = 0,
              over_by_itself = 0;
  double longest = 0.0, longest_away = 0.0, longest_on = 0.0;  // us, of all cycles
  std::vector<std::size_t> levels = std::vector<std::size_t>(kLevels + 1, 0);
  std::size_t most_contacts = 0;
};

/// Half a millimetre to and fro in all directions, and in and out of the hole every four seconds.
struct Hand {
  Pose pose;
  std::vector<double> q;
  void at(double t) {
    const auto wave = [&](double hz, double phase) {
      return std::sin(6.283185307179586 * hz * t + phase);
    };
    const double out = std::max(0.0, wave(0.25, 0.0)) * 0.004;
    pose.position =
        Vector3(5e-4 * wave(2.1, 0.0) + out, 5e-4 * wave(1.3, 1.0), 5e-4 * wave(3.7, 2.0));
    pose.orientation =
        rotation_exponential(Vector3(0.1 * wave(0.7, 0.0), 0.1 * wave(0.5, 1.0), 0.0));
    for (std::size_t j = 0; j < q.size(); ++j) {
      q[j] = 0.002 * wave(1.0 + 0.3 * double(j), double(j));
    }
  }
};

Result run(const Ball& ball, const DistanceField& grid, double seconds, double budget_us,
           bool keep_budget) {
  const PointShell shell = ball.shell_data.view();
  const PointTree tree = ball.tree_data.view();
  WatchedField field(grid);
  ContactSettings settings;
  settings.traversal.temporal_coherence = true;
  NodeBudget budget(budget_us);
  Hand hand{Pose(), std::vector<double>(shell.dimension())};
  {
    // Contacts of many sizes, as in the warm-up of the world.
    TouchCostFit fit;
    ContactPair pair(shell, tree, field, settings, HeldSide::kField);
    for (int i = 0; i < 60; ++i) {
      hand.at(0.37 * i);
      hand.pose.position.x() += 1e-4 * i;
      pair.clear_history();
      const double begin = now_us();
      const ContactResult& result = pair.evaluate(hand.pose, Pose(), hand.q);
      fit.add({result.visited_nodes, result.contacts, now_us() - begin});
    }
    budget.calibrate(fit.node_us(), fit.contact_nodes());
  }
  if (keep_budget) {
    settings.traversal.degradation.warm_nodes = budget.warm_nodes();
    settings.traversal.degradation.contact_nodes = budget.contact_nodes();
  }
  fmt::print("calibrated: {:.1f} ns a node, a contact counts for {:.2f} nodes, {} nodes\n",
             1e3 * budget.node_us(), budget.contact_nodes(), budget.warm_nodes());
  ContactPair pair(shell, tree, field, settings, HeldSide::kField);

  Result all;
  OffProcessor watch;
  const auto cycles = static_cast<int>(1000.0 * seconds);
  for (int cycle = -1000; cycle < cycles; ++cycle) {  // a second for the budget to settle
    hand.at(1e-3 * cycle);
    field.take_gap();
    watch.begin();
    const ContactResult& result = pair.evaluate(hand.pose, Pose(), hand.q);
    watch.end();
    const double us = watch.elapsed_us();
    const bool stalled = field.take_gap() > kStall_us;
    const bool interrupted = watch.interrupted() || stalled;
    if (keep_budget) {
      budget.observe({result.visited_nodes, result.contacts, us});
      pair.set_node_budget(budget.warm_nodes());
    }
    if (cycle < 0) continue;
    ++all.cycles;
    all.interrupted += interrupted;
    all.stalled += stalled && !watch.interrupted();
    all.over += !interrupted && us > budget_us;
    all.over_interrupted += interrupted && us > budget_us;
    all.over_by_itself += interrupted && !stalled && watch.on_us() > budget_us;
    all.longest = std::max(all.longest, us);
    all.longest_away = std::max(all.longest_away, watch.away_us());
    all.longest_on = std::max(all.longest_on, watch.on_us());
    ++all.levels[result.level];
    all.most_contacts = std::max<std::size_t>(all.most_contacts, result.contacts);
    if (!interrupted) all.us.push_back(us);
  }
  std::sort(all.us.begin(), all.us.end());
  return all;
}

void print(const char* name, const Result& r, double budget_us) {
  const auto quantile = [&](double p) {
    return r.us[std::min(r.us.size() - 1, static_cast<std::size_t>(p * double(r.us.size())))];
  };
  fmt::print(
      "{}: {} cycles, longest {:.0f} us\n"
      "  interrupted: {} ({} only stalled), away for up to {:.0f} us; {} of them over {} us, {} by "
      "their own time\n"
      "  the other {}: p50 {:.0f} p99 {:.0f} p99.9 {:.0f} max {:.0f} us, {} over the budget\n"
      "  time on the processor, all cycles: max {:.0f} us\n"
      "  up to {} contacts; cycles by level rendered:",
      name, r.cycles, r.longest, r.interrupted, r.stalled, r.longest_away, r.over_interrupted,
      budget_us, r.over_by_itself, r.us.size(), quantile(0.5), quantile(0.99), quantile(0.999),
      r.us.back(), r.over, r.longest_on, r.most_contacts);
  for (std::size_t level = 1; level < r.levels.size(); ++level) fmt::print(" {}", r.levels[level]);
  fmt::print("\n");
}

}  // namespace
}  // namespace haptic

int main(int argc, char** argv) {
  using namespace haptic;
  const double seconds = argc > 1 ? std::atof(argv[1]) : 60.0;
  const double budget_us = argc > 2 ? std::atof(argv[2]) : 1000.0;
  if (!(seconds > 0.0) || !(budget_us > 0.0)) {
    fmt::print(stderr, "contact_budget [SECONDS > 0] [BUDGET_US > 0]\n");
    return 2;
  }
  const Ball ball;
  const oracle::FieldData data = oracle::sample_field(hole_distance, kResolution, 3.0 * kBlock);
  const DistanceField grid = data.view();
  const Result kept = run(ball, grid, seconds, budget_us, true);
  print("with the budget", kept, budget_us);
  std::fflush(stdout);
  print("without", run(ball, grid, std::min(seconds, 2.0), budget_us, false), budget_us);
  return kept.over == 0 ? 0 : 1;
}
