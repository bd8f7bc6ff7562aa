#include <string_view>

#include "rt/worlds/scene_tables.h"

namespace haptic {

SceneDevice read_device(const TomlTable& table) {
  SceneDevice d;
  d.name = table.text("name", d.name);
  if (table.has("script"))
    d.script = std::filesystem::absolute(table.file("script")).lexically_normal();
  if (table.choice("hand", {"scripted", "spring-damper"}, "scripted") == "spring-damper") {
    d.hand.kind = HandKind::kSpringDamper;
    d.hand.mass = table.number("mass", NumberRange::positive("kg"), d.hand.mass);
    d.hand.stiffness =
        table.number("stiffness", NumberRange::non_negative("N/m"), d.hand.stiffness);
    d.hand.damping = table.number("damping", NumberRange::non_negative("N s/m"), d.hand.damping);
  } else {
    for (const std::string_view key : {"mass", "stiffness", "damping"}) {
      if (table.has(key)) {
        table.refuse(key, "found a property that a scripted hand does not have",
                     "hand = \"spring-damper\" beside it");
      }
    }
  }
  table.finish();
  return d;
}

}  // namespace haptic
