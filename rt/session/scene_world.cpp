#include "rt/session/scene_world.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "rt/worlds/implausible_scene.h"
#include "rt/worlds/make_world.h"

namespace haptic {

SceneWorld make_scene_world(const Scene& scene, const Clock* clock,
                            TwoRateWorld::Threading threading) {
  SceneWorld world;
  if (scene.cycles_per_step() == 1) {
    world.simulated = make_world(scene, clock);
    return world;
  }
  Scene apart = scene;
  apart.coupling.clutch_button.reset();  // the servo has the clutch
  world.simulated = make_world(apart, clock);
  TwoRateWorld::Settings settings;
  settings.world_rate_hz = scene.rate_hz;
  settings.cycles_per_step = scene.cycles_per_step();
  settings.threading = threading;
  settings.clutch_button =
      scene.coupling.clutch_button ? static_cast<int>(*scene.coupling.clutch_button) : -1;
  settings.clutch_fade_s = scene.coupling.clutch_fade_s;
  settings.timeout_s = scene.world_timeout_s;
  world.two_rate = std::make_unique<TwoRateWorld>(*world.simulated, settings, clock);
  return world;
}

std::vector<std::string> warnings_of(const Scene& scene, const SceneWorld& world) {
  std::vector<std::string> lines = implausible_values(scene);
  std::ranges::move(world.simulated->warnings(), std::back_inserter(lines));
  return lines;
}

}  // namespace haptic
