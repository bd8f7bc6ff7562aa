#include "rt/worlds/solids/solids_keys.h"

#include <fmt/format.h>

#include "shared/config/nearest_word.h"

namespace haptic::solids {

const KeySchema<SolidsTables>& solids_keys() {
  static const KeySchema<SolidsTables> keys({
      tables("contact", &SolidsTables::contacts, contact_keys(),
             "A pair of bodies that touch: the points of one against the field of the other."),
      tables("joint", &SolidsTables::joints, joint_keys(),
             "Connects a free body or the held one with another body or the world."),
      table("dynamics", &SolidsTables::dynamics, dynamics_keys(), "How the bodies move in time."),
  });
  return keys;
}

std::size_t body_named(const TomlTable& table, std::string_view key, const std::string& name,
                       const std::vector<SceneBody>& bodies) {
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

std::shared_ptr<const WorldSettings> read_solids(const TomlTable& root, const Scene& core) {
  SolidsTables read;
  solids_keys().read_some(root, read);
  auto settings = std::make_shared<SolidsSettings>();
  settings->dynamics = read.dynamics;
  const std::vector<TomlTable> contacts = root.tables("contact"), joints = root.tables("joint");
  std::optional<std::size_t> among;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    if (!read.contacts[i].among) {
      settings->contacts.push_back(
          named_contact(contacts[i], read.contacts[i], core, settings->contacts));
    } else if (among) {
      contacts[i].refuse("among", "found a second time", "one contact with it");
    } else {
      among = i;
    }
  }
  for (std::size_t i = 0; i < joints.size(); ++i) {
    settings->joints.push_back(joint_of(joints[i], read.joints[i], core, settings->joints));
  }
  if (among) {
    add_contacts_among(contacts[*among], read.contacts[*among], core, settings->joints,
                       settings->dynamics.pair_capacity.has_value(), settings->contacts);
  }
  return settings;
}

}  // namespace haptic::solids
