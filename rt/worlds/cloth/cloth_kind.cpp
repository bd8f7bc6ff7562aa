#include "rt/worlds/cloth/cloth_kind.h"

#include "rt/worlds/cloth/cloth_keys.h"
#include "rt/worlds/cloth/cloth_tables.h"
#include "rt/worlds/cloth/cloth_world.h"

namespace haptic::cloth {

const WorldKind& cloth_world_kind() {
  static constexpr WorldKind kKind{
      .name = "cloth",
      .read = read_cloth,
      .make = [](const Scene& scene, const Clock* clock) -> std::unique_ptr<World> {
        return std::make_unique<ClothWorld>(scene, clock);
      },
      .keys = cloth_keys,
      .has_other_weights = true,
  };
  return kKind;
}

}  // namespace haptic::cloth
