#include "rt/device/simulated_settings.h"
#include "rt/worlds/scene_tables.h"

namespace haptic {

SceneDevice read_device(const TomlTable& table) {
  SceneDevice d;
  d.name = table.text("name", d.name);
  if (d.is_simulated()) {
    static_cast<SimulatedSettings&>(d) = read_simulated(table);
  } else {
    for (const char* key : {"script", "hand", "encoder_step", "encoder_angle"}) {
      if (table.has(key)) {
        table.refuse(key, "found a property of the simulated device",
                     "name = \"simulated\" with it, or the key in the device's manifest");
      }
    }
  }
  table.finish();
  return d;
}

}  // namespace haptic
