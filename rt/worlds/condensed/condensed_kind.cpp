#include "rt/worlds/condensed/condensed_kind.h"

#include "rt/worlds/condensed/condensed_keys.h"
#include "rt/worlds/condensed/condensed_tables.h"
#include "rt/worlds/condensed/condensed_world.h"

namespace haptic::condensed {

const WorldKind& condensed_world_kind() {
  static constexpr WorldKind kKind{
      .name = "condensed",
      .read = read_condensed,
      .make = [](const Scene& scene, const Clock* clock) -> std::unique_ptr<World> {
        return std::make_unique<CondensedWorld>(scene, clock);
      },
      .keys = condensed_keys,
  };
  return kKind;
}

}  // namespace haptic::condensed
