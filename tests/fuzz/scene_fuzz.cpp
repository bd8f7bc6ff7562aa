// A scene file: refused with InputError or read; nothing else.
#include <cmath>
#include <cstdint>
#include <string>

#include "rt/worlds/condensed/condensed_kind.h"
#include "rt/worlds/condensed/condensed_settings.h"
#include "rt/worlds/scene.h"
#include "rt/worlds/solids/solids_settings.h"
#include "shared/error.h"
#include "tests/fuzz/fuzz_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace haptic;
  try {
    const Scene scene = parse_scene(std::string(text_of(data, size)), "/nowhere/scene.toml");
    demand(scene.held_body() < scene.bodies.size(), "one body is held");
    demand(std::isfinite(scene.servo_rate()) && scene.servo_rate() > 0.0, "the rate is positive");
    demand(scene.cycles_a_step() >= 1, "a world step is a cycle or more");
    if (scene.kind == &condensed_world_kind()) {
      const CondensedSettings& condensed = condensed_settings(scene);
      demand(condensed.body < scene.bodies.size() && condensed.body != scene.held_body(),
             "the condensed body is another than the held one");
      demand(condensed.capacity >= 1 && condensed.capacity <= CondensedSettings::kMostContacts &&
                 condensed.points.size() <= condensed.capacity,
             "the points of a stylus have room");
      demand(condensed.friction >= 0.0 && condensed.friction <= CondensedSettings::kMostFriction,
             "friction is in range");
      return 0;
    }
    for (const SceneContact& contact : solids_settings(scene).contacts) {
      demand(contact.points < scene.bodies.size() && contact.field < scene.bodies.size(),
             "a contact names bodies");
    }
  } catch (const InputError&) {
  }
  return 0;
}
