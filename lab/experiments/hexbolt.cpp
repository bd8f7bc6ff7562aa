// A driver in the hand turns a bolt into a nut and out again, and sticks where torque is too small
// or friction too large (docs/methods/multibody.md, "Acceptance tests", 27 and 28; Xu, Zhao &
// Barbic 2014, section 6).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "host/formats/mesh_file.h"
#include "host/mesh/catalogue.h"
#include "lab/experiments/experiment.h"
#include "lab/experiments/figure.h"
#include "lab/experiments/made_scene.h"
#include "rt/device/hand_script.h"
#include "rt/worlds/solids/solids_settings.h"
#include "rt/worlds/solids/solids_world.h"

namespace haptic {
namespace {

constexpr std::uint32_t kButton = 1u << 1;
constexpr double kSpeed = 12.0;                 // of the servo's target [rad/s]
constexpr double kStuck = 1e-3, kTurns = 1e-2;  // rad/s

Scene make_scene(const Experiment& experiment) {
  const auto shipped = std::filesystem::path(HAPTIC_SOURCE_FOLDER) / "scenes/hexbolt";
  MadeScene files(experiment.path("scene", ""));
  for (const char* name : {"nut.toml", "bolt.toml", "bit.toml", "scene.toml", "hand.csv"}) {
    std::ifstream in(shipped / name, std::ios::binary);
    files.add_file(name, {std::istreambuf_iterator<char>(in), {}});
  }
  const auto mesh = [&](const char* name, const char* shape,
                        const std::map<std::string, double>& values) {
    const auto file = files.folder() / name;
    if (!std::filesystem::exists(file)) write_obj(file, make_shape(shape, values));
  };
  // As scenes/bake.sh does.
  mesh("bolt.obj", "bolt", {{"length", 0.035}, {"slot", 0.003}});
  mesh("nut.obj", "nut", {});
  mesh("bit.obj", "box", {{"size_x", 0.014}, {"size_y", 0.02}, {"size_z", 0.0024}});
  return files.load("scene.toml", {"nut", "bolt", "bit"});
}

/// What a run records in every cycle.
struct Record {
  std::vector<double> time;    // s
  std::vector<double> height;  // of the bolt above its end [mm]
  std::vector<double> spin;    // of the bolt [rad/s]
  std::vector<double> torque;  // of the driver on the hand, about the axis [mN m]
  std::vector<double> points;  // in contact

