#include "host/bake/recipe_cloth.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <vector>

namespace haptic {
namespace {

/// Of a cloth of 1 m x 1 m with 40 x 40 particles: between silk and a heavy curtain.
constexpr double kStiffness = 200.0;        // N/m
constexpr double kShearFraction = 0.5;      // of the structural stiffness
constexpr double kBendFraction = 0.05;      // likewise
constexpr double kFlexuralRigidity = 1e-6;  // N m^2
constexpr double kFabricShear = 0.1;        // of the membrane stiffness
constexpr std::int64_t kMostAlongASide = kMostParticles / 2;

/// Tables of the kinds, as SpringKind numbers them.
constexpr std::array<std::string_view, kSpringKinds> kKinds = {"structural", "shear", "bend",
                                                               "sequential", "interlaced"};

constexpr std::array kTopologies = {SpringTopology::kThreeKinds, SpringTopology::kChoiKo,
                                    SpringTopology::kEdges, SpringTopology::kFabric};

bool has_kind(SpringTopology topology, std::size_t kind) {
  if (topology == SpringTopology::kThreeKinds) return kind < 3;
  return topology == SpringTopology::kChoiKo && kind >= 3;
}

constexpr std::array<std::string_view, 4> kFabricKeys = {"membrane", "membrane_shear",
                                                         "membrane_damping", "bending"};

void read_fabric(const TomlTable& table, FabricMaterial& fabric) {
  for (const char* key : {"damping", "structural", "shear", "bend", "sequential", "interlaced"}) {
    if (table.has(key)) {
      table.refuse(key, "found for springs = \"fabric\"",
                   "membrane, membrane_shear, membrane_damping, bending: the material's constants");
    }
  }
  fabric.membrane = table.number("membrane", NumberRange::positive("N/m"), fabric.membrane);
  fabric.shear = table.number("membrane_shear", NumberRange::non_negative("N/m"),
                              kFabricShear * fabric.membrane);
  fabric.bending = table.number("bending", NumberRange::non_negative("N m"), fabric.bending);
  fabric.damping =
      table.number("membrane_damping", NumberRange::non_negative("N s/m"), fabric.damping);
}

void refuse_fabric_keys(const TomlTable& table, SpringTopology topology) {
  for (const std::string_view key : kFabricKeys) {
    if (!table.has(key)) continue;
    table.refuse(key, fmt::format("found for springs = \"{}\"", name_of(topology)),
                 "springs = \"fabric\", whose constants are those of a material");
  }
}

/// The table of one kind over `material`, which has the defaults.
void read_kind(const TomlTable& table, bool interlaced, SpringMaterial& material) {
  material.stiffness =
      table.number("stiffness", NumberRange::non_negative("N/m"), material.stiffness);
  material.damping = table.number("damping", NumberRange::non_negative("kg/s"), material.damping);
  if (interlaced) {
    material.bending =
        table.number("flexural_rigidity", NumberRange::non_negative("N m^2"), material.bending);
  }
  table.finish();
}

void read_materials(const TomlTable& table, ClothRecipe& cloth) {
  const bool damps = cloth.topology != SpringTopology::kEdges;
  if (!damps && table.has("damping")) {
    table.refuse("damping", "found for springs = \"edges\"", "none: these springs exert no force");
  }
  const double damping =
      damps ? table.number("damping", NumberRange::non_negative("kg/s"), 0.0) : 0.0;
  for (std::size_t kind = 0; kind < kSpringKinds; ++kind) {
    const auto own = table.optional_table(kKinds[kind]);
    if (!has_kind(cloth.topology, kind)) {
      if (!own) continue;
      table.refuse(kKinds[kind], fmt::format("found for springs = \"{}\"", name_of(cloth.topology)),
                   cloth.topology == SpringTopology::kThreeKinds ? "structural, shear, bend"
                   : cloth.topology == SpringTopology::kChoiKo   ? "sequential, interlaced"
                                                                 : "none: they exert no force");
    }
    SpringMaterial& material = cloth.materials[kind];
    // The first kind of a topology comes before those whose defaults depend on it.
    switch (static_cast<SpringKind>(kind)) {
      case SpringKind::kStructural:
      case SpringKind::kSequential:
        material.stiffness = kStiffness;
        break;
      case SpringKind::kShear:
        material.stiffness = kShearFraction * cloth.materials[0].stiffness;
        break;
      case SpringKind::kBend:
        material.stiffness = kBendFraction * cloth.materials[0].stiffness;
        break;
      case SpringKind::kInterlaced:
        material.stiffness = cloth.materials[3].stiffness;
        material.bending = kFlexuralRigidity;
        break;
    }
    material.damping = damping;
    if (own) {
      read_kind(*own, static_cast<SpringKind>(kind) == SpringKind::kInterlaced, material);
    }
  }
}

}  // namespace

std::string_view name_of(SpringTopology topology) {
  switch (topology) {
    case SpringTopology::kThreeKinds:
      return "three-kinds";
    case SpringTopology::kChoiKo:
      return "choi-ko";
    case SpringTopology::kEdges:
      return "edges";
    case SpringTopology::kFabric:
      return "fabric";
  }
  return {};
}

std::optional<SpringTopology> spring_topology_of(std::string_view name) {
  for (const SpringTopology topology : kTopologies) {
    if (name_of(topology) == name) return topology;
  }
  return {};
}

GridSource read_grid_table(const TomlTable& table) {
  const std::vector<std::int64_t> sides = table.integers("particles", 2, kMostAlongASide);
  if (sides.size() != 2) {
    table.refuse("particles", fmt::format("found {} numbers", sides.size()),
                 "two, along x and y, e.g. [40, 40]");
  }
  if (static_cast<std::uint64_t>(sides[0] * sides[1]) > kMostParticles) {
    table.refuse("particles", fmt::format("found {} x {}", sides[0], sides[1]),
                 fmt::format("at most {} particles in all", kMostParticles));
  }
  const std::vector<double> size = table.numbers("size", 2, NumberRange::between(1e-6, 1e6, "m"));
  table.finish();
  return {{static_cast<std::uint32_t>(sides[0]), static_cast<std::uint32_t>(sides[1])},
          size[0],
          size[1]};
}

ClothRecipe read_cloth_table(const TomlTable& table) {
  ClothRecipe cloth;
  const std::string topology =
      table.choice("springs",
                   {name_of(SpringTopology::kThreeKinds), name_of(SpringTopology::kChoiKo),
                    name_of(SpringTopology::kEdges), name_of(SpringTopology::kFabric)},
                   name_of(cloth.topology));
  cloth.topology = *spring_topology_of(topology);
  cloth.mass = table.optional_number("mass", NumberRange::between(1e-9, 1e9, "kg"));
  if (cloth.mass && table.has("areal_density")) {
    table.refuse("areal_density", "found together with \"mass\"", "one of them");
  }
  cloth.areal_density =
      table.number("areal_density", NumberRange::between(1e-6, 1e6, "kg/m^2"), cloth.areal_density);
  if (cloth.topology == SpringTopology::kFabric) {
    read_fabric(table, cloth.fabric);
  } else {
    refuse_fabric_keys(table, cloth.topology);
    read_materials(table, cloth);
  }
  table.finish();
  return cloth;
}

}  // namespace haptic
