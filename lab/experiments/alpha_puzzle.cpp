// The alpha puzzle solved by a recorded hand (docs/methods/contact-and-coupling.md, A58, A59;
// Barbic 2007, Fig. 3.31): what a cycle costs interlocked, in the narrow gap and apart, and that
// the simulated bar is never deeper than half a voxel.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>

#include "host/formats/mesh_file.h"
#include "host/mesh/catalogue.h"
#include "host/view/scene_renderer.h"
#include "lab/experiments/experiment.h"
#include "lab/experiments/figure.h"
#include "lab/experiments/made_scene.h"
#include "lab/experiments/scripted_run.h"
#include "rt/bodies/body_model.h"
#include "rt/contact/contact_traversal.h"
#include "rt/contact/swept_contact.h"
#include "rt/device/hand_script.h"

namespace haptic {
namespace {

constexpr double kRest_s = 0.5;  // of the hand before it moves

Scene make_scene(const Experiment& experiment) {
  const std::filesystem::path shipped =
      std::filesystem::path(HAPTIC_SOURCE_FOLDER) / "scenes/alpha_puzzle";
  MadeScene files(experiment.path("scene", ""));
  for (const char* name : {"alpha.toml", "scene.toml", "hand.csv"}) {
    std::ifstream in(shipped / name, std::ios::binary);
    files.add_file(name, {std::istreambuf_iterator<char>(in), {}});
  }
  const auto mesh = files.folder() / "alpha.obj";
  if (!std::filesystem::exists(mesh)) {
    write_obj(mesh, make_shape("alpha", {{"gap", 0.0144}, {"resolution", 440.0}}));
  }
  return files.load("scene.toml", {"alpha"});
}

/// Number of 200 directions in which the body can leave a pose freely by 0.3 m.
int ways_out(SweptContact& swept, const Pose& held) {
  int free = 0;
  for (int i = 0; i < 200; ++i) {  // Fibonacci lattice
    const double z = 1.0 - (2.0 * i + 1.0) / 200.0, phi = 2.399963229728653 * i;
    const double s = std::sqrt(1.0 - z * z);
    Pose away = held;
    away.position += 0.3 * Vector3(s * std::cos(phi), s * std::sin(phi), z);
    free += swept.run({Pose{}, Pose{}, held, away}, 0.0).fraction == 1.0 ? 1 : 0;
  }
  return free;
}

void picture(const Experiment& experiment, const Scene& scene, const Pose& held, const char* when) {
  SceneFrame frame;
  frame.bodies.push_back({"fixed", scene.bodies[0].model, scene.bodies[0].pose, {}});
  frame.bodies.push_back({"tool", scene.bodies[1].model, held, {}});
  SceneRenderer renderer({.width = 640, .height = 480, .azimuth = 0.7, .elevation = 0.9});
  write_png(renderer.draw(frame), experiment.path(when, ".png"));
}

double median(const std::vector<double>& values, std::size_t begin, std::size_t end) {
  std::vector<double> part(values.begin() + static_cast<std::ptrdiff_t>(begin),
                           values.begin() + static_cast<std::ptrdiff_t>(end));
  std::sort(part.begin(), part.end());
  return part[part.size() / 2];
}

void alpha_puzzle(Experiment& experiment) {
  const Scene scene = make_scene(experiment);
  const auto cycles =
      static_cast<std::uint64_t>(HandScript::load(scene.device.script).end_time() * scene.rate_hz);
  std::vector<RecordedState> states;
  CycleTrace trace;
  const ScriptedRun run = run_script(scene, cycles, &states, &trace);

  // Depth at the simulated object in every cycle, from all points.
  const BodyModel model(scene.bodies[0].model);
  const double h = model.field->edge();
  ContactTraversal every(*model.shell, *model.tree, *model.field, {});
  std::vector<double> depth, time;
  for (const RecordedState& state : states) {
    double deepest = 0.0;
    for (const TouchingPoint& p : every.run(state.poses[0], state.poses[1], ModalCoordinates(0))) {
      deepest = std::max(deepest, -p.distance / h);
    }
    depth.push_back(deepest);
    time.push_back(static_cast<double>(time.size()) / scene.rate_hz);
  }
  const auto rest = static_cast<std::size_t>(kRest_s * scene.rate_hz);
  // The cycles in the gap, where the traversal visits the most nodes.
  const auto moving = trace.visited.begin() + static_cast<std::ptrdiff_t>(rest);
  const auto most = static_cast<std::size_t>(std::max_element(moving, trace.visited.end()) -
                                             trace.visited.begin());
  const std::size_t middle = std::clamp<std::size_t>(most, 50, states.size() - 50);

  ResultTable table({"configuration", "touch us", "nodes", "points in contact", "published: us",
                     "published: nodes", "published: contacts"});
  const auto row = [&](const char* name, std::size_t begin, std::size_t end, const char* us,
                       const char* nodes, const char* contacts) {
    table.add({name, fmt::format("{:.2f}", median(trace.touch_us, begin, end)),
               fmt::format("{:.0f}", median(trace.visited, begin, end)),
               fmt::format("{:.0f}", median(trace.contacts, begin, end)), us, nodes, contacts});
  };
  row("start", rest / 2, rest - 10, "106", "2", "0");
  row("middle", middle - 20, middle + 20, "156", "233", "5");
  row("solved", states.size() - 100, states.size(), "108", "16", "0");
  experiment.report(
      fmt::format("{} points in {} levels, field of {:.2f} mm voxels, gap 1.2 times the bar; {} "
                  "cycles, {} in contact, touch p50 {:.2f} us p99 {:.2f} us",
                  model.shell->size(), model.tree->level_count(), 1e3 * h, run.cycles,
                  run.in_contact, run.touch.p50, run.touch.p99),
      table);
  draw_figure({"time [s]", "deepest point [voxels]", {{"simulation object", time, depth}}},
              experiment.path("depth", ".png"));
  draw_figure({"time [s]", "nodes visited", {{"with temporal coherence", time, trace.visited}}},
              experiment.path("nodes", ".png"));
  picture(experiment, scene, states.front().poses[1], "start");
  picture(experiment, scene, states[middle].poses[1], "middle");
  picture(experiment, scene, states.back().poses[1], "solved");

  SweptContact swept(*model.shell, *model.tree, *model.field);
  experiment.at_most("interlocked at the start: straight ways out",
                     ways_out(swept, states.front().poses[1]), 0.0);
  experiment.at_least("apart at the end: straight ways out of 200",
                      ways_out(swept, states.back().poses[1]), 20.0);
  experiment.at_most("A58 deepest point at the simulation object [voxels]",
                     *std::max_element(depth.begin(), depth.end()), 0.5);
  experiment.at_most("A59 nodes visited at the start, median of cycles after warm-up",
                     median(trace.visited, rest / 2, rest - 10), 5.0);
}

}  // namespace
}  // namespace haptic

int main(int argc, char** argv) {
  return haptic::run_experiment(
      argc, argv, "alpha_puzzle",
      "The alpha puzzle solved by a recorded hand (Barbic 2007, figure 3.31)",
      haptic::alpha_puzzle);
}