  /// The smallest and the largest magnitude of the spin between two times.
  std::pair<double, double> spins(double from, double to) const {
    std::pair<double, double> range{1e9, 0.0};
    for (std::size_t i = 0; i < time.size(); ++i) {
      if (time[i] < from || time[i] >= to) continue;
      range.first = std::min(range.first, std::abs(spin[i]));
      range.second = std::max(range.second, std::abs(spin[i]));
    }
    return range;
  }
  double height_at(double at) const {
    return height[static_cast<std::size_t>(std::ranges::lower_bound(time, at) - time.begin())];
  }
};

/// @param seconds  of the hand
Record play(const Scene& scene, const HandScript& hand, double seconds) {
  solids::SolidsWorld world(scene, nullptr);
  const auto bolt = static_cast<std::size_t>(
      std::ranges::find(scene.bodies, "bolt", &SceneBody::name) - scene.bodies.begin());
  Record record;
  WorldOutput output;
  const double dt = 1.0 / scene.rate_hz;
  for (int i = 0; i * dt <= seconds; ++i) {
    DeviceState state;
    state.pose = hand.pose(i * dt);
    state.twist = hand.twist(i * dt);
    state.buttons = hand.buttons(i * dt);
    if (world.step(state, output) != WorldStatus::kOk) break;
    std::size_t points = 0;
    for (const solids::ContactSet::Pair& pair : world.pairs())
      points += pair.contact.contacts().size();
    record.time.push_back(i * dt);
    record.height.push_back(1e3 * world.poses()[bolt].position.y());
    // The bolt is the first of the free bodies.
    record.spin.push_back(world.free_bodies()[0]->twist().angular.y());
    record.torque.push_back(1e3 * output.device_wrench.torque.y());
    record.points.push_back(static_cast<double>(points));
  }
  return record;
}

/// Largest relative difference of the spin from the servo's speed.
double speed_error(const std::pair<double, double>& spins) {
  return std::max(1.0 - spins.first / kSpeed, spins.second / kSpeed - 1.0);
}

void drive_in_and_out(Experiment& experiment, const Scene& scene) {
  const HandScript hand = HandScript::load(scene.device.script);
  const Record run = play(scene, hand, hand.end_time());
  ResultTable table({"time s", "height mm", "spin rad/s", "torque mN m", "points"});
  for (std::size_t i = 0; i < run.time.size(); i += 1000) {
    table.add({fmt::format("{:.0f}", run.time[i]), fmt::format("{:.3f}", run.height[i]),
               fmt::format("{:.3f}", run.spin[i]), fmt::format("{:.2f}", run.torque[i]),
               fmt::format("{:.0f}", run.points[i])});
  }
  experiment.report("a bolt is driven in, held at its end and driven out", table, "run");
  draw_figure({"time [s]", "points in contact", {{"points", run.time, run.points}}},
              experiment.path("points", ".png"));
  draw_figure({"time [s]",
               "",
               {{"spin of the bolt [rad/s]", run.time, run.spin},
                {"torque on the hand [mN m]", run.time, run.torque}}},
              experiment.path("torque", ".png"));
  experiment.at_least("cycles", static_cast<double>(run.time.size()), 14000.0);
  experiment.at_most("driven in: error of the speed", speed_error(run.spins(0.6, 4.3)), 0.1);
  experiment.at_most("driven out: error of the speed", speed_error(run.spins(7.7, 11.5)), 0.1);
  experiment.at_most("at its end: height [mm]", run.height_at(5.0), 0.1);
  experiment.at_most("at its end, under torque for 1.5 s: spin [rad/s]", run.spins(5.2, 6.7).second,
                     kStuck);
  experiment.at_least("driven out: height [mm]", run.height_at(12.5), 19.5);
}

void stick_and_turn(Experiment& experiment, const Scene& shipped) {
  // The hand presses on the bolt, by 4 mm of the coupling's spring; then the driver runs.
  const Quaternion still = Quaternion::Identity();
  const HandScript hand({{0.0, {{0.0, 0.0, 0.0}, still}},
                         {0.5, {{0.0, -4e-3, 0.0}, still}, kButton},
                         {2.0, {{0.0, -4e-3, 0.0}, still}, kButton}});
  struct State {
    const char* name;
    double friction, limit;  // 1, N m
    bool turns;
  };
  // By the inclined plane, 1.96 N on the thread need 1.8 mN m at friction 0.2, 4.3 at 0.4.
  const State states[] = {{"A", 0.2, 1e-9, false},
                          {"B", 0.2, 1.5e-3, false},
                          {"C", 0.2, 2.5e-3, true},
                          {"D", 0.4, 2.5e-3, false},
                          {"E", 0.4, 6e-3, true}};
  ResultTable table({"state", "friction", "largest torque mN m", "spin rad/s, from", "to"});
  for (const State& state : states) {
    Scene scene = shipped;
    solids::SolidsSettings& settings = solids::edit_solids(scene);
    for (solids::SceneContact& contact : settings.contacts) {
      contact.settings.friction = {state.friction, state.friction, {}};
    }
    settings.joints.front().settings.servo->force_limit = state.limit;
    // Later, the bolt has gone down by what the hand presses, and the bit comes out of the slot.
    const auto spins = play(scene, hand, 1.5).spins(0.9, 1.5);
    table.add({state.name, fmt::format("{:g}", state.friction),
               fmt::format("{:.3g}", 1e3 * state.limit), fmt::format("{:.3g}", spins.first),
               fmt::format("{:.3g}", spins.second)});
    if (state.turns) {
      experiment.at_least(fmt::format("{}: slowest spin [rad/s]", state.name), spins.first, kTurns);
      experiment.at_most(fmt::format("{}: error of the speed", state.name), speed_error(spins),
                         0.1);
    } else {
      experiment.at_most(fmt::format("{}: fastest spin [rad/s]", state.name), spins.second, kStuck);
    }
  }
  experiment.report("torque and friction", table, "states");
}

void hexbolt(Experiment& experiment) {
  const Scene scene = make_scene(experiment);
  drive_in_and_out(experiment, scene);
  stick_and_turn(experiment, scene);
}

}  // namespace
}  // namespace haptic

int main(int argc, char** argv) {
  return haptic::run_experiment(
      argc, argv, "hexbolt",
      "A driver turns a bolt into a nut (Xu, Zhao & Barbic 2014, figures 7 and 8)",
      haptic::hexbolt);
}
