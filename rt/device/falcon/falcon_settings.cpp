#include "rt/device/falcon/falcon_settings.h"

#include <fmt/format.h>

#include "rt/device/falcon/falcon_keys.h"

namespace haptic {
namespace {

// Refuses legs that do not reach the workspace that the manifest declares.
void check_reach(const TomlTable& geometry, const FalconSettings& settings) {
  const FalconKinematics kinematics(settings.geometry);
  for (int axis = -1; axis < 3; ++axis) {
    for (const double side : {-1.0, 1.0}) {
      Vector3 p = settings.centre;
      if (axis >= 0) p[axis] += side * settings.workspace_radius;
      Vector3 angles, back = settings.centre;
      Matrix3 jacobian;
      if (kinematics.inverse(p, angles, jacobian) && kinematics.forward(angles, back) &&
          (back - p).norm() < 1e-6) {
        continue;
      }
      geometry.refuse(
          "", fmt::format("legs that do not reach ({:.4g}, {:.4g}, {:.4g}) m", p.x(), p.y(), p.z()),
          "legs that reach limits.workspace_radius about geometry.centre");
    }
  }
}

}  // namespace

FalconSettings read_falcon(const DeviceManifest& manifest) {
  const TomlTable& root = manifest.table;
  if (manifest.kind != "falcon") {
    root.refuse("kind", fmt::format("found \"{}\"", manifest.kind), "\"falcon\"");
  }
  root.use_keys(falcon_groups());
  FalconSettings settings;
  settings.name = manifest.name;
  settings.source = manifest.file.string();
  falcon_keys().read(root, settings);
  check_reach(root.table("geometry"), settings);
  return settings;
}

}  // namespace haptic
