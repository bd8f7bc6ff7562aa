#include "rt/device/open_device.h"

#include "rt/device/comedi/open_comedi_arm.h"
#include "rt/device/device_keys.h"
#include "rt/device/device_limits.h"
#include "rt/device/external/open_external.h"
#include "rt/device/falcon/open_falcon.h"
#include "rt/device/replay_device.h"
#include "rt/device/simulated_settings.h"

namespace haptic {

std::unique_ptr<Device> open_device(const DeviceManifest& manifest, double rate_hz) {
  const TomlTable& table = manifest.table;
  if (manifest.kind == "simulated") {
    table.use_keys(simulated_manifest_keys());
    SimulatedSettings settings = read_simulated(table);
    if (const auto limits = table.optional_table("limits")) {
      settings.limits = read_device_limits(*limits, LimitsNeeded::kNone);
      limits->finish();
    }
    table.finish();
    return make_simulated(settings, rate_hz);
  }
  if (manifest.kind == "replay") {
    table.use_keys(replay_manifest_keys());
    const ReplaySettings settings = read_replay(table);
    table.finish();
    return open_replay(settings, rate_hz);
  }
  if (manifest.kind == "falcon") return open_falcon(manifest, rate_hz);
  if (manifest.kind == "comedi-arm") return open_comedi_arm(manifest, rate_hz);
  if (manifest.kind == "external") return open_external(manifest);
  table.refuse("kind", "found \"" + manifest.kind + "\"", "a kind this build has a driver for");
}

}  // namespace haptic
