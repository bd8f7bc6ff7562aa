#include "rt/hapticd/scene_session.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <string>

#include "rt/servo/parameter_table.h"

namespace haptic {

ServoLimits servo_limits(const SceneLimits& scene) {
  constexpr double none = std::numeric_limits<double>::infinity();
  ServoLimits limits;
  limits.force = scene.force;
  limits.torque = scene.torque;
  limits.ramp_s = scene.ramp_s;
  limits.slew_N_per_s = scene.slew_N_per_s.value_or(none);
  limits.torque_slew_Nm_per_s = scene.torque_slew_Nm_per_s.value_or(none);
  limits.power = scene.power.value_or(none);
  limits.speed = scene.speed.value_or(none);
  limits.angular_speed = scene.angular_speed.value_or(none);
  limits.stale_s = scene.stale_s.value_or(none);
  if (scene.stop_button) limits.stop_buttons = 1u << *scene.stop_button;
  limits.workspace_radius = scene.workspace_radius.value_or(none);
  return limits;
}

TelemetryDescription describe_session(const Scene& scene, const Device& device,
                                      const World& world) {
  TelemetryDescription description;
  description.rate_hz = scene.servo_rate();
  description.length_scale = scene.length_scale;
  description.force_limit_N = std::min(scene.limits.force, device.capabilities().max_force);
  description.torque_limit_Nm = std::min(scene.limits.torque, device.capabilities().max_torque);
  description.device = std::string(device.capabilities().name);
  description.scene_path = std::filesystem::absolute(scene.file).string();
  description.coordinate_count = static_cast<std::uint32_t>(world.coordinates().size());
  for (const BodyInfo& body : world.bodies()) {
    description.bodies.push_back(make_body_record(body.name, body.model_path, body.model_hash,
                                                  body.first_coordinate, body.coordinate_count,
                                                  body.held));
  }
  ServoLimits ceiling;
  ceiling.force = device.capabilities().max_force;
  ceiling.torque = device.capabilities().max_torque;
  const ServoLimits limits = servo_limits(scene.limits);
  const double of_servo[kServoParameterCount] = {
      description.force_limit_N, description.torque_limit_Nm, limits.ramp_s, limits.slew_N_per_s};
  const ParameterTable table(world, ceiling);
  for (std::size_t i = 0; i < table.entries().size(); ++i) {
    const World::Parameter& p = table.entries()[i];
    const double value =
        i < kServoParameterCount ? of_servo[i] : world.parameter(i - kServoParameterCount);
    description.parameters.push_back(make_parameter_record(p.name, p.minimum, p.maximum, value));
  }
  return description;
}

}  // namespace haptic
