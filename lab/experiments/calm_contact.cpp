// How calm contact is, from soft to stiff: the shipped scenes with the contact forces of the start
// of a step and with those of its end (docs/methods/contact-and-coupling.md, "Implicit contact
// step").
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "host/formats/mesh_file.h"
#include "host/mesh/catalogue.h"
#include "lab/experiments/calm_run.h"
#include "lab/experiments/experiment.h"
#include "lab/experiments/figure.h"
#include "lab/experiments/made_scene.h"
#include "rt/worlds/solids/solids_settings.h"

namespace haptic {
namespace {

struct Shipped {
  const char *name, *body, *tool;
  double pressed_s;  // a time at which the hand of the scene presses
};
constexpr Shipped kScenes[] = {{"spoon_ball", "spoon", "ball", 3.0},
                               {"bridge_box", "bridge", "box", 3.0},
                               {"hose_bolt", "hose", "bolt", 3.5}};

Scene make_scene(const Experiment& experiment, const Shipped& of) {
  const auto shipped = std::filesystem::path(HAPTIC_SOURCE_FOLDER) / "scenes" / of.name;
  MadeScene files(experiment.path(of.name, ""));
  const std::string recipes[] = {fmt::format("{}.toml", of.body), fmt::format("{}.toml", of.tool)};
  for (const std::string& name :
       {recipes[0], recipes[1], std::string("scene.toml"), std::string("hand.csv")}) {
    std::ifstream in(shipped / name, std::ios::binary);
    files.add_file(name, {std::istreambuf_iterator<char>(in), {}});
  }
  const auto mesh = [&](const std::string& part, const std::string& shape,
                        const std::map<std::string, double>& with) {
    const auto path = files.folder() / (part + ".obj");
    if (!std::filesystem::exists(path)) write_obj(path, make_shape(shape, with));
  };
  mesh(of.body, of.body, {});
  if (std::string(of.tool) == "box") {
    mesh("box", "box", {{"size_y", 0.03}, {"size_z", 0.08}});
  } else {
    mesh(of.tool, std::string(of.tool) == "ball" ? "sphere" : of.tool, {});
  }
  return files.load("scene.toml", {of.body, of.tool});
}

std::string text_of(const CalmRun& calm) {
  if (calm.fault_s >= 0.0) return fmt::format("fault at {:.2f} s", calm.fault_s);
  return fmt::format("{}; {:.2g} N", calm.switches, calm.change);
}

void calm_contact(Experiment& experiment) {
  const std::vector<double> stiffnesses =
      experiment.quick()
          ? std::vector<double>{500, 20'000, 1'000'000}
          : std::vector<double>{500, 2'000, 5'000, 20'000, 50'000, 100'000, 300'000, 1'000'000};
  const std::vector<double> dampings =
      experiment.quick() ? std::vector<double>{0.0, 200.0} : std::vector<double>{0.0, 20.0, 200.0};
  CalmRun worst, worst_dynamic, worst_friction, worst_along_field;
  double explicit_change = 0.0, spread = 0.0;
  int runs = 0, few_changes = 0;  // of worst and worst_friction
  for (const Shipped& shipped : kScenes) {
    Scene scene = make_scene(experiment, shipped);
    scene.coupling.permitted_depth = 1e-3;
    const HandScript script = HandScript::load(scene.device.script);
    std::vector<std::string> columns = {"contact", "damping s/m"};
    for (const double k : stiffnesses) columns.push_back(fmt::format("{:g} N/m", k));
    ResultTable table(columns);
    const FrictionSettings rough{0.6, 0.4, {}};
    const auto row = [&](const char* name, bool implicit, CouplingMode mode, double damping,
                         CalmRun* most, const FrictionSettings& friction = {},
                         HandKind hand = HandKind::kScripted,
                         ContactNormals normals = ContactNormals::kShell) {
      std::vector<std::string> cells = {name, fmt::format("{:g}", damping)};
      for (const double k : stiffnesses) {
        scene.coupling.mode = mode;
        solids::SolidsSettings& settings = solids::edit_solids(scene);
        settings.dynamics.implicit_contact = implicit;
        settings.contacts[0].normals = normals;
        settings.contacts[0].settings.wall = 0.0;
        settings.contacts[0].settings.stiffness = k;
        settings.contacts[0].settings.damping = damping;
        settings.contacts[0].settings.friction = friction;
        const CalmRun calm = play_calm(scene, script, hand);
        cells.push_back(text_of(calm));
        if (!implicit && k <= 20'000) explicit_change = std::max(explicit_change, calm.change);
        if (most == nullptr) continue;
        most->take(calm);
        if (most == &worst || most == &worst_friction) {
          ++runs;
          few_changes += calm.switches <= 4 ? 1 : 0;
        }
        if ((most != &worst && most != &worst_along_field) || hand != HandKind::kScripted) continue;
        spread = std::max(spread, play_calm(scene, script, hand, shipped.pressed_s).spread);
      }
      table.add(cells);
    };
    row("start of the step, static", false, CouplingMode::kStatic, 0.0, nullptr);
    if (!experiment.quick()) {
      row("start, dynamic", false, CouplingMode::kDynamic, 0.0, nullptr);
    }
    for (const double c : dampings) {
      row("end of the step, static", true, CouplingMode::kStatic, c, &worst);
      if (!experiment.quick()) {
        row("end, dynamic", true, CouplingMode::kDynamic, c, &worst_dynamic);
      }
      row("end, static, friction", true, CouplingMode::kStatic, c, &worst_friction, rough);
      row("end, static, hand of spring and damper", true, CouplingMode::kStatic, c, &worst, {},
          HandKind::kSpringDamper);
      for (const HandKind hand : {HandKind::kScripted, HandKind::kSpringDamper}) {
        row(hand == HandKind::kScripted ? "end, static, along the field"
                                        : "end, static, along the field, spring and damper",
            true, CouplingMode::kStatic, c, &worst_along_field, {}, hand, ContactNormals::kField);
      }
    }
    experiment.report(
        fmt::format("{}: contact begins or ends; largest change of force in a cycle", shipped.name),
        table, shipped.name);
  }
  // Where a hose swings against a bolt that leaves, contact may end and begin again with less than
  // 1 mN.
  experiment.at_least("end of the step, static: runs with at most four changes of contact",
                      static_cast<double>(few_changes) / runs, 0.99);
  experiment.at_most("largest change of the contact force in a cycle [N]", worst.change, 0.5);
  // Where a point slides over an edge of the tool, its force turns at once; the coupling keeps this
  // from the hand.
  experiment.at_most("along the field: largest change of the force at the device in a cycle [N]",
                     worst_along_field.felt, 0.5);
  // All points that break away at once lose the difference of the two coefficients.
  experiment.at_most("with friction 0.6 / 0.4: largest change of the contact force in a cycle [N]",
                     worst_friction.change, 0.3 + 0.2 * worst_friction.largest);
  experiment.at_most("faults",
                     std::max({worst.fault_s, worst_dynamic.fault_s, worst_friction.fault_s,
                               worst_along_field.fault_s}) >= 0.0
                         ? 1.0
                         : 0.0,
                     0.0);
  experiment.at_most("hand still: deviation of the force over its mean", spread, 0.01);
  experiment.at_least("start of the step, up to 20,000 N/m: largest change [N]", explicit_change,
                      5.0);
}

}  // namespace
}  // namespace haptic

int main(int argc, char** argv) {
  return haptic::run_experiment(argc, argv, "calm_contact",
                                "The shipped scenes from soft to stiff contact: contact forces of "
                                "the start and of the end of a step",
                                haptic::calm_contact);
}
