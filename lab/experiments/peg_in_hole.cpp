// A fluted peg pressed into the hole that it was cut from: contact over the whole wall, with every
// level rendered and with a budget (docs/methods/contact-and-coupling.md, A13, A15; Barbic 2007,
// Fig. 3.28).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "host/formats/mesh_file.h"
#include "host/mesh/implicit_solid.h"
#include "host/view/scene_renderer.h"
#include "lab/experiments/experiment.h"
#include "lab/experiments/figure.h"
#include "lab/experiments/made_scene.h"
#include "lab/experiments/scripted_run.h"
#include "rt/bodies/body_model.h"
#include "rt/contact/contact_pair.h"
#include "rt/worlds/solids/solids_settings.h"

namespace haptic {
namespace {

constexpr double kPeg = 0.1, kBlock = 0.026;       // length of the peg, radius of the block [m]
constexpr double kFloor = -0.008, kMouth = 0.075;  // of the block along y [m]
constexpr double kBudget_us = 500.0;               // of the touch stage, half a cycle
constexpr int kAfter = 60;                         // cycles examined after a change of level
constexpr std::uint64_t kCycles = 8000;

/// Seven flutes and a finer wave that winds, wider upwards by 4 degrees; tip at y = 0.
double peg_side(const Vector3& p) {
  const double r = std::hypot(p.x(), p.z()), turn = std::atan2(p.z(), p.x());
  const double radius = 0.011 + 0.07 * p.y();
  const double wave =
      1.0 + 0.12 * std::cos(7.0 * turn) + 0.03 * std::cos(17.0 * turn + 400.0 * p.y());
  return 0.75 * (r - radius * wave);
}

double peg_solid(const Vector3& p) {
  return smooth_intersection(peg_side(p), std::max(-p.y(), p.y() - kPeg), 0.001);
}

double block_solid(const Vector3& p) {
  const double block =
      std::max({std::hypot(p.x(), p.z()) - kBlock, kFloor - p.y(), p.y() - kMouth});
  return std::max(block, -smooth_intersection(peg_side(p), -p.y(), 0.001));
}

Scene make_scene(const Experiment& experiment) {
  const bool quick = experiment.quick();
  MadeScene files(experiment.path("scene", ""));
  const auto mesh = [&](const char* name, const Implicit& solid, const BoundingBox& box) {
    const auto file = files.folder() / name;
    if (!std::filesystem::exists(file)) {
      write_obj(file, implicit_surface(solid, box, quick ? 100 : 220));
    }
  };
  const double wide = 0.022;
  mesh("peg.obj", peg_solid, {{-wide, 0.0, -wide}, {wide, kPeg, wide}});
  mesh("block.obj", block_solid, {{-kBlock, kFloor, -kBlock}, {kBlock, kMouth, kBlock}});
  files.add_file("peg.toml", fmt::format(R"([source]
mesh = "peg.obj"
length = {}
[material]
density = 500.0
[field]
resolution = {}
)",
                                         kPeg, quick ? 64 : 256));
  files.add_file("block.toml",
                 fmt::format(R"([source]
mesh = "block.obj"
length = {}
[material]
density = 500.0
[shell]
points = {}
levels = {}
)",
                             kMouth - kFloor, quick ? 20'000 : 256'000, quick ? 4 : 5));
  // In, pressed, twisted and tilted against the wall, half out, in again, out.
  files.add_hand("hand.csv", {{0.0, {0.0, 0.0, 0.0}},
                              {1.2, {0.0, -0.086, 0.0}},
                              {2.0, {0.0, -0.092, 0.0}},
                              {3.0, {0.0, -0.092, 0.0}, {0.0, 0.15, 0.0}},
                              {4.0, {0.0, -0.092, 0.0}, {0.0, -0.15, 0.0}},
                              {5.0, {0.003, -0.090, 0.0}, {0.1, 0.0, 0.1}},
                              {6.0, {0.0, -0.060, 0.0}},
                              {7.0, {0.0, -0.090, 0.002}},
                              {8.0, {0.0, 0.0, 0.0}}});
  files.add_file("scene.toml", R"(rate_hz = 1000
[[body]]
name = "block"
model = "block.h5"
role = "anchored"
[[body]]
name = "peg"
model = "peg.h5"
role = "held"
position = [0.0, 0.085, 0.0]
[[contact]]
points = "block"
field = "peg"
stiffness = 2000.0
temporal_coherence = true
# The published step: traversal and levels are the subject, and the path of the peg is that of the
# figures in docs/physics.md.
[dynamics]
contact = "explicit"
[coupling]
stiffness = 800.0
rotational_stiffness = 2.0
permitted_depth = 0.003
[device]
name = "simulated"
script = "hand.csv"
)");
  return files.load("scene.toml", {"block", "peg"});
}

