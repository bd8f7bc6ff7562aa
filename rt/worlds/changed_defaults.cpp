#include "rt/worlds/changed_defaults.h"

#include <fmt/format.h>

#include "rt/worlds/world_kind.h"
#include "shared/config/toml_reader.h"

namespace haptic {

std::vector<std::string> changed_defaults(const Scene& scene) {
  if (scene.kind == nullptr || scene.kind->changed_defaults == nullptr) return {};
  const TomlDocument document = TomlDocument::parse(scene.text, scene.file);
  std::vector<std::string> lines;
  for (const ChangedDefault& change : scene.kind->changed_defaults()) {
    if (change.since <= scene.defaults || !change.concerns(scene, document.root())) continue;
    lines.push_back(fmt::format("{}: the default is now {}: {}; for the old one type {}",
                                change.key, change.now, change.effect, change.before));
  }
  if (!lines.empty()) {
    lines.push_back(
        fmt::format("type defaults = {} before the first table when the scene is right "
                    "with the present defaults",
                    kDefaultsVersion));
  }
  return lines;
}

}  // namespace haptic
