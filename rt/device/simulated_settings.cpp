#include "rt/device/simulated_settings.h"

#include "rt/device/device_keys.h"
#include "rt/device/simulated_keys.h"

namespace haptic {

SimulatedSettings read_simulated(const TomlTable& table) {
  SimulatedSettings settings;
  simulated_keys().read_some(table, settings);
  return settings;
}

SimulatedSettings read_simulated_manifest(const TomlTable& root) {
  root.use_keys(simulated_groups());
  SimulatedSettings settings = read_simulated(root);
  simulated_limits_keys().read_some(root, settings);
  root.finish();
  return settings;
}

HandScript hand_script(const SimulatedSettings& settings) {
  return settings.script.empty() ? HandScript() : HandScript::load(settings.script);
}

std::unique_ptr<Device> make_simulated(const SimulatedSettings& settings, double rate_hz) {
  auto device = std::make_unique<SimulatedDevice>(hand_script(settings), rate_hz, settings.hand,
                                                  settings.encoder, settings.hardware);
  device->set_limits(settings.limits);
  return device;
}

}  // namespace haptic
