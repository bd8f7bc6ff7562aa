#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "rt/bodies/cloth_mesh.h"
#include "rt/bodies/cloth_springs.h"
#include "rt/bodies/fabric_springs.h"

namespace haptic {

/// Of a cloth that is baked; far beyond what a loop can step.
inline constexpr std::uint64_t kMaxClothParticles = 4'000'000;

/// [source] grid: a rectangle, instead of a mesh file.
struct GridSource {
  GridSize particles;
  std::array<double, 2> size{};  ///< along x and y [m]
};

/// [cloth]: particles and springs; absent: a solid body.
struct ClothRecipe {
  SpringTopology topology = SpringTopology::kThreeKinds;
  SpringMaterials materials;
  FabricMaterial fabric;       ///< of kFabric, instead of `materials`
  double areal_density = 0.2;  ///< kg/m^2, unless `mass` is given
  std::optional<double> mass;  ///< of the whole cloth [kg]
  double damping = 0.0;        ///< kg/s, of kinds of springs without one
};

/// Names of the topologies in recipes and models.
inline constexpr std::array<std::string_view, 4> kSpringTopologies = {"three-kinds", "choi-ko",
                                                                      "edges", "fabric"};
constexpr std::string_view name_of(SpringTopology topology) {
  return kSpringTopologies[static_cast<std::size_t>(topology)];
}

}  // namespace haptic
