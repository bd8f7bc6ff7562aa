#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "rt/bodies/cloth_mesh.h"
#include "rt/bodies/cloth_springs.h"
#include "rt/bodies/fabric_springs.h"
#include "shared/config/toml_reader.h"

namespace haptic {

/// Largest cloth that is baked; far beyond what a loop can step.
inline constexpr std::uint64_t kMostParticles = 4'000'000;

/// [source] grid: a rectangle, instead of a mesh file.
struct GridSource {
  GridSize particles;
  double width = 0.0, height = 0.0;  ///< along x and y [m]
};

/// [cloth]: particles and springs; absent: a solid body.
struct ClothRecipe {
  SpringTopology topology = SpringTopology::kThreeKinds;
  SpringMaterials materials;
  FabricMaterial fabric;       ///< of kFabric, instead of `materials`
  double areal_density = 0.2;  ///< kg/m^2, unless `mass` is given
  std::optional<double> mass;  ///< of the whole cloth [kg]
};

/// "three-kinds", "choi-ko", "edges", "fabric"
std::string_view name_of(SpringTopology topology);
/// The topology of that name; nothing for any other.
std::optional<SpringTopology> spring_topology_of(std::string_view name);

/// [source] grid. @throws InputError naming the key
GridSource read_grid_table(const TomlTable& table);

/// [cloth]. @throws InputError naming the key
ClothRecipe read_cloth_table(const TomlTable& table);

}  // namespace haptic
