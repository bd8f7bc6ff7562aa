#include "rt/worlds/solids/solids_kind.h"

#include <span>

#include "rt/worlds/solids/solids_budget.h"
#include "rt/worlds/solids/solids_changed_defaults.h"
#include "rt/worlds/solids/solids_keys.h"
#include "rt/worlds/solids/solids_probe.h"
#include "rt/worlds/solids/solids_world.h"

namespace haptic::solids {

const WorldKind& solids_world_kind() {
  static constexpr WorldKind kKind{
      .name = "solids",
      .read = read_solids,
      .make = [](const Scene& scene, const Clock* clock) -> std::unique_ptr<World> {
        return std::make_unique<SolidsWorld>(scene, clock);
      },
      .keys = [] { return std::span<const DocumentKey>(solids_keys().described()); },
      .changed_defaults = solids_changed_defaults,
      .has_free_bodies = true,
      .measure_budget = measure_solids_budget,
      .make_contact_probe = make_solids_probe,
  };
  return kKind;
}

}  // namespace haptic::solids
