#include "rt/session/scene_session.h"

#include <fmt/format.h>

#include <filesystem>
#include <string>

#include "rt/device/device_manifest.h"
#include "rt/servo/parameter_table.h"
#include "shared/config/modification_time.h"

namespace haptic {

TelemetryDescription describe_session(const Scene& scene, const Device& device,
                                      const World& world) {
  TelemetryDescription description;
  description.rate_hz = scene.servo_rate();
  description.length_scale = scene.length_scale;
  const ServoLimits limits = lowered_to(scene.limits, device.capabilities());
  description.force_limit_N = limits.force;
  description.torque_limit_Nm = limits.torque;
  description.device_stiffness_N_m = device.capabilities().max_stiffness;
  description.device = std::string(device.capabilities().name);
  description.scene_path = std::filesystem::absolute(scene.file).string();
  description.scene_modified_ns = scene.modified_ns;
  description.texts.scene = scene.text;
  if (!scene.device.is_simulated()) {
    const std::filesystem::path manifest =
        std::filesystem::absolute(find_manifest(scene.device.name));
    description.manifest_path = manifest.string();
    description.manifest_modified_ns = modification_time_ns(manifest);
  }
  description.version = HAPTIC_VERSION;
  description.state = world.state_layout();
  for (const BodyInfo& body : world.bodies()) {
    description.bodies.push_back(make_body_record(body.name, body.model_path, body.model_hash,
                                                  body.first_coordinate, body.coordinate_count,
                                                  body.held));
  }
  const ParameterTable table(world, device.capabilities(), scene.servo_rate());
  for (std::size_t i = 0; i < table.size(); ++i) {
    const World::Parameter& p = table.entries()[i];
    description.parameters.push_back(
        make_parameter_record(p.name, p.minimum, p.maximum, table.value(i, limits, world, device)));
  }
  return description;
}

std::string describe_fault(FaultKind fault, const World& world, std::uint32_t failed_body) {
  std::string cause;
  const bool of_capacity = fault == FaultKind::kWorldCapacity;
  const bool of_world = fault == FaultKind::kWorldDiverged || fault == FaultKind::kWorldNotFinite;
  if ((of_world || of_capacity) && failed_body < world.bodies().size()) {
    cause = fmt::format("body \"{}\"", world.bodies()[failed_body].name);
  }
  if (of_capacity && !world.capacity_key().empty()) {
    cause += fmt::format("{}raise {}", cause.empty() ? "" : ": ", world.capacity_key());
  }
  if (cause.empty()) return std::string(name(fault));
  return fmt::format("{} ({})", name(fault), cause);
}

}  // namespace haptic
