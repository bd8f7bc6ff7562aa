#include "rt/worlds/cloth/cloth_kind.h"

#include <array>
#include <span>
#include <string_view>

#include "rt/worlds/changed_coupling.h"
#include "rt/worlds/cloth/cloth_keys.h"
#include "rt/worlds/cloth/cloth_world.h"

namespace haptic::cloth {
namespace {

/// Whether a scene leaves a key of the linear solver untyped, and has this solver.
bool lacks_solver_key(const Scene& scene, const TomlTable& root, std::string_view key) {
  const auto table = root.optional_table("cloth");
  return cloth_settings(scene).has_solver() && (!table || !table->has(key));
}

/// The rows that both worlds of contact at any speed have, then the own ones.
std::span<const ChangedDefault> cloth_changed_defaults() {
  static const std::array<ChangedDefault, 6> changes = {
      kChangedCoupling[0],
      kChangedCoupling[1],
      changed_static_damping([](const Scene& scene, const TomlTable& root) {
        return cloth_settings(scene).implicit_contact() && lacks_static_damping(scene, root);
      }),
      ChangedDefault{2, "cloth.iterations", "iterations = 10", "30",
                     "stiff cloth falls and swings as fast as a soft one",
                     [](const Scene& scene, const TomlTable& root) {
                       return lacks_solver_key(scene, root, "iterations");
                     }},
      ChangedDefault{2, "cloth.passes", "passes = 2", "6",
                     "a step ends with the contacts as they press then",
                     [](const Scene& scene, const TomlTable& root) {
                       return cloth_settings(scene).implicit_contact() &&
                              lacks_solver_key(scene, root, "passes");
                     }},
      ChangedDefault{2, "cloth.tolerance", "tolerance = 0.001", "0.01",
                     "the solution of a step ends where its residual is a hundredth of its load",
                     [](const Scene& scene, const TomlTable& root) {
                       return lacks_solver_key(scene, root, "tolerance");
                     }}};
  return changes;
}

}  // namespace

const WorldKind& cloth_world_kind() {
  static constexpr WorldKind kKind{
      .name = "cloth",
      .read = read_cloth,
      .make = [](const Scene& scene, const Clock* clock) -> std::unique_ptr<World> {
        return std::make_unique<ClothWorld>(scene, clock);
      },
      .keys = [] { return std::span<const DocumentKey>(cloth_keys().described()); },
      .changed_defaults = cloth_changed_defaults,
      .gravity_acts_on_anchored = true,
  };
  return kKind;
}

}  // namespace haptic::cloth