/// Relative changes of the contact force from a cycle to the next among those with at least 50
/// contacts (A13), however faint the force, the largest of each.
struct Jumps {
  int switches = 0;
  double by_level = 0.0;   ///< at a change of level, without the part due to the motion of the hand
  double after = 0.0;      ///< the same in the kAfter cycles that follow
  double at_switch = 0.0;  ///< at a change of level, the hand's motion included
  double elsewhere = 0.0;  ///< without a change of level, so due to the motion of the hand
  double faintest = 1e9;   ///< least force at a change of level [N]
};

/// Force of the levels 1..k at the present state, from all points, without tree, budget and fade.
class LevelOracle {
 public:
  explicit LevelOracle(const Scene& scene)
      : points_(scene.bodies[0].model),
        held_(scene.bodies[1].model),
        settings_(solids::solids_settings(scene).contacts.at(0).settings),
        pair_(*points_.shell, *points_.tree, *held_.field, settings_, HeldSide::kField) {}

  /// Force on the held body [N] by the points of the levels up to `level` alone.
  Vector3 force(const RecordedState& state, std::uint32_t level) {
    const std::uint32_t count =
        points_.tree->level_begin(level) - points_.tree->level_begin(level - 1);
    const double L = settings_.scaling_count;
    const auto all = static_cast<double>(
        pair_.evaluate_brute_force(state.poses[0], state.poses[1], {}).contacts);
    Vector3 sum = Vector3::Zero();
    double own = 0.0;
    for (const Contact& contact : pair_.contacts()) {
      if (contact.point >= count) continue;  // points of a coarse level come first
      sum += contact.force;
      own += 1.0;
    }
    return sum * std::max(L, all) / std::max(L, own);
  }

 private:
  BodyModel points_, held_;
  ContactSettings settings_;
  ContactPair pair_;
};

Jumps jumps_of(const Scene& scene, const CycleTrace& trace,
               const std::vector<RecordedState>& states) {
  Jumps jumps;
  LevelOracle oracle(scene);
  int after = 0;
  // The contact of a cycle uses the state after the cycle before.
  for (std::size_t i = 2; i < trace.force.size(); ++i) {
    if (std::min(trace.contacts[i - 1], trace.contacts[i]) < 50.0) continue;
    const Vector3 change = trace.force[i] - trace.force[i - 1];
    const double force = std::min(trace.force[i].norm(), trace.force[i - 1].norm());
    const bool switches = trace.level[i] != trace.level[i - 1];
    if (switches) {
      ++jumps.switches;
      jumps.faintest = std::min(jumps.faintest, force);
      after = kAfter;
    } else if (after > 0) {
      --after;
    }
    double& largest = switches ? jumps.at_switch : jumps.elsewhere;
    largest = std::max(largest, change.norm() / force);
    if (!switches && after == 0) continue;
    const auto level = static_cast<std::uint32_t>(std::min(trace.level[i], trace.level[i - 1]));
    const Vector3 motion = oracle.force(states[i - 1], level) - oracle.force(states[i - 2], level);
    double& worst = switches ? jumps.by_level : jumps.after;
    worst = std::max(worst, (change - motion).norm() / force);
  }
  return jumps;
}

void picture(const Experiment& experiment, const Scene& scene, const RecordedState& state,
             const char* when) {
  SceneFrame frame;
  frame.bodies.push_back({"block", scene.bodies[0].model, state.poses[0], {}});
  frame.bodies.push_back({"peg", scene.bodies[1].model, state.poses[1], {}});
  SceneRenderer renderer({.width = 640, .height = 640, .azimuth = 0.6, .elevation = 0.7});
  write_png(renderer.draw(frame), experiment.path(when, ".png"));
}

