#include "rt/worlds/condensed/condensed_kind.h"

#include <array>
#include <span>

#include "rt/worlds/changed_coupling.h"
#include "rt/worlds/condensed/condensed_keys.h"
#include "rt/worlds/condensed/condensed_world.h"

namespace haptic::condensed {
namespace {

/// The rows that both worlds of contact at any speed have, then the own one.
std::span<const ChangedDefault> condensed_changed_defaults() {
  static const std::array<ChangedDefault, 4> changes = {
      kChangedCoupling[0], kChangedCoupling[1], changed_static_damping(lacks_static_damping),
      ChangedDefault{2, "condensed.integrator", "integrator = \"implicit\"", "\"exact\"",
                     "modes ring with the damping of the recipe at any rate",
                     [](const Scene& scene, const TomlTable& root) {
                       if (condensed_settings(scene).coupling ==
                           CondensedSettings::Coupling::kStatics) {
                         return false;
                       }
                       const auto table = root.optional_table("condensed");
                       return !table || !table->has("integrator");
                     }}};
  return changes;
}

}  // namespace

const WorldKind& condensed_world_kind() {
  static constexpr WorldKind kKind{
      .name = "condensed",
      .read = read_condensed,
      .make = [](const Scene& scene, const Clock* clock) -> std::unique_ptr<World> {
        return std::make_unique<CondensedWorld>(scene, clock);
      },
      .keys = [] { return std::span<const DocumentKey>(condensed_keys().described()); },
      .changed_defaults = condensed_changed_defaults,
  };
  return kKind;
}

}  // namespace haptic::condensed
