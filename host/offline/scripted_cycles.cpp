#include "host/offline/scripted_cycles.h"

#include <cmath>

#include "rt/device/hand_script.h"
#include "rt/worlds/scene_device.h"
#include "shared/error.h"

namespace haptic {

ScriptedCycles::ScriptedCycles(const Scene& as_read, const OfflineSettings& settings) {
  SceneDevice hand = simulated_hand(as_read);
  if (settings.trajectory) hand.script = *settings.trajectory;
  if (hand.script.empty()) {
    throw InputError(as_read.file.string(), "device.script", "no hand trajectory",
                     "a script in the scene or --trajectory HAND.csv");
  }
  const double rate = as_read.servo_rate();
  const double end_s =
      settings.seconds ? *settings.seconds : HandScript::load(hand.script).end_time();
  count_ = static_cast<std::uint64_t>(std::floor(end_s * rate + 0.5)) + 1;
  device_ = make_device(hand, rate);
  cycle_ = std::make_unique<OfflineCycle>(as_read, *device_);
}

std::vector<LogBody> ScriptedCycles::bodies() {
  std::vector<LogBody> bodies;
  for (const BodyInfo& info : cycle_->world().bodies()) {
    bodies.push_back({info.name, info.model_path, info.model_hash, info.first_coordinate,
                      info.coordinate_count, info.held});
  }
  return bodies;
}

}  // namespace haptic
