#include "rt/worlds/solids/solids_tables.h"

#include <fmt/format.h>

#include <optional>

namespace haptic::solids {

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
  auto settings = std::make_shared<SolidsSettings>();
  std::optional<TomlTable> among;
  for (const TomlTable& table : root.tables("contact")) {
    if (!table.has("among")) {
      settings->contacts.push_back(read_contact(table, core, settings->contacts));
    } else if (among) {
      table.refuse("among", "found a second time", "one contact with it");
    } else {
      among = table;
    }
  }
  for (const TomlTable& table : root.tables("joint")) {
    settings->joints.push_back(read_joint(table, core, settings->joints));
  }
  if (const auto table = root.optional_table("dynamics")) {
    settings->dynamics = read_dynamics(*table);
  }
  if (among) {
    add_contacts_among(*among, core, settings->joints, settings->dynamics.pair_capacity.has_value(),
                       settings->contacts);
  }
  return settings;
}

}  // namespace haptic::solids
