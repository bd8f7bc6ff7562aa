// How calm contact is on scanned and designed meshes: a ball and a bolt are pressed onto a soft
// body at its extremities, held still and dragged, from soft to stiff contact.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "bench/experiments/calm_run.h"
#include "bench/experiments/experiment.h"
#include "bench/experiments/made_scene.h"
#include "host/formats/mesh_file.h"
#include "host/mesh/catalogue.h"
#include "rt/worlds/solids/solids_settings.h"
#include "shared/artifact/model_file.h"
#include "shared/error.h"

namespace haptic {
namespace {

constexpr double kLength = 0.2;     // of every body [m]
constexpr double kHeld = 0.15;      // part of its height that is fixed
constexpr double kReach = 0.3;      // part of its height below which it is not pressed
constexpr double kGap = 0.01;       // between tool and body before the press [m]
constexpr double kPress = 0.008;    // of the hand beyond the first contact [m]
constexpr double kDrag = 0.01;      // along the surface [m]
constexpr double kPressed_s = 1.0;  // when the hand has pressed

struct Sizes {
  int resolution, points;
  std::vector<double> moduli, stiffnesses, dampings;
  std::size_t places;
};

Sizes sizes_of(const Experiment& experiment) {
  if (experiment.quick()) return {16, 2000, {3e4}, {500.0, 1e6}, {0.0}, 1};
  return {24, 10000, {3e4, 1e6}, {500.0, 20'000.0, 1e6}, {0.0, 200.0}, 3};
}

/// Tools of the catalogue, by part name.
struct Tool {
  const char *name, *shape;
  double length;  // m
  int field;
};
constexpr Tool kTools[] = {{"ball", "sphere", 0.02, 64}, {"bolt", "bolt", 0.058, 128}};

std::string body_recipe(const std::string& part, const TriangleMesh& mesh, const Sizes& sizes,
                        double modulus) {
  const BoundingBox box = bounding_box(mesh);
  const double factor = kLength / box.longest_side();
  return fmt::format(R"([source]
mesh = "{}.obj"
length = {}
[mesh]
resolution = {}
[material]
youngs_modulus = {}
poisson_ratio = 0.3
density = 1000.0
damping_ratios = [0.03, 0.06]
[constraints]
planes = [{{ axis = "y", below = {:.9f} }}]
[reduction]
linear_modes = 10
dimension = 20
[shell]
points = {}
levels = 4
)",
                     part, kLength, sizes.resolution, modulus, factor * kHeld * box.size().y(),
                     sizes.points);
}

std::string tool_recipe(const Tool& tool) {
  return fmt::format(R"([source]
mesh = "{}.obj"
length = {}
[material]
density = 7850.0
[field]
resolution = {}
)",
                     tool.name, tool.length, tool.field);
}

/// A point of a surface and its outward normal.
struct Place {
  Vector3 point, normal;
};

/// The first points of the shell above the fixed part: they are far apart, so at ears and limbs.
std::vector<Place> places_on(const std::filesystem::path& model, std::size_t count) {
  const ModelFile file(model);
  const std::span<const float> points = file.floats("/shell/points");
  const std::span<const float> normals = file.floats("/shell/normals");
  float lowest = points[1], highest = points[1];
  for (std::size_t i = 1; i < points.size(); i += 3) {
    lowest = std::min(lowest, points[i]);
    highest = std::max(highest, points[i]);
  }
  std::vector<Place> places;
  for (std::size_t i = 0; i < points.size() && places.size() < count; i += 3) {
    if (points[i + 1] < lowest + kReach * (highest - lowest)) continue;
    places.push_back({{points[i], points[i + 1], points[i + 2]},
                      -Vector3(normals[i], normals[i + 1], normals[i + 2])});
  }
  return places;
}

/// Places a tool, its long axis along the normal, at the gap from a place.
Pose start_of(const TriangleMesh& tool, const Place& place) {
  Pose pose;
  pose.orientation = Quaternion::FromTwoVectors(Vector3::UnitX(), Vector3(-place.normal));
  double reach = 0.0;
  for (const Vector3& v : tool.vertices) {
    reach = std::max(reach, (pose.orientation * v).dot(-place.normal));
  }
  pose.position = place.point + (reach + kGap) * place.normal;
  return pose;
}

/// Presses, rests, drags along the surface and leaves; at most 0.07 m/s.
HandScript hand_at(MadeScene& files, const Place& place) {
  const Vector3 pressed = -(kGap + kPress) * place.normal;
  const Vector3 dragged = pressed + kDrag * place.normal.unitOrthogonal();
  files.add_hand("hand.csv", {{0.0, Vector3::Zero()},
                              {kPressed_s, pressed},
                              {1.3, pressed},
                              {1.8, dragged},
                              {2.1, dragged},
                              {3.0, Vector3::Zero()},
                              {3.1, Vector3::Zero()}});
  return HandScript::load(files.folder() / "hand.csv");
}

std::string scene_text(const std::string& body, const Tool& tool) {
  return fmt::format(R"(rate_hz = 1000
[[body]]
name = "body"
model = "{}.h5"
role = "anchored"
[[body]]
name = "tool"
model = "{}.h5"
role = "held"
[[contact]]
points = "body"
field = "tool"
stiffness = 500.0
[coupling]
permitted_depth = 0.001
[device]
name = "simulated"
script = "hand.csv"
)",
                     body, tool.name);
}

/// Meshes to press: the one of the command line, those beside the project, or a catalogue shape.
std::vector<std::filesystem::path> meshes_for(const Experiment& experiment,
                                              const MadeScene& files) {
  std::vector<std::filesystem::path> found;
  if (!experiment.mesh().empty()) return {experiment.mesh()};
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(HAPTIC_DEFAULT_MESHES, none)) {
    if (entry.path().extension() == ".obj") found.push_back(entry.path());
  }
  std::ranges::sort(found);
  const bool few = experiment.quick() && found.size() > 2;
  if (few) found = {found[2], found.back()};
  if (found.empty()) {
    found.push_back(files.folder() / "heart.obj");
    write_obj(found.back(), make_shape("heart", {}));
  }
  return found;
}

