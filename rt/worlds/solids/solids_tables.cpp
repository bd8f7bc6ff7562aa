#include "rt/worlds/solids/solids_tables.h"

#include <optional>

namespace haptic {

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
  if (among) add_contacts_among(*among, core, settings->contacts);
  if (const auto table = root.optional_table("dynamics")) {
    settings->dynamics = read_dynamics(*table);
  }
  return settings;
}

}  // namespace haptic
