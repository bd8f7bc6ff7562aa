// The same hand on the same bridge with every level rendered and with a budget of nodes: visited
// nodes, levels, times (docs/methods/contact-and-coupling.md, A12, A13; Barbic 2007, Fig. 3.27).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lab/experiments/experiment.h"
#include "lab/experiments/figure.h"
#include "lab/experiments/made_scene.h"
#include "lab/experiments/scripted_run.h"
#include "rt/worlds/solids/solids_settings.h"

namespace haptic {
namespace {

Scene make_scene(const Experiment& experiment) {
  const bool quick = experiment.quick();
  MadeScene files(experiment.path("scene", ""));
  files.add_file("bridge.toml", bridge_recipe(quick ? 60 : 96, quick ? 12'000 : 85'000, 4));
  files.add_file("heart.toml", fmt::format(R"([source]
mesh = "heart.obj"
length = 0.09
[material]
density = 300.0
[field]
resolution = {}
)",
                                           quick ? 64 : 256));
  // The flat side down on the chords, along the span, turned, tilted both ways, out.
  files.add_hand("hand.csv", {{0.0, {0.0, 0.0, 0.0}},
                              {1.0, {0.0, -0.048, 0.0}},
                              {2.0, {0.03, -0.058, 0.0}},
                              {3.5, {-0.03, -0.058, 0.0}, {0.0, 0.6, 0.0}},
                              {4.5, {-0.03, -0.055, 0.01}, {0.2, 0.6, 0.0}},
                              {6.0, {0.02, -0.06, -0.005}, {0.0, 0.0, 0.3}},
                              {7.0, {0.02, -0.06, 0.008}, {0.0, -0.5, 0.0}},
                              {8.0, {0.0, -0.03, 0.0}},
                              {9.0, {0.0, 0.0, 0.0}}});
  files.add_file("scene.toml", R"(rate_hz = 1000
[[body]]
name = "bridge"
model = "bridge.h5"
role = "anchored"
[[body]]
name = "heart"
model = "heart.h5"
role = "held"
position = [0.0, 0.128, 0.0]
orientation = [0.7071067811865476, 0.7071067811865476, 0.0, 0.0]
[[contact]]
points = "bridge"
field = "heart"
stiffness = 1000.0
temporal_coherence = false
[coupling]
stiffness = 400.0
rotational_stiffness = 0.5
permitted_depth = 0.006
[device]
name = "simulated"
script = "hand.csv"
)");
  return files.load("scene.toml", {"bridge", "heart"});
}

Figure figure_of(const std::string& label, const std::vector<double>& time,
                 const std::vector<double>& full, const std::vector<double>& degraded) {
  return {"time [s]", label, {{"all levels", time, full}, {"with a budget", time, degraded}}};
}

void degraded_contact(Experiment& experiment) {
  Scene scene = make_scene(experiment);
  const std::uint64_t cycles = 9000;
  const auto run = [&](std::uint32_t budget, CycleTrace& trace) {
    solids::edit_solids(scene).contacts.at(0).settings.traversal.degradation.warm_nodes = budget;
    return run_script(scene, cycles, nullptr, &trace);
  };
  CycleTrace full, degraded;
  const ScriptedRun all = run(0, full);
  // The first level is always evaluated, so the budget begins there: a third of what the busiest
  // cycle needs beyond it.
  const auto [first, most] = std::ranges::minmax(full.visited);
  const auto budget = static_cast<std::uint32_t>(first + 0.35 * (most - first));
  const ScriptedRun some = run(budget, degraded);

  ResultTable table({"run", "V_W", "nodes p50 / p99 / max", "level least", "changes / s",
                     "touch us p50 / p99 / p99.9", "contacts max"});
  const auto row = [&](const char* name, const std::string& warm, const ScriptedRun& r) {
    table.add({name, warm,
               fmt::format("{:.0f} / {:.0f} / {:.0f}", r.visited.p50, r.visited.p99, r.visited.max),
               fmt::format("{}", r.least_level), fmt::format("{:.2f}", r.level_changes_per_s),
               fmt::format("{:.1f} / {:.1f} / {:.1f}", r.touch.p50, r.touch.p99, r.touch.p999),
               fmt::format("{:.0f}", r.contacts.max)});
  };
  row("all levels", "-", all);
  row("with a budget", fmt::format("{}", budget), some);
  experiment.report(fmt::format("{} cycles at 1 kHz", cycles), table);

  std::vector<double> time;
  for (std::uint64_t i = 0; i < cycles; ++i) time.push_back(1e-3 * static_cast<double>(i));
  draw_figure(figure_of("visited nodes", time, full.visited, degraded.visited),
              experiment.path("nodes", ".png"));
  draw_figure(figure_of("deepest level", time, full.level, degraded.level),
              experiment.path("level", ".png"));
  draw_figure(figure_of("touch [us]", time, full.touch_us, degraded.touch_us),
              experiment.path("time", ".png"));

  experiment.at_most("most nodes of a cycle with the budget", some.visited.max, budget);
  experiment.at_least("nodes of the busiest cycle without the budget, over the budget",
                      all.visited.max / budget, 1.2);
  double coarse = 0.0;
  for (std::size_t i = 0; i < degraded.level.size(); ++i) {
    coarse += degraded.contacts[i] > 0.0 && degraded.level[i] < 4.0 ? 1.0 : 0.0;
  }
  experiment.at_least("cycles of contact without the finest level", coarse, 100.0);
  experiment.at_most("A12 changes of level a second", some.level_changes_per_s, 3.0);
}

}  // namespace
}  // namespace haptic

int main(int argc, char** argv) {
  return haptic::run_experiment(
      argc, argv, "degraded_contact",
      "A hand's contact with and without a budget of nodes (Barbic 2007, figure 3.27)",
      haptic::degraded_contact);
}