void calm_meshes(Experiment& experiment) {
  const Sizes sizes = sizes_of(experiment);
  MadeScene files(experiment.path("files", ""));
  std::vector<std::string> tools;
  std::vector<TriangleMesh> tool_meshes;
  for (const Tool& tool : kTools) {
    const TriangleMesh mesh = make_shape(tool.shape, {});
    tool_meshes.push_back(scaled(mesh, tool.length / bounding_box(mesh).longest_side()));
    write_obj(files.folder() / fmt::format("{}.obj", tool.name), mesh);
    files.add_file(fmt::format("{}.toml", tool.name), tool_recipe(tool));
    tools.push_back(tool.name);
  }
  files.bake(tools);
  std::vector<std::string> columns = {"mesh", "E [Pa]", "tool", "place"};
  for (const double k : sizes.stiffnesses) columns.push_back(fmt::format("{:g} N/m", k));
  ResultTable table(columns);
  CalmRun worst;
  int runs = 0, calm_runs = 0, still = 0;
  double least_force = std::numeric_limits<double>::infinity();
  for (const std::filesystem::path& path : meshes_for(experiment, files)) {
    const TriangleMesh mesh = read_mesh(path);
    for (const double modulus : sizes.moduli) {
      const std::string part = fmt::format("{}-{:g}", path.stem().string(), modulus);
      if (!std::filesystem::exists(files.folder() / (part + ".obj"))) {
        write_obj(files.folder() / (part + ".obj"), mesh);
      }
      files.add_file(part + ".toml", body_recipe(part, mesh, sizes, modulus));
      files.bake({part});
      const std::vector<Place> places = places_on(files.folder() / (part + ".h5"), sizes.places);
      for (std::size_t t = 0; t < std::size(kTools); ++t) {
        files.add_file("scene.toml", scene_text(part, kTools[t]));
        for (std::size_t p = 0; p < places.size(); ++p) {
          const HandScript hand = hand_at(files, places[p]);
          Scene scene = load_scene(files.folder() / "scene.toml");
          scene.bodies[1].pose = start_of(tool_meshes[t], places[p]);
          std::vector<std::string> cells = {path.stem().string(), fmt::format("{:g}", modulus),
                                            kTools[t].name, std::to_string(p + 1)};
          for (const double k : sizes.stiffnesses) {
            CalmRun all;
            for (const double damping : sizes.dampings) {
              SolidsSettings& settings = edit_solids(scene);
              settings.contacts[0].settings.stiffness = k;
              settings.contacts[0].settings.damping = damping;
              for (const HandKind kind : {HandKind::kScripted, HandKind::kSpringDamper}) {
                all.take(play_calm(scene, hand, kind));
              }
              all.take(play_calm(scene, hand, HandKind::kScripted, kPressed_s));
            }
            ++runs;
            calm_runs += all.switches <= 4 && all.change <= 0.5 && all.fault_s < 0.0 ? 1 : 0;
            still += all.spread <= 0.01 ? 1 : 0;
            least_force = std::min(least_force, all.largest);
            worst.take(all);
            cells.push_back(all.fault_s >= 0.0 ? fmt::format("fault at {:.2f} s", all.fault_s)
                                               : fmt::format("{}; {:.2g} N; {:.2g}", all.switches,
                                                             all.change, all.spread));
          }
          table.add(cells);
        }
      }
    }
  }
  experiment.report(
      "contact begins or ends; largest change of force in a cycle; deviation of the force over its "
      "mean while the hand is still",
      table);
  experiment.at_least("smallest largest contact force of a run [N]", least_force, 0.02);
  experiment.at_most("changes between contact and none", worst.switches, 4.0);
  experiment.at_most("largest change of the contact force in a cycle [N]", worst.change, 0.5);
  experiment.at_most("hand still: deviation of the force over its mean", worst.spread, 0.01);
  experiment.at_most("faults", worst.fault_s >= 0.0 ? 1.0 : 0.0, 0.0);
  experiment.at_least("calm runs, fraction", double(calm_runs) / runs, 1.0);
  experiment.at_least("runs at rest while the hand is still, fraction", double(still) / runs, 1.0);
}

}  // namespace
}  // namespace haptic

int main(int argc, char** argv) {
  return haptic::run_experiment(
      argc, argv, "calm_meshes",
      "A ball and a bolt pressed onto soft bodies of real meshes, held and dragged",
      haptic::calm_meshes, haptic::Shape::kOwnOrMesh);
}
