// Steps a second of a scene along its hand script, in a plain loop; bench/world_steps.py compares
// Python with it.
//
// Usage: world_steps SCENE.toml STEPS
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <memory>

#include "host/offline/given_hand.h"
#include "host/offline/offline_cycle.h"
#include "rt/device/hand_script.h"
#include "rt/worlds/scene_device.h"

namespace haptic {
namespace {

/// Steps per second of one run, and the force at its end [N], which must equal the other runs'.
struct Speed {
  double steps_a_second = 0.0;
  Vector3 force;
};

Speed run(const Scene& scene, const HandScript& script, std::size_t steps) {
  const double rate = scene.servo_rate();
  const std::unique_ptr<Device> simulated = make_device(simulated_hand(scene), rate);
  GivenHand hand(simulated->capabilities());
  OfflineCycle cycle(scene, hand);
  const auto begin = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < steps; ++i) {
    const double time = static_cast<double>(i) / rate;
    hand.put(script.pose(time), script.twist(time), script.buttons(time));
    cycle.run();
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  return {static_cast<double>(steps) / seconds.count(),
          Vector3(cycle.sample().device_wrench.force_N)};
}

}  // namespace
}  // namespace haptic

int main(int count, char** arguments) {
  using namespace haptic;
  const long steps = count == 3 ? std::atol(arguments[2]) : 0;
  if (steps <= 0) {
    fmt::print(stderr, "usage: world_steps SCENE.toml STEPS\n");
    return 2;
  }
  try {
    const Scene scene = load_scene(arguments[1]);
    const HandScript script = HandScript::load(scene.device.script);
    Speed best;
    for (int i = 0; i < 3; ++i) {
      const Speed speed = run(scene, script, static_cast<std::size_t>(steps));
      best = {std::max(best.steps_a_second, speed.steps_a_second), speed.force};
    }
    fmt::print("{} {} {} {}\n", best.steps_a_second, best.force.x(), best.force.y(),
               best.force.z());
  } catch (const std::exception& error) {
    fmt::print(stderr, "world_steps: {}\n", error.what());
    return 1;
  }
  return 0;
}
