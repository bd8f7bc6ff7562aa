#include "host/unreduced/load_script.h"

#include <fmt/format.h>

#include <algorithm>

#include "host/unreduced/load_keys.h"
#include "shared/error.h"

namespace haptic {

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
  load_script_keys().read(root, script);
  const bool moves = script.gravity.norm() > 0.0 ||
                     std::ranges::any_of(script.loads, [](const ScriptedLoad& load) {
                       return load.force.norm() > 0.0;
                     });
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