void peg_in_hole(Experiment& experiment) {
  Scene scene = make_scene(experiment);
  CycleTrace full, degraded;
  std::vector<RecordedState> states;
  const ScriptedRun all = run_script(scene, kCycles, &states, &full);

  // Full size: a budget in time, as in the daemon; quick size: in nodes, equal on every machine.
  const auto nodes =
      static_cast<std::uint32_t>(0.5 * *std::max_element(full.visited.begin(), full.visited.end()));
  solids::SceneContact& contact = solids::edit_solids(scene).contacts.at(0);
  TraversalSettings& settings = contact.settings.traversal;
  if (experiment.quick()) {
    settings.degradation.warm_nodes = nodes;
  } else {
    contact.budget_us = kBudget_us;
  }
  settings.degradation.fade_cycles = 20;
  std::vector<RecordedState> degraded_states;
  const ScriptedRun some = run_script(scene, kCycles, &degraded_states, &degraded);
  const Jumps jumps = jumps_of(scene, degraded, degraded_states);

  ResultTable table({"run", "budget", "nodes p50 / p99 / max", "contacts max",
                     "level least / median", "touch us p50 / p99 / p99.9 / max", "interrupted",
                     "touch us longest of the rest", "changes / s"});
  const auto row = [&](const char* name, const std::string& budget, const ScriptedRun& r) {
    table.add({name, budget,
               fmt::format("{:.0f} / {:.0f} / {:.0f}", r.visited.p50, r.visited.p99, r.visited.max),
               fmt::format("{:.0f}", r.contacts.max),
               fmt::format("{} / {}", r.least_level, r.median_level),
               fmt::format("{:.1f} / {:.1f} / {:.1f} / {:.1f}", r.touch.p50, r.touch.p99,
                           r.touch.p999, r.touch.max),
               fmt::format("{}", r.interrupted), fmt::format("{:.1f}", r.longest_touch),
               fmt::format("{:.2f}", r.level_changes_per_s)});
  };
  row("all levels", "-", all);
  row("with a budget",
      experiment.quick() ? fmt::format("{} nodes", nodes) : fmt::format("{} us", kBudget_us), some);
  experiment.report(
      fmt::format(
          "{} cycles; {} changes of level with 50 contacts and more, at forces from {:.4f} N:\n"
          "the force changes by {:.2f} % through the level, by up to {:.2f} % a cycle in the "
          "{} cycles after;\nwith the hand's motion {:.2f} % at a change of level, {:.2f} % "
          "elsewhere",
          kCycles, jumps.switches, jumps.switches == 0 ? 0.0 : jumps.faintest,
          100.0 * jumps.by_level, 100.0 * jumps.after, kAfter, 100.0 * jumps.at_switch,
          100.0 * jumps.elsewhere),
      table);
  std::vector<double> time;
  for (std::uint64_t i = 0; i < kCycles; ++i) time.push_back(1e-3 * static_cast<double>(i));
  const auto draw = [&](const char* label, const std::vector<double>& a,
                        const std::vector<double>& b, const char* name) {
    draw_figure({"time [s]", label, {{"all levels", time, a}, {"with a budget", time, b}}},
                experiment.path(name, ".png"));
  };
  draw("touch [us]", full.touch_us, degraded.touch_us, "time");
  draw("points in contact", full.contacts, degraded.contacts, "contacts");
  draw("deepest level", full.level, degraded.level, "level");
  picture(experiment, scene, states.front(), "apart");
  picture(experiment, scene, states[1900], "seated");

  experiment.at_least("most points in contact at once", all.contacts.max,
                      experiment.quick() ? 500.0 : 5000.0);
  experiment.at_least("changes of level with 50 contacts and more", jumps.switches, 1.0);
  experiment.at_most("A13 jump of the force by a change of level, at any force", jumps.by_level,
                     0.05);
  experiment.at_most("A13 jump of the force in the cycles after a change of level", jumps.after,
                     0.05);
  experiment.at_most("A12 changes of level a second", some.level_changes_per_s, 3.0);
  if (experiment.quick()) {
    experiment.at_most("most nodes of a cycle with the budget", some.visited.max, nodes);
  } else {
    experiment.at_most("A15 longest touch that the system did not interrupt [us]",
                       some.longest_touch, kBudget_us);
  }
}

}  // namespace
}  // namespace haptic

int main(int argc, char** argv) {
  return haptic::run_experiment(
      argc, argv, "peg_in_hole",
      "A conforming peg in its hole, with and without a budget (Barbic 2007, figure "
      "3.28)",
      haptic::peg_in_hole);
}
