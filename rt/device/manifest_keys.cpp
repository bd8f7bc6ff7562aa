#include "rt/device/manifest_keys.h"

#include "rt/device/arm/arm_keys.h"
#include "rt/device/comedi/board_keys.h"
#include "rt/device/device_keys.h"
#include "rt/device/external/external_keys.h"
#include "rt/device/falcon/falcon_keys.h"

namespace haptic {

std::vector<KeyGroup> manifest_keys() {
  std::vector<KeyGroup> all;
  for (const auto groups : {manifest_core_groups(), simulated_groups(), replay_groups(),
                            external_groups(), falcon_groups(), arm_groups(), board_groups()}) {
    all.insert(all.end(), groups.begin(), groups.end());
  }
  return all;
}

}  // namespace haptic
