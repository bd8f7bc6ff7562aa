#include "rt/device/device_manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "rt/device/device_keys.h"
#include "shared/error.h"

namespace haptic {

namespace {

namespace fs = std::filesystem;

DeviceManifest read_common(const TomlDocument& document) {
  const TomlTable root = document.root();
  root.use_keys(manifest_core_groups());
  DeviceManifest manifest{
      fs::absolute(document.path()).lexically_normal(), {}, {}, {}, root, document.text()};
  manifest_core_keys().read_some(root, manifest);
  return manifest;
}

}  // namespace

bool has_motors(std::string_view kind) {
  return kind != "simulated" && kind != "replay";
}

DeviceManifest load_manifest(const fs::path& path) {
  return read_common(TomlDocument::load(path));
}

DeviceManifest parse_manifest(std::string text, const fs::path& source) {
  return read_common(TomlDocument::parse(std::move(text), source));
}

std::vector<fs::path> manifest_folders() {
  std::vector<fs::path> folders{"/etc/hapticd/devices", "/usr/share/hapticd/firmware-config"};
  std::error_code ignored;  // a folder that is not there is no reason to stop
  fs::path folder = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  for (; folder.has_relative_path(); folder = folder.parent_path()) {
    if (!fs::is_directory(folder / "firmware-config", ignored)) continue;
    folders.push_back(folder / "firmware-config");
    break;
  }
  return folders;
}

std::vector<fs::path> list_manifests(const std::vector<fs::path>& folders) {
  std::vector<fs::path> found;
  for (const fs::path& folder : folders) {
    std::vector<fs::path> here;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
      const fs::path& path = entry->path();
      if (path.extension() != ".toml") continue;
      const bool known = std::any_of(found.begin(), found.end(), [&](const fs::path& other) {
        return other.filename() == path.filename();
      });
      if (!known) here.push_back(path);
    }
    std::sort(here.begin(), here.end());
    found.insert(found.end(), here.begin(), here.end());
  }
  return found;
}

fs::path find_manifest(std::string_view name, const std::vector<fs::path>& folders) {
  if (name.find('/') != name.npos || name.ends_with(".toml")) return name;
  std::vector<std::string> names, places;
  for (const fs::path& path : list_manifests(folders)) {
    if (path.stem() == name) return path;
    names.push_back(path.stem());
  }
  for (const fs::path& folder : folders) places.push_back(folder.string());
  std::string expected = fmt::format("\"simulated\" or a manifest in {}", fmt::join(places, ", "));
  if (!names.empty()) expected += fmt::format(" ({})", fmt::join(names, ", "));
  if (const std::string_view near = nearest_word(name, names); !near.empty()) {
    expected += fmt::format(", perhaps \"{}\"", near);
  }
  throw InputError("device", "name", fmt::format("found \"{}\"", name), expected);
}

}  // namespace haptic
