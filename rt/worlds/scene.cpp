#include "rt/worlds/scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <variant>
#include <vector>

#include "rt/worlds/scene_keys.h"
#include "rt/worlds/world_kind.h"
#include "shared/config/modification_time.h"
#include "shared/config/toml_reader.h"
#include "shared/error.h"

namespace haptic {

namespace {

/// Refuses bodies that do not fit each other or the kind of world.
void check_bodies(const TomlTable& root, const Scene& scene) {
  const std::vector<TomlTable> tables = root.tables("body");
  const SceneBody* held = nullptr;
  bool is_free = false;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const SceneBody& body = scene.bodies[i];
    const auto same_name = [&](const SceneBody& other) { return other.name == body.name; };
    if (&*std::ranges::find_if(scene.bodies, same_name) != &body) {
      tables[i].refuse("name", fmt::format("found \"{}\" a second time", body.name),
                       "a unique name");
    }
    if (body.role == BodyRole::kFree && !scene.kind->has_free_bodies) {
      tables[i].refuse("role", fmt::format("found \"free\" in world = \"{}\"", scene.kind->name),
                       "\"anchored\" or \"held\"");
    }
    if (body.role == BodyRole::kFree && std::holds_alternative<AnalyticShape>(body.model)) {
      tables[i].refuse("shape", "found for a free body, which needs a mass",
                       "a model written by `haptic bake`");
    }
    if (body.role == BodyRole::kHeld && held != nullptr) {
      tables[i].refuse("role", fmt::format("found a second held body after \"{}\"", held->name),
                       "exactly one held body");
    }
    if (body.role == BodyRole::kHeld) held = &body;
    is_free = is_free || body.role == BodyRole::kFree;
  }
  if (held == nullptr) {
    root.refuse("body", "found no body with role \"held\"", "exactly one held body");
  }
  if (!is_free && !scene.kind->gravity_acts_on_anchored && root.has("gravity")) {
    root.refuse("gravity", "found without a body that it acts on", "a body with role = \"free\"");
  }
}

Scene read_scene(const TomlDocument& document) {
  const TomlTable root = document.root();
  if (!root.has("body") && root.has("source")) {
    throw InputError(document.path().string(), "", "found a recipe (a table [source], no body)",
                     "a scene, which names the model that `haptic bake` makes of a recipe");
  }
  root.use_keys(scene_core_keys());
  Scene scene;
  scene.file = std::filesystem::absolute(document.path()).lexically_normal();
  scene.text = document.text();
  world_key().read_some(root, scene);
  const KeyGroup of_kind = scene_keys_of(*scene.kind);
  root.use_keys({&of_kind, 1});
  scene_keys().read_some(root, scene);
  check_bodies(root, scene);
  scene.settings = scene.kind->read(root, scene);
  root.finish();
  return scene;
}

}  // namespace

Scene load_scene(const std::filesystem::path& path) {
  const std::int64_t modified_ns = modification_time_ns(path);
  Scene scene = read_scene(TomlDocument::load(path));
  scene.modified_ns = modified_ns;
  return scene;
}

Scene parse_scene(std::string text, const std::filesystem::path& path) {
  return read_scene(TomlDocument::parse(std::move(text), path));
}

}  // namespace haptic
