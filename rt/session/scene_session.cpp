#include "rt/session/scene_session.h"

#include <filesystem>
#include <optional>
#include <string>

#include "rt/servo/parameter_table.h"

namespace haptic {

ServoLimits servo_limits(const SceneLimits& scene) {
  ServoLimits limits;
  const auto take = [](double& limit, const std::optional<double>& of_scene) {
    limit = of_scene.value_or(limit);
  };
  limits.force = scene.force;
  limits.torque = scene.torque;
  limits.ramp_s = scene.ramp_s;
  limits.stop_s = scene.stop_s;
  take(limits.slew_N_per_s, scene.slew_N_per_s);
  take(limits.torque_slew_Nm_per_s, scene.torque_slew_Nm_per_s);
  take(limits.power, scene.power);
  take(limits.impulse, scene.impulse);
  take(limits.impulse_window_s, scene.impulse_window_s);
  take(limits.speed, scene.speed);
  take(limits.angular_speed, scene.angular_speed);
  take(limits.workspace_radius, scene.workspace_radius);
  take(limits.stale_s, scene.stale_s);
  take(limits.stale_input_s, scene.stale_input_s);
  take(limits.overload_share, scene.overload_share);
  take(limits.overload_window_s, scene.overload_window_s);
  if (scene.overload_slots) {
    limits.overload_slots = static_cast<std::uint64_t>(*scene.overload_slots);
  }
  if (scene.stop_button) limits.stop_buttons = 1u << *scene.stop_button;
  if (scene.enable_button) limits.enable_buttons = 1u << *scene.enable_button;
  return limits;
}

TelemetryDescription describe_session(const Scene& scene, const Device& device,
                                      const World& world) {
  TelemetryDescription description;
  description.rate_hz = scene.servo_rate();
  description.length_scale = scene.length_scale;
  const ServoLimits limits = lowered_to(servo_limits(scene.limits), device.capabilities());
  description.force_limit_N = limits.force;
  description.torque_limit_Nm = limits.torque;
  description.device = std::string(device.capabilities().name);
  description.scene_path = std::filesystem::absolute(scene.file).string();
  description.state = world.state_layout();
  for (const BodyInfo& body : world.bodies()) {
    description.bodies.push_back(make_body_record(body.name, body.model_path, body.model_hash,
                                                  body.first_coordinate, body.coordinate_count,
                                                  body.held));
  }
  const ParameterTable table(world, device.capabilities(), scene.servo_rate());
  for (std::size_t i = 0; i < table.entries().size(); ++i) {
    const World::Parameter& p = table.entries()[i];
    const double value = i < kServoParameterCount ? limits.*kServoParameters[i].value
                                                  : world.parameter(i - kServoParameterCount);
    description.parameters.push_back(make_parameter_record(p.name, p.minimum, p.maximum, value));
  }
  return description;
}

}  // namespace haptic
