// A scene file: refused with InputError or read; nothing else.
#include <cmath>
#include <cstdint>
#include <string>

#include "rt/worlds/cloth/cloth_kind.h"
#include "rt/worlds/cloth/cloth_settings.h"
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
    demand(scene.cycles_per_step() >= 1, "a world step is a cycle or more");
    if (scene.kind == &condensed::condensed_world_kind()) {
      const condensed::CondensedSettings& condensed = condensed::condensed_settings(scene);
      demand(condensed.body < scene.bodies.size() && condensed.body != scene.held_body(),
             "the condensed body is another than the held one");
      demand(condensed.capacity >= 1 &&
                 condensed.capacity <= condensed::CondensedSettings::kMaxContacts &&
                 condensed.points.size() <= condensed.capacity,
             "the points of a stylus have room");
      demand(condensed.friction >= 0.0 &&
                 condensed.friction <= condensed::CondensedSettings::kMaxFriction,
             "friction is in range");
      return 0;
    }
    if (scene.kind == &cloth::cloth_world_kind()) {
      const cloth::ClothSettings& cloth = cloth::cloth_settings(scene);
      demand(cloth.body < scene.bodies.size() && cloth.body != scene.held_body(),
             "the cloth is another body than the held one");
      demand(cloth.substeps >= 1 && cloth.iterations >= 1 && cloth.contact_capacity >= 1,
             "counts are positive");
      demand(cloth.wind.allFinite() && cloth.gust.allFinite() && std::isfinite(cloth.drag),
             "air is finite");
      demand(cloth.thickness > 0.0 && cloth.touch_radius > 0.0, "sizes are positive");
      for (const cloth::SceneClothConstraint& c : cloth.constraints) {
        demand(std::abs(c.direction.norm() - 1.0) < 1e-12 && c.centre.allFinite(),
               "directions have unit length");
      }
      return 0;
    }
    for (const solids::SceneContact& contact : solids::solids_settings(scene).contacts) {
      demand(contact.points < scene.bodies.size() && contact.field < scene.bodies.size(),
             "a contact names bodies");
    }
  } catch (const InputError&) {
  }
  return 0;
}
