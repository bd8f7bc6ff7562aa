#include "rt/worlds/world_kinds.h"

#include <algorithm>

#include "shared/assert.h"

// The built-in kinds, one line each: rt/worlds/NAME defines haptic::NAME::NAME_world_kind().
// clang-format off
#define HAPTIC_WORLD_KINDS(KIND) \
  KIND(solids)                     \
  KIND(condensed)                  \
  KIND(cloth)
// clang-format on

namespace haptic {

#define HAPTIC_DECLARE_KIND(NAME)       \
  namespace NAME {                      \
  const WorldKind& NAME##_world_kind(); \
  }
HAPTIC_WORLD_KINDS(HAPTIC_DECLARE_KIND)
#undef HAPTIC_DECLARE_KIND

namespace {

using Kinds = std::vector<const WorldKind*>;

void add_kind(Kinds& kinds, const WorldKind& kind) {
  HAPTIC_DEMAND(!kind.name.empty() && kind.read != nullptr && kind.make != nullptr);
  HAPTIC_DEMAND(std::none_of(kinds.begin(), kinds.end(),
                             [&](const WorldKind* other) { return other->name == kind.name; }));
  kinds.push_back(&kind);
}

/// A local static is constructed before the static objects that add kinds to it.
Kinds& all_kinds() {
  static Kinds kinds = [] {
    Kinds built_in;
#define HAPTIC_ADD_KIND(NAME) add_kind(built_in, NAME::NAME##_world_kind());
    HAPTIC_WORLD_KINDS(HAPTIC_ADD_KIND)
#undef HAPTIC_ADD_KIND
    return built_in;
  }();
  return kinds;
}

}  // namespace

std::vector<std::string_view> world_kind_names() {
  std::vector<std::string_view> names;
  for (const WorldKind* kind : all_kinds()) names.push_back(kind->name);
  return names;
}

const WorldKind& find_world_kind(std::string_view name) {
  const Kinds& kinds = all_kinds();
  const auto found = std::find_if(kinds.begin(), kinds.end(),
                                  [&](const WorldKind* kind) { return kind->name == name; });
  HAPTIC_DEMAND(found != kinds.end());
  return **found;
}

RegisteredWorldKind::RegisteredWorldKind(const WorldKind& kind) {
  add_kind(all_kinds(), kind);
}

}  // namespace haptic
