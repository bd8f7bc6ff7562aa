#include "rt/device/open_device.h"

#include "rt/device/comedi/open_comedi_arm.h"
#include "rt/device/external/open_external.h"
#include "rt/device/falcon/open_falcon.h"
#include "rt/device/replay_device.h"
#include "rt/device/simulated_settings.h"

namespace haptic {

std::unique_ptr<Device> open_device(const DeviceManifest& manifest, double rate_hz) {
  const TomlTable& table = manifest.table;
  if (manifest.kind == "simulated") {
    return make_simulated(read_simulated_manifest(table), rate_hz);
  }
  if (manifest.kind == "replay") {
    return open_replay(read_replay(table), rate_hz);
  }
  if (manifest.kind == "falcon") return open_falcon(manifest, rate_hz);
  if (manifest.kind == "comedi-arm") return open_comedi_arm(manifest, rate_hz);
  if (manifest.kind == "external") return open_external(manifest);
  table.refuse("kind", "found \"" + manifest.kind + "\"", "a kind this build has a driver for");
}

}  // namespace haptic
