#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rt/worlds/changed_defaults.h"
#include "rt/worlds/contact_probe.h"
#include "rt/worlds/scene.h"
#include "rt/worlds/world.h"
#include "shared/clock.h"
#include "shared/config/document_keys.h"

namespace haptic {

class TomlTable;

/// Base class for the scene settings that only one kind of world reads.
///
/// Copies of a scene share it, so it is immutable once a scene has it.
class WorldSettings {
 public:
  virtual ~WorldSettings() = default;

 protected:
  WorldSettings() = default;
  WorldSettings(const WorldSettings&) = default;
  WorldSettings& operator=(const WorldSettings&) = default;
};

/// One line of the daemon's report of computing times (`hapticd --calibrate`).
struct BudgetLine {
  std::string label;  ///< what was measured
  std::string text;   ///< the figures
};

/// A kind of world: functions that read its part of a scene file and build its worlds.
///
/// A kind is one folder below rt/worlds and one line in world_kinds.cpp; no other code names it.
struct WorldKind {
  std::string_view name;  ///< value of the key `world` of a scene; must outlive the kind

  /// Reads the keys and tables of this kind. `core` is the scene without its settings. A key that
  /// neither the core nor this function reads is rejected afterwards.
  /// @throws InputError as load_scene
  std::shared_ptr<const WorldSettings> (*read)(const TomlTable& root, const Scene& core);

  /// Builds the world of a scene of this kind, as make_world.
  std::unique_ptr<World> (*make)(const Scene& scene, const Clock* clock);

  /// Descriptions of the keys that `read` asks for, for `haptic explain` and unknown keys. nullptr:
  /// none.
  std::span<const DocumentKey> (*keys)() = nullptr;

  /// Defaults of these keys that have changed, oldest first (rt/worlds/changed_defaults.h).
  /// nullptr: none.
  std::span<const ChangedDefault> (*changed_defaults)() = nullptr;

  /// Whether a body of its scenes can be free.
  bool has_free_bodies = false;
  /// Whether gravity acts on a body of its scenes that is not free.
  bool gravity_acts_on_anchored = false;

  /// Measures the cost of the scene's contacts on this machine, and the detail that fits into
  /// `left_us` [us] of a cycle. nullptr: nothing to report.
  /// @throws InputError as make_world
  std::vector<BudgetLine> (*measure_budget)(const Scene& scene, double left_us,
                                            const Clock& clock) = nullptr;

  /// For `haptic probe contact`. nullptr: the kind has no contacts to evaluate at given states.
  /// @throws InputError as make_world
  std::unique_ptr<ContactProbe> (*make_contact_probe)(const Scene& scene) = nullptr;
};

}  // namespace haptic
