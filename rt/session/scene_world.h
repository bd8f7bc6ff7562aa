#pragma once

#include <memory>
#include <string>
#include <vector>

#include "rt/servo/two_rate_world.h"
#include "rt/worlds/scene.h"
#include "rt/worlds/world.h"
#include "shared/clock.h"

namespace haptic {

/// The world of a scene and, if the servo has a separate rate, the world that the servo steps.
struct SceneWorld {
  std::unique_ptr<World> simulated;
  std::unique_ptr<TwoRateWorld> two_rate;  ///< null at equal rates

  /// To step at the servo's rate.
  World& at_servo() const { return two_rate ? *two_rate : *simulated; }
};

/// @param clock      as make_world
/// @param threading  of a two-rate scene: kApart where another thread calls simulate()
/// @throws InputError as make_world
SceneWorld make_scene_world(const Scene& scene, const Clock* clock,
                            TwoRateWorld::Threading threading);

/// What a user should know of the scene before it runs, one line each: implausible values of the
/// scene, then what its world says (World::warnings).
std::vector<std::string> warnings_of(const Scene& scene, const SceneWorld& world);

}  // namespace haptic
