#include <memory>

#include "rt/worlds/world_kinds.h"
#include "shared/config/toml_reader.h"
#include "tests/rt/worlds/chain/chain_world.h"

namespace haptic {
namespace {

std::shared_ptr<const WorldSettings> read(const TomlTable& root, const Scene&) {
  auto settings = std::make_shared<ChainSettings>();
  const auto table = root.optional_table("chain");
  if (!table) return settings;
  ChainSettings& s = *settings;
  if (const auto masses = table->optional_integer("masses", 1, 100'000)) {
    s.masses = static_cast<std::uint32_t>(*masses);
  }
  s.mass = table->number("mass", NumberRange::positive("kg"), s.mass);
  s.stiffness = table->number("stiffness", NumberRange::between(1.0, 1000.0, "N/m"), s.stiffness);
  s.damping = table->number("damping", NumberRange::non_negative("N s/m"), s.damping);
  s.air_drag = table->number("air_drag", NumberRange::non_negative("N s/m"), s.air_drag);
  s.rest_length = table->number("rest_length", NumberRange::positive("m"), s.rest_length);
  table->finish();
  return settings;
}

std::unique_ptr<World> make(const Scene& scene, const Clock*) {
  return std::make_unique<ChainWorld>(scene, static_cast<const ChainSettings&>(*scene.settings));
}

const WorldKind kChain{.name = "chain", .read = read, .make = make};
const RegisteredWorldKind kRegistered(kChain);

}  // namespace
}  // namespace haptic
