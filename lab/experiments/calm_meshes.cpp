// How calm contact is on scanned and designed meshes: a ball and a bolt are pressed onto a soft
// body at its extremities, held still and dragged, from soft to stiff contact.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "host/formats/mesh_file.h"
#include "host/mesh/catalogue.h"
#include "lab/experiments/calm_run.h"
#include "lab/experiments/experiment.h"
#include "lab/experiments/made_scene.h"
#include "rt/worlds/solids/solids_settings.h"
#include "rt/worlds/solids/solids_world.h"
#include "shared/artifact/model_file.h"
#include "shared/error.h"

namespace haptic {
namespace {

constexpr double kLength = 0.2;   // of every body [m]
constexpr double kHeld = 0.15;    // part of its height that is fixed
constexpr double kReach = 0.3;    // part of its height below which it is not pressed
constexpr double kGap = 0.01;     // between tool and body before the press [m]
constexpr double kPress = 0.008;  // of the hand beyond the first contact [m]
constexpr double kDrag = 0.01;    // along the surface [m]
constexpr std::size_t kCandidates = 30;
constexpr double kSmooth = 0.5;            // change of the contact force in a cycle [N]
constexpr double kFinerRate = 8000.0;      // Hz
constexpr double kUnlimitedSpeed = 100.0;  // m/s
constexpr double kPressed_s = 1.0;         // when the hand has pressed

struct Sizes {
  int resolution, points;
  std::vector<double> moduli, stiffnesses, dampings;
  std::size_t places;
  double rest_s;  // of a body of 2 Hz and a damping ratio of 0.03 [s]
};

Sizes sizes_of(const Experiment& experiment) {
  // 8 s: without the downloaded meshes only the heart is pressed, and it swings at 1.8 Hz.
  if (experiment.quick()) return {16, 2000, {3e4}, {500.0, 1e6}, {0.0}, 1, 8.0};
  return {24, 10000, {3e4, 1e6}, {500.0, 20'000.0, 1e6}, {0.0, 200.0}, 3, 12.0};
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
open = true
[mesh]
resolution = {}
cells = "full"
elements = "full"
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

/// Points of the shell above the fixed part. A shell lists its points in farthest-point order, so
/// the first ones are at ears and limbs.
std::vector<Place> places_on(const std::filesystem::path& model) {
  const ModelFile file(model);
  const std::span<const float> points = file.floats("/shell/points");
  const std::span<const float> normals = file.floats("/shell/normals");
  float lowest = points[1], highest = points[1];
  for (std::size_t i = 1; i < points.size(); i += 3) {
    lowest = std::min(lowest, points[i]);
    highest = std::max(highest, points[i]);
  }
  std::vector<Place> places;
  for (std::size_t i = 0; i < points.size() && places.size() < kCandidates; i += 3) {
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

/// Whether the tool touches nothing where it starts.
bool starts_free(const Scene& scene) {
  solids::SolidsWorld world(scene, nullptr);
  WorldOutput output;
  return world.step({}, output) == WorldStatus::kOk && output.contact_wrench.force.isZero(0.0);
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

/// All runs with one kind of normals.
struct Tally {
  CalmRun worst;
  int runs = 0, few = 0, smooth = 0;
  double least_force = std::numeric_limits<double>::infinity();

  void add(const CalmRun& run) {
    worst.take(run);
    ++runs;
    few += run.switches <= 4 ? 1 : 0;
    smooth += run.change <= kSmooth ? 1 : 0;
    least_force = std::min(least_force, run.largest);
  }
  double fraction(int count) const { return static_cast<double>(count) / runs; }
};

/// A run in which the contact force jumps, repeated with a step of an eighth.
struct Jump {
  std::vector<std::string> run;                  ///< as in the table, and the stiffness
  double change, finer_change, finer_change_ms;  ///< in a cycle of 1 and of 1/8 ms, in 1 ms [N]
  double free_change_ms;  ///< the same in 1 ms, with a tool that is not limited in speed [N]
};

/// The worst of all dampings and hands, and of a hand that stays where it has pressed.
CalmRun press(Scene& scene, const HandScript& hand, const Sizes& sizes, double stiffness,
              ContactNormals normals) {
  CalmRun all;
  for (const double damping : sizes.dampings) {
    solids::SceneContact& contact = solids::edit_solids(scene).contacts[0];
    contact.settings.stiffness = stiffness;
    contact.settings.damping = damping;
    contact.normals = normals;
    for (const HandKind kind : {HandKind::kScripted, HandKind::kSpringDamper}) {
      all.take(play_calm(scene, hand, kind));
    }
    all.take(play_calm(scene, hand, HandKind::kScripted, kPressed_s, sizes.rest_s));
  }
  return all;
}

constexpr ContactNormals kNormals[] = {ContactNormals::kShell, ContactNormals::kField};
constexpr const char* kNames[] = {"shell", "field"};

class MeshPresses {
 public:
  explicit MeshPresses(Experiment& experiment)
      : sizes_(sizes_of(experiment)),
        files_(experiment.path("files", "")),
        meshes_(meshes_for(experiment, files_)),
        table_(columns_of(sizes_)) {
    std::vector<std::string> parts;
    for (const Tool& tool : kTools) {
      const TriangleMesh mesh = make_shape(tool.shape, {});
      tools_.push_back(scaled(mesh, tool.length / bounding_box(mesh).longest_side()));
      write_obj(files_.folder() / fmt::format("{}.obj", tool.name), mesh);
      files_.add_file(fmt::format("{}.toml", tool.name), tool_recipe(tool));
      parts.push_back(tool.name);
    }
    files_.bake(parts);
  }

  void run() {
    for (const std::filesystem::path& path : meshes_) {
      for (const double modulus : sizes_.moduli) press_body(path, modulus);
    }
  }
  const ResultTable& table() const { return table_; }
  const Tally& tally(std::size_t normals) const { return tallies_[normals]; }
  const std::vector<Jump>& jumps() const { return jumps_; }

 private:
  static std::vector<std::string> columns_of(const Sizes& sizes) {
    std::vector<std::string> columns = {"mesh", "E [Pa]", "tool", "place", "normals"};
    for (const double k : sizes.stiffnesses) columns.push_back(fmt::format("{:g} N/m", k));
    return columns;
  }

  void press_body(const std::filesystem::path& path, double modulus) {
    const std::string name = path.stem().string(), part = fmt::format("{}-{:g}", name, modulus);
    const TriangleMesh mesh = read_mesh(path);
    if (!std::filesystem::exists(files_.folder() / (part + ".obj"))) {
      write_obj(files_.folder() / (part + ".obj"), mesh);
    }
    files_.add_file(part + ".toml", body_recipe(part, mesh, sizes_, modulus));
    files_.bake({part});
    const std::vector<Place> places = places_on(files_.folder() / (part + ".h5"));
    for (std::size_t t = 0; t < std::size(kTools); ++t) {
      files_.add_file("scene.toml", scene_text(part, kTools[t]));
      std::size_t pressed = 0;
      for (std::size_t p = 0; p < places.size() && pressed < sizes_.places; ++p) {
        Scene scene = load_scene(files_.folder() / "scene.toml");
        scene.bodies[1].pose = start_of(tools_[t], places[p]);
        if (!starts_free(scene)) continue;
        ++pressed;
        press_place(scene, places[p],
                    {name, fmt::format("{:g}", modulus), kTools[t].name, std::to_string(p + 1)});
      }
    }
  }

  void press_place(Scene& scene, const Place& place, const std::vector<std::string>& row) {
    const HandScript hand = hand_at(files_, place);
    for (std::size_t n = 0; n < std::size(kNormals); ++n) {
      std::vector<std::string> cells = row;
      cells.push_back(kNames[n]);
      for (const double k : sizes_.stiffnesses) {
        const CalmRun run = press(scene, hand, sizes_, k, kNormals[n]);
        tallies_[n].add(run);
        if (kNormals[n] == ContactNormals::kShell && run.change > kSmooth) {
          Scene finer = scene;
          finer.rate_hz = kFinerRate;
          const CalmRun again = press(finer, hand, sizes_, k, kNormals[n]);
          finer.coupling.max_speed = kUnlimitedSpeed;
          const CalmRun unlimited = press(finer, hand, sizes_, k, kNormals[n]);
          jumps_.push_back({row, run.change, again.change, again.change_ms, unlimited.change_ms});
          jumps_.back().run.push_back(fmt::format("{:g}", k));
        }
        cells.push_back(run.fault_s >= 0.0
                            ? fmt::format("fault at {:.2f} s", run.fault_s)
                            : fmt::format("{}; {:.2g}, {:.2g} N; {:.1g}", run.switches, run.change,
                                          run.felt, run.spread));
      }
      table_.add(cells);
    }
  }

  Sizes sizes_;
  MadeScene files_;
  std::vector<std::filesystem::path> meshes_;
  std::vector<TriangleMesh> tools_;
  ResultTable table_;
  Tally tallies_[std::size(kNormals)];
  std::vector<Jump> jumps_;
};

void report_jumps(Experiment& experiment, const std::vector<Jump>& jumps) {
  ResultTable table({"mesh", "E [Pa]", "tool", "place", "stiffness [N/m]", "1 kHz, a cycle [N]",
                     "8 kHz, a cycle [N]", "8 kHz, 1 ms [N]", "without speed limit, 1 ms [N]"});
  for (const Jump& jump : jumps) {
    std::vector<std::string> cells = jump.run;
    for (const double change :
         {jump.change, jump.finer_change, jump.finer_change_ms, jump.free_change_ms}) {
      cells.push_back(fmt::format("{:.2g}", change));
    }
    table.add(cells);
  }
  experiment.report("normals of the shell: runs in which the contact force jumps, at two rates",
                    table);
}

void calm_meshes(Experiment& experiment) {
  MeshPresses presses(experiment);
  presses.run();
  experiment.report(
      "contact begins or ends; largest change in a cycle of the contact force, of the device's; "
      "deviation of the device's force over its mean while the hand is still",
      presses.table());
  if (!presses.jumps().empty()) report_jumps(experiment, presses.jumps());
  for (std::size_t n = 0; n < std::size(kNormals); ++n) {
    const Tally& tally = presses.tally(n);
    const auto named = [&](const char* what) {
      return fmt::format("normals of the {}: {}", kNames[n], what);
    };
    fmt::print("{}\n",
               named(fmt::format("{} runs, contact force changes by at most {:.3g} N a cycle, "
                                 "deviation while the hand is still at most {:.2g}",
                                 tally.runs, tally.worst.change, tally.worst.spread)
                         .c_str()));
    experiment.at_least(named("least force of a press [N]"), tally.least_force, 0.02);
    experiment.at_most(named("faults"), tally.worst.fault_s >= 0.0 ? 1.0 : 0.0, 0.0);
    experiment.at_most(named("largest change of the device's force in a cycle [N]"),
                       tally.worst.felt, 0.5);
    experiment.at_least(named("runs with at most four changes between contact and none"),
                        tally.fraction(tally.few), 0.95);
    experiment.at_most(named("deviation of the force while the hand is still"), tally.worst.spread,
                       0.01);
  }
  // A force along the gradient of the tool's field jumps where a point slides over an edge of the
  // tool; one along the point's normal, where a point alone carries the tool and loses it.
  experiment.at_least("normals of the shell: contact force changes by at most 0.5 N a cycle",
                      presses.tally(0).fraction(presses.tally(0).smooth), 0.95);
}

}  // namespace
}  // namespace haptic

int main(int argc, char** argv) {
  return haptic::run_experiment(
      argc, argv, "calm_meshes",
      "A ball and a bolt pressed onto soft bodies of real meshes, held and dragged",
      haptic::calm_meshes, haptic::Shape::kOwnOrMesh);
}
