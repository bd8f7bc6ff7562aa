// A device manifest of any kind, through the readers that open_device calls before it touches
// hardware: refused with InputError or read; nothing else.
#include <cstdint>
#include <string>

#include "rt/device/arm/arm_settings.h"
#include "rt/device/comedi/board_settings.h"
#include "rt/device/device_manifest.h"
#include "rt/device/external/external_settings.h"
#include "rt/device/falcon/falcon_settings.h"
#include "rt/device/replay_device.h"
#include "rt/device/simulated_settings.h"
#include "shared/error.h"
#include "tests/fuzz/fuzz_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace haptic;
  try {
    const DeviceManifest manifest =
        parse_manifest(std::string(text_of(data, size)), "/nowhere/device.toml");
    demand(!manifest.name.empty() && manifest.name.size() <= 48, "a name is 1 to 48 characters");
    if (manifest.kind == "falcon") {
      read_falcon(manifest);
    } else if (manifest.kind == "comedi-arm") {
      read_arm(manifest);
      read_board(manifest);
    } else if (manifest.kind == "external") {
      read_external(manifest);
    } else if (manifest.kind == "replay") {
      read_replay(manifest.table);
    } else {
      demand(manifest.kind == "simulated", "there are five kinds");
      read_simulated_manifest(manifest.table);
    }
    manifest.table.finish();
  } catch (const InputError&) {
  }
  return 0;
}
