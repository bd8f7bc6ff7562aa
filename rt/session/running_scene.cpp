#include "rt/session/running_scene.h"

#include <cmath>
#include <cstdint>
#include <utility>

#include "rt/session/scene_session.h"
#include "rt/worlds/scene_device.h"
#include "shared/config/toml_bounds.h"
#include "shared/error.h"
#include "shared/files/regular_file.h"

namespace haptic {
namespace {

/// Longest time an output may act without renewal, unless the scene sets it: a real device exerts
/// force meanwhile.
constexpr double kMaxOutput_s = 0.02;

/// A virtual device exerts no force on a person, and a machine without a real-time kernel may miss
/// half of the slots. There a loop is overloaded only if it misses nearly all of them.
constexpr double kVirtualOverload_s = 0.5;
constexpr double kVirtualOverloadFraction = 0.95;

TelemetryWriter telemetry_of(const Scene& scene, const Device& device, const World& world,
                             const SessionOptions& options, const TelemetrySession* predecessor) {
  TelemetryDescription description = describe_session(scene, device, world);
  if (predecessor != nullptr) return {options.name, description, *predecessor};
  if (!description.manifest_path.empty()) {
    description.texts.manifest =
        read_regular_file(description.manifest_path, "a device's manifest", kMaxTomlBytes);
  }
  return {options.name, description};
}

}  // namespace

Scene read_scene(const std::filesystem::path& path, const SessionOptions& options) {
  Scene scene = load_scene(path);
  if (!options.device.empty()) scene.device.name = options.device;
  if (!options.script.empty() && !scene.device.is_simulated()) {
    throw InputError("--script", "", "found device \"" + scene.device.name + "\"",
                     "the simulated device (no other hand follows a script)");
  }
  if (!options.script.empty()) scene.device.script = std::filesystem::absolute(options.script);
  return scene;
}

void fit_to_device(Scene& scene, const Device& device) {
  ServoLimits& limits = scene.limits;
  if (device.capabilities().has_motors) {
    if (limits.stale_s == ServoLimits::kNone) limits.stale_s = kMaxOutput_s;
  } else if (!scene.sets_overload) {
    limits.overload_slots =
        static_cast<std::uint64_t>(std::llround(kVirtualOverload_s * scene.servo_rate())) + 1;
    limits.overload_fraction = kVirtualOverloadFraction;
    limits.overload_window_s = kVirtualOverload_s;
  }
  limit_to_device(scene, device.capabilities());
}

RunningScene::RunningScene(Scene scene, SceneWorld world, const SessionOptions& options,
                           const Device& device, Clock& clock, const TelemetrySession* predecessor)
    : scene_(std::move(scene)),
      world_(std::move(world)),
      telemetry_(telemetry_of(scene_, device, world_.at_servo(), options, predecessor)),
      servo_(world_.at_servo(), telemetry_, device.capabilities(), scene_.limits, scene_.passivity,
             scene_.servo_rate()) {
  if (world_.two_rate) {
    simulation_.emplace(*world_.two_rate, clock, telemetry_, scene_.rate_hz, options);
  }
}

}  // namespace haptic
