#include "host/offline/recorded_scene.h"

#include <optional>
#include <string>

namespace haptic {

Scene recorded_scene(const LogReader& log) {
  const std::string& path = log.description().scene_path;
  const std::optional<std::string> text = log.scene_text();
  return text ? parse_scene(*text, path) : load_scene(path);
}

}  // namespace haptic
