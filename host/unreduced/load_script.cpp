#include "host/unreduced/load_script.h"

#include <fmt/format.h>

#include <limits>

#include "host/unreduced/load_keys.h"
#include "shared/config/toml_reader.h"
#include "shared/error.h"

namespace haptic {
namespace {

constexpr std::int64_t kMaxSteps = 100'000'000;

// Its square and the square of its work are far below overflow.
constexpr double kLargestForce_N = 1e12;

Vector3 vector_of(const TomlTable& table, std::string_view key, std::string_view unit) {
  const std::vector<double> values = table.numbers(key, 3, NumberRange::any(unit));
  return {values[0], values[1], values[2]};
}

PlaceChoice read_place(const TomlTable& table) {
  PlaceChoice place;
  const auto vertex =
      table.optional_integer("vertex", 0, std::numeric_limits<std::uint32_t>::max());
  const bool has_point = table.has("near");
  if (vertex.has_value() == has_point) {
    table.refuse("", has_point ? "found both \"vertex\" and \"near\"" : "found neither",
                 "either \"vertex\" (an id) or \"near\" = [x, y, z] [m]");
  }
  if (vertex) place.vertex = static_cast<std::uint32_t>(*vertex);
  if (has_point) place.near = vector_of(table, "near", "m");
  return place;
}

}  // namespace

MeshPlace PlaceChoice::resolve(const SolidMesh& mesh, const std::string& where) const {
  if (!vertex) return nearest_place(mesh, near);
  const auto count = static_cast<std::uint32_t>(mesh.vertex_count());
  if (*vertex >= count) {
    throw InputError(where, "vertex", fmt::format("found {}", *vertex),
                     fmt::format("an id below {}, the vertices of the mesh", count));
  }
  return MeshPlace::at_vertex(*vertex);
}

LoadScript load_script(const std::filesystem::path& path) {
  const TomlDocument document = TomlDocument::load(path);
  const TomlTable root = document.root();
  root.use_keys(load_keys());
  LoadScript script;
  script.file = path;
  script.dt = root.number("dt_s", NumberRange::positive("s"));
  script.steps = static_cast<int>(root.integer("steps", 1, kMaxSteps));
  if (root.has("gravity")) script.gravity = vector_of(root, "gravity", "m/s^2");
  if (root.has("damping")) {
    const auto damping = root.numbers("damping", 2, NumberRange::non_negative());
    script.damping = RayleighDamping{damping[0], damping[1]};
  }
  bool moves = script.gravity.norm() > 0.0;
  for (const TomlTable& table : root.tables("load")) {
    ScriptedLoad load;
    load.place = read_place(table);
    load.force = vector_of(table, "force_N", "N");
    if (!(load.force.norm() <= kLargestForce_N)) {
      table.refuse("force_N", fmt::format("found {:.4g} N", load.force.norm()),
                   fmt::format("at most {:g} N", kLargestForce_N));
    }
    load.from = table.number("from_s", NumberRange::non_negative("s"), 0.0);
    load.to = table.number("to_s", NumberRange::non_negative("s"),
                           std::numeric_limits<double>::infinity());
    if (!(load.to > load.from)) {
      table.refuse("to_s", fmt::format("found {}", load.to),
                   fmt::format("a time after from_s = {} [s]", load.from));
    }
    table.finish();
    moves = moves || load.force.norm() > 0.0;
    script.loads.push_back(load);
  }
  for (const TomlTable& table : root.tables("probe")) {
    script.probes.push_back(read_place(table));
    table.finish();
  }
  root.finish();
  if (!moves) {
    root.refuse("load", "found no load and no gravity that is not zero",
                "a [[load]] with a force, or gravity");
  }
  return script;
}

LoadSequence::LoadSequence(const LoadScript& script, const SolidMesh& mesh) : script_(script) {
  const std::string file = script.file.string();
  for (std::size_t i = 0; i < script.loads.size(); ++i) {
    places_.push_back(script.loads[i].place.resolve(mesh, fmt::format("{}: load[{}]", file, i)));
  }
  for (std::size_t i = 0; i < script.probes.size(); ++i) {
    probes_.push_back(script.probes[i].resolve(mesh, fmt::format("{}: probe[{}]", file, i)));
  }
}

std::vector<LoadSequence::PointForce> LoadSequence::in_step(int step) const {
  const double middle = (step - 0.5) * script_.dt;
  std::vector<PointForce> forces;
  for (std::size_t i = 0; i < script_.loads.size(); ++i) {
    const ScriptedLoad& load = script_.loads[i];
    if (middle < load.from || middle >= load.to) continue;
    const MeshPlace& place = places_[i];
    for (std::size_t a = 0; a < place.count; ++a) {
      forces.push_back({place.vertices[a], place.weights[a] * load.force});
    }
  }
  return forces;
}

}  // namespace haptic
