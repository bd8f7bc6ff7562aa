#include "rt/device/arm/arm_settings.h"

#include "rt/device/arm/arm_keys.h"

namespace haptic {

ArmSettings read_arm(const DeviceManifest& manifest) {
  const TomlTable& root = manifest.table;
  root.use_keys(arm_groups());
  ArmSettings arm;
  arm.name = manifest.name;
  arm.source = manifest.file.string();
  arm_keys().read_some(root, arm);
  check_arm(arm);
  return arm;
}

}  // namespace haptic
