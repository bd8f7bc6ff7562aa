#include "rt/worlds/solids/solids_tables.h"

namespace haptic {

std::shared_ptr<const WorldSettings> read_solids(const TomlTable& root, const Scene& core) {
  auto settings = std::make_shared<SolidsSettings>();
  for (const TomlTable& table : root.tables("contact")) {
    settings->contacts.push_back(read_contact(table, core, settings->contacts));
  }
  if (const auto table = root.optional_table("dynamics")) {
    settings->dynamics = read_dynamics(*table);
  }
  return settings;
}

}  // namespace haptic
