#include "rt/device/external/external_settings.h"

#include "rt/device/external/external_keys.h"

namespace haptic {

ExternalSettings read_external(const DeviceManifest& manifest) {
  const TomlTable& root = manifest.table;
  if (manifest.kind != "external") {
    root.refuse("kind", "found \"" + manifest.kind + "\"", "\"external\"");
  }
  root.use_keys(external_groups());
  ExternalSettings settings;
  settings.name = manifest.name;
  settings.source = manifest.file.string();
  settings.link = manifest.name;
  external_keys().read(root, settings);
  return settings;
}

}  // namespace haptic
