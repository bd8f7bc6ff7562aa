#include "rt/device/simulated_settings.h"

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rt/device/enable_button.h"

namespace haptic {

SimulatedSettings read_simulated(const TomlTable& table) {
  SimulatedSettings d;
  if (table.has("script"))
    d.script = std::filesystem::absolute(table.file("script")).lexically_normal();
  const std::string hand =
      table.choice("hand", {"scripted", "spring-damper", "free", "steered"}, "scripted");
  const auto refuse_others = [&](std::initializer_list<std::string_view> keys,
                                 std::string_view expected) {
    for (const std::string_view key : keys) {
      if (!table.has(key)) continue;
      table.refuse(key, "found a property that a " + hand + " hand does not have", expected);
    }
  };
  if (hand == "scripted") {
    refuse_others({"mass", "stiffness", "damping", "push"},
                  "hand = \"spring-damper\" or \"free\" with it");
  } else {
    d.hand.mass = table.number("mass", NumberRange::positive("kg"), d.hand.mass);
    d.hand.damping = table.number("damping", NumberRange::non_negative("N s/m"), d.hand.damping);
  }
  if (hand == "spring-damper" || hand == "steered") {
    d.hand.kind = hand == "steered" ? HandKind::kSteered : HandKind::kSpringDamper;
    d.hand.stiffness =
        table.number("stiffness", NumberRange::non_negative("N/m"), d.hand.stiffness);
    refuse_others({"push"}, "hand = \"free\" with it");
    if (hand == "steered") refuse_others({"script"}, "hand = \"spring-damper\" with it");
  } else if (hand == "free") {
    d.hand.kind = HandKind::kFree;
    refuse_others({"stiffness"}, "hand = \"spring-damper\" with it");
    if (table.has("push")) {
      const std::vector<double> push = table.numbers("push", 3, NumberRange::any("N"));
      d.hand.push = {push[0], push[1], push[2]};
    }
  }
  d.encoder.step = table.number("encoder_step", NumberRange::non_negative("m"), d.encoder.step);
  d.encoder.angle =
      table.number("encoder_angle", NumberRange::non_negative("rad"), d.encoder.angle);
  SimulatedHardware& h = d.hardware;
  h.amplifier.saturation =
      table.number("saturation", NumberRange::positive("N"), h.amplifier.saturation);
  h.amplifier.delay_s = table.number("delay", NumberRange::between(0.0, 1.0, "s"), 0.0);
  h.watch.speed = table.number("watch_speed", NumberRange::positive("m/s"), h.watch.speed);
  h.watch.stuck_s = table.number("watch_stuck_s", NumberRange::positive("s"), h.watch.stuck_s);
  h.watch.stuck_torque =
      table.number("watch_stuck_force", NumberRange::positive("N"), h.watch.stuck_torque);
  h.faults = read_faults(table);
  h.enable_button = read_enable_button(table);
  return d;
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
