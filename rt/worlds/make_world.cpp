#include "rt/worlds/make_world.h"

#include "rt/worlds/world_kind.h"
#include "shared/assert.h"

namespace haptic {

std::unique_ptr<World> make_world(const Scene& scene, const Clock* clock) {
  HAPTIC_DEMAND(scene.kind != nullptr);
  return scene.kind->make(scene, clock);
}

}  // namespace haptic
