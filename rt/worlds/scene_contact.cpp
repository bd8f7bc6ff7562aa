#include <fmt/format.h>

#include <string_view>

#include "rt/worlds/scene_tables.h"

namespace haptic {

namespace {

std::size_t read_body_name(const TomlTable& table, std::string_view key,
                           const std::vector<SceneBody>& bodies) {
  const std::string name = table.text(key);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (bodies[i].name == name) return i;
    names.push_back(bodies[i].name);
  }
  const std::string_view near = nearest_word(name, names);
  table.refuse(key, fmt::format("found \"{}\"", name),
               near.empty() ? fmt::format("the name of a body: {}", fmt::join(names, ", "))
                            : fmt::format("the name of a body, perhaps \"{}\"", near));
}

}  // namespace

SceneContact read_contact(const TomlTable& table, const Scene& scene) {
  SceneContact contact{};
  contact.points = read_body_name(table, "points", scene.bodies);
  contact.field = read_body_name(table, "field", scene.bodies);
  if (contact.points == contact.field) {
    table.refuse("field", "found the body that carries the points", "another body");
  }
  const std::size_t held = scene.held_body();
  if (contact.points != held && contact.field != held) {
    table.refuse("field", "found a pair of two anchored bodies",
                 fmt::format("the held body \"{}\" on one side", scene.bodies[held].name));
  }
  for (const SceneContact& other : scene.contacts) {
    if (other.points == contact.points && other.field == contact.field) {
      table.refuse("field", "found the same pair a second time", "each pair once");
    }
  }
  contact.stiffness = table.number("stiffness", range_of(kContactStiffness, "N/m"), 200.0);
  table.finish();
  return contact;
}

}  // namespace haptic
