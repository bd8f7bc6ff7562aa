// A rack with twelve knobs is laid on a soft bridge: contact at twelve sites at once, with one
// scale for all of them and with one for each (Barbic 2007, Fig. 3.1;
// docs/methods/contact-and-coupling.md, "Scaling").
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

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

constexpr int kAlong = 6, kSites = 2 * kAlong;
constexpr double kSpacing = 0.036, kAcross = 0.054, kKnob = 0.005;  // m

/// Knob under which the point of contact is, in the rack's frame.
Vector3 knob(int site) {
  return {kSpacing * (site % kAlong - 0.5 * (kAlong - 1)), 0.0, (site / kAlong - 0.5) * kAcross};
}

/// A plate above y = 0 with knobs below, long axis x.
TriangleMesh rack(std::uint32_t resolution) {
  const Vector3 half(0.1, 0.003, 0.034);
  const Implicit solid = [=](const Vector3& p) {
    double d = box_distance(p - Vector3(0.0, half.y(), 0.0), half, 0.001);
    for (int s = 0; s < kSites; ++s) d = smooth_union(d, (p - knob(s)).norm() - kKnob, 0.0005);
    return d;
  };
  return implicit_surface(
      solid, {{-half.x(), -kKnob, -half.z()}, {half.x(), 2.0 * half.y(), half.z()}}, resolution);
}

Scene make_scene(const Experiment& experiment, MadeScene& files) {
  const bool quick = experiment.quick();
  write_obj(files.folder() / "rack.obj", rack(quick ? 120 : 240));
  files.add_file("bridge.toml",
                 bridge_recipe(quick ? 60 : 96, quick ? 40'000 : 256'000, quick ? 4 : 5));
  files.add_file("rack.toml", fmt::format(R"([source]
mesh = "rack.obj"
length = 0.2
[material]
density = 500.0
[field]
resolution = {}
)",
                                          quick ? 128 : 256));
  // Level on the chords, then one end down.
  files.add_hand("hand.csv", {{0.0, {0.0, 0.0, 0.0}},
                              {1.0, {0.0, -0.014, 0.0}},
                              {2.0, {0.0, -0.024, 0.0}},
                              {3.0, {0.0, -0.024, 0.0}, {0.0, 0.0, 0.06}},
                              {4.0, {0.0, -0.024, 0.0}, {0.05, 0.0, 0.06}}});
  files.add_file("scene.toml", R"(rate_hz = 1000
[[body]]
name = "bridge"
model = "bridge.h5"
role = "anchored"
[[body]]
name = "rack"
model = "rack.h5"
role = "held"
position = [0.0, 0.066, 0.0]
[[contact]]
points = "bridge"
field = "rack"
stiffness = 500.0
[coupling]
stiffness = 400.0
rotational_stiffness = 4.0
permitted_depth = 0.012
[device]
name = "simulated"
script = "hand.csv"
)");
  return files.load("scene.toml", {"bridge", "rack"});
}

/// Contact at one instant, site by site.
struct Sites {
  std::array<int, kSites> contacts{};
  std::array<double, kSites> force{}, depth{};  // N downwards on the bridge, m of the deepest point
  double total = 0.0, deepest = 0.0;
  std::uint32_t visited = 0;
  int touching() const {
    return static_cast<int>(std::ranges::count_if(contacts, [](int c) { return c > 0; }));
  }
};

Sites sites_at(ContactPair& pair, const RecordedState& state) {
  Sites sites;
  const ContactResult& result = pair.evaluate(state.poses[0], state.poses[1], state.coordinates);
  sites.visited = result.visited_nodes;
  for (const Contact& c : pair.contacts()) {
    const Vector3 p = state.poses[1].to_material(c.position);
    int nearest = 0;
    for (int s = 1; s < kSites; ++s) {
      if ((p - knob(s)).norm() < (p - knob(nearest)).norm()) nearest = s;
    }
    const auto site = static_cast<std::size_t>(nearest);
    ++sites.contacts[site];
    sites.force[site] += c.force.y();
    sites.depth[site] = std::max(sites.depth[site], c.depth);
    sites.total += c.force.y();
    sites.deepest = std::max(sites.deepest, c.depth);
  }
  return sites;
}

void bridge_sites(Experiment& experiment) {
  MadeScene files(experiment.path("scene", ""));
  Scene scene = make_scene(experiment, files);
  const BodyModel bridge(scene.bodies[0].model), held(scene.bodies[1].model);
  const double h = held.field->edge();

  ResultTable table(
      {"scale", "when", "sites", "contacts", "nodes", "force N", "of a site N", "deepest voxels"});
  std::vector<double> number;
  for (int s = 0; s < kSites; ++s) number.push_back(s + 1);
  Figure figure{"site", "force on the bridge [N]", {}};
  int most_sites = 0;
  double deepest[2] = {};
  std::vector<RecordedState> states;
  for (const bool each : {false, true}) {
    solids::SceneContact& contact = solids::edit_solids(scene).contacts.at(0);
    contact.settings.scaling = each ? ContactScaling::kPerSite : ContactScaling::kPublished;
    run_script(scene, 4000, &states);
    ContactPair pair(*bridge.shell, *bridge.tree, *held.field, contact.settings, HeldSide::kField);
    const char* name = each ? "each site" : "all sites";
    for (const int cycle : {1990, 3990}) {
      const Sites sites = sites_at(pair, states[static_cast<std::size_t>(cycle)]);
      const auto [low, high] = std::ranges::minmax(sites.force);
      const int contacts = std::accumulate(sites.contacts.begin(), sites.contacts.end(), 0);
      table.add({name, cycle < 2000 ? "level" : "tilted", fmt::format("{}", sites.touching()),
                 fmt::format("{}", contacts), fmt::format("{}", sites.visited),
                 fmt::format("{:.2f}", sites.total), fmt::format("{:.2f} to {:.2f}", low, high),
                 fmt::format("{:.2f}", sites.deepest / h)});
      most_sites = std::max(most_sites, sites.touching());
      deepest[each ? 1 : 0] = std::max(deepest[each ? 1 : 0], sites.deepest);
      figure.curves.push_back({fmt::format("{}, {}", cycle < 2000 ? "level" : "tilted", name),
                               number,
                               {sites.force.begin(), sites.force.end()},
                               each,
                               true});
    }
  }
  experiment.report(fmt::format("{} points, voxel {:.2f} mm; no coherence between cycles",
                                bridge.shell->size(), 1e3 * h),
                    table);
  draw_figure(figure, experiment.path({}, ".png"));

  const RecordedState& last = states[1990];
  SceneFrame frame;
  frame.bodies.push_back({"bridge", scene.bodies[0].model, last.poses[0], last.coordinates});
  frame.bodies.push_back({"rack", scene.bodies[1].model, last.poses[1], {}});
  SceneRenderer renderer({.width = 1000, .height = 560, .azimuth = 0.5, .elevation = 0.3});
  write_png(renderer.draw(frame), experiment.path("picture", ".png"));

  experiment.at_least("sites in contact at once", most_sites, kSites);
  // With one scale for all, every site is soft if another one has many points.
  experiment.at_most("deepest point, one scale for each site over one scale for all",
                     deepest[1] / deepest[0], 1.0);
}

}  // namespace
}  // namespace haptic

int main(int argc, char** argv) {
  return haptic::run_experiment(argc, argv, "bridge_sites",
                                "Twelve sites of contact at once (Barbic 2007, figure 3.1)",
                                haptic::bridge_sites);
}
