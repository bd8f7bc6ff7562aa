#include <memory>
#include <span>

#include "rt/worlds/world_kinds.h"
#include "shared/config/key_schema.h"
#include "tests/rt/worlds/chain/chain_world.h"

namespace haptic {
namespace {

using S = ChainSettings;

const KeySchema<S>& chain_table() {
  static const KeySchema<S> keys({
      key("masses", &S::masses, IntegerRange{1, 100'000}, "Number of point masses."),
      key("mass", &S::mass, NumberRange::positive("kg"), "Mass of one."),
      key("stiffness", &S::stiffness, NumberRange::between(1.0, 1000.0, "N/m"),
          "Stiffness of the spring between two neighbours."),
      key("damping", &S::damping, NumberRange::non_negative("N s/m"), "Damping of this spring."),
      key("air_drag", &S::air_drag, NumberRange::non_negative("N s/m"), "Drag of one mass."),
      key("rest_length", &S::rest_length, NumberRange::positive("m"),
          "Length at rest between two neighbours."),
  });
  return keys;
}

const KeySchema<S>& chain_keys() {
  static const KeySchema<S> keys(
      {table("chain", chain_table(), "A chain of point masses that hangs from the held body.")});
  return keys;
}

std::shared_ptr<const WorldSettings> read(const TomlTable& root, const Scene&) {
  auto settings = std::make_shared<ChainSettings>();
  chain_keys().read_some(root, *settings);
  return settings;
}

std::unique_ptr<World> make(const Scene& scene, const Clock*) {
  return std::make_unique<ChainWorld>(scene, static_cast<const ChainSettings&>(*scene.settings));
}

const WorldKind kChain{.name = "chain", .read = read, .make = make, .keys = [] {
                         return std::span<const DocumentKey>(chain_keys().described());
                       }};
const RegisteredWorldKind kRegistered(kChain);

}  // namespace
}  // namespace haptic
