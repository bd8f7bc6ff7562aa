#include "rt/hapticd/running_scene.h"

#include <utility>

#include "rt/hapticd/scene_session.h"
#include "rt/worlds/scene_device.h"
#include "shared/error.h"

namespace haptic {
namespace {

/// What may stand as the answer to a hand that has moved on, where a scene does not say: a real
/// device pushes meanwhile.
constexpr double kLongestOutput_s = 0.02;

ServoLimits ceiling_of(const Device& device) {
  ServoLimits ceiling;
  ceiling.force = device.capabilities().max_force;
  ceiling.torque = device.capabilities().max_torque;
  return ceiling;
}

TelemetryWriter telemetry_of(const Scene& scene, const Device& device, const World& world,
                             const Options& options, const TelemetrySession* predecessor) {
  const TelemetryDescription description = describe_session(scene, device, world);
  if (predecessor == nullptr) return {options.name, description};
  return {options.name, description, *predecessor};
}

}  // namespace

Scene read_scene(const std::filesystem::path& path, const Options& options) {
  Scene scene = load_scene(path);
  if (!options.device.empty()) scene.device.name = options.device;
  if (!options.script.empty() && scene.device.name != "simulated") {
    throw InputError("--script", "", "found device \"" + scene.device.name + "\"",
                     "the simulated device (no other hand follows a script)");
  }
  if (!options.script.empty()) scene.device.script = std::filesystem::absolute(options.script);
  return scene;
}

void fit_to_device(Scene& scene, const Device& device) {
  if (!is_virtual(device) && !scene.limits.stale_s) scene.limits.stale_s = kLongestOutput_s;
  limit_to_device(scene, device.capabilities());
}

bool is_virtual(const Device& device) {
  return device.capabilities().name == "simulated" || device.capabilities().name == "replay";
}

RunningScene::RunningScene(Scene scene, SceneWorld world, const Options& options,
                           const Device& device, Clock& clock, const TelemetrySession* predecessor)
    : scene_(std::move(scene)),
      world_(std::move(world)),
      telemetry_(telemetry_of(scene_, device, world_.at_servo(), options, predecessor)),
      parameters_(world_.at_servo(), ceiling_of(device)),
      servo_(world_.at_servo(), telemetry_, device.capabilities(), servo_limits(scene_.limits),
             scene_.passivity, scene_.servo_rate()) {
  if (world_.two_rate) {
    simulation_.emplace(*world_.two_rate, clock, telemetry_, scene_.rate_hz, options);
  }
}

}  // namespace haptic
