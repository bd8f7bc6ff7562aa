#include "host/bake/recipe_cloth.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "host/bake/recipe_keys.h"

namespace haptic {
namespace {

/// Of a cloth of 1 m x 1 m with 40 x 40 particles: between silk and a heavy curtain.
constexpr double kStiffness = 200.0;        // N/m
constexpr double kShearFraction = 0.5;      // of the structural stiffness
constexpr double kBendFraction = 0.05;      // likewise
constexpr double kFlexuralRigidity = 1e-6;  // N m^2
constexpr double kFabricShear = 0.1;        // of the membrane stiffness

/// Tables of the kinds, as SpringKind numbers them.
constexpr std::array<std::string_view, kSpringKinds> kKinds = {"structural", "shear", "bend",
                                                               "sequential", "interlaced"};

bool is_fabric(const ClothRecipe& c) {
  return c.topology == SpringTopology::kFabric;
}

bool has_kind(SpringTopology topology, std::size_t kind) {
  if (topology == SpringTopology::kThreeKinds) return kind < 3;
  return topology == SpringTopology::kChoiKo && kind >= 3;
}

std::string found_springs(const ClothRecipe& c) {
  return fmt::format("found for springs = \"{}\"", name_of(c.topology));
}

DeclaredKey<ClothRecipe> of_fabric(DeclaredKey<ClothRecipe> key) {
  return std::move(key).only_if(is_fabric, found_springs,
                                "springs = \"fabric\", whose constants are those of a material");
}

DeclaredKey<ClothRecipe> not_of_fabric(DeclaredKey<ClothRecipe> key) {
  return std::move(key).only_if(
      [](const ClothRecipe& c) { return !is_fabric(c); }, found_springs,
      "membrane, membrane_shear, membrane_damping, bending: the material's constants");
}

DeclaredKey<SpringMaterial> stiffness(std::string absent, std::string_view meaning) {
  return key("stiffness", &SpringMaterial::stiffness, NumberRange::non_negative("N/m"), meaning)
      .absent(std::move(absent));
}

DeclaredKey<SpringMaterial> damping() {
  return key("damping", &SpringMaterial::damping, NumberRange::non_negative("kg/s"),
             "Damping of each spring along it.")
      .absent("cloth.damping");
}

const KeySchema<SpringMaterial>& keys_of(SpringKind kind) {
  const auto linear = [](std::string absent) {
    return KeySchema<SpringMaterial>(
        {stiffness(std::move(absent), "Stiffness of each spring."), damping()});
  };
  const auto fraction = [](double of) { return number_text(of) + " times that of structural"; };
  static const std::array<KeySchema<SpringMaterial>, kSpringKinds> keys = {
      linear(number_text(kStiffness)), linear(fraction(kShearFraction)),
      linear(fraction(kBendFraction)), linear(number_text(kStiffness)),
      KeySchema<SpringMaterial>(
          {stiffness("that of sequential", "Stiffness near rest, which bounds the force."),
           damping(),
           key("flexural_rigidity", &SpringMaterial::bending, NumberRange::non_negative("N m^2"),
               "Flexural rigidity of the strip between two particles.")
               .absent(number_text(kFlexuralRigidity))})};
  return keys[static_cast<std::size_t>(kind)];
}

/// The table of a kind of springs.
DeclaredKey<ClothRecipe> springs(SpringKind kind, std::string_view meaning) {
  const auto index = static_cast<std::size_t>(kind);
  return not_of_fabric(
             table_of<ClothRecipe>(
                 kKinds[index],
                 [index](ClothRecipe& c) -> SpringMaterial& { return c.materials[index]; },
                 keys_of(kind), meaning))
      .rule([index](const TomlTable& table, const ClothRecipe& c) {
        if (has_kind(c.topology, index)) return;
        table.refuse(kKinds[index], found_springs(c),
                     c.topology == SpringTopology::kThreeKinds ? "structural, shear, bend"
                     : c.topology == SpringTopology::kChoiKo   ? "sequential, interlaced"
                                                               : "none: they exert no force");
      });
}

double default_stiffness(SpringKind kind, const SpringMaterials& of) {
  switch (kind) {
    case SpringKind::kShear:
      return kShearFraction * of[0].stiffness;
    case SpringKind::kBend:
      return kBendFraction * of[0].stiffness;
    case SpringKind::kInterlaced:
      return of[3].stiffness;
    default:
      return kStiffness;
  }
}

/// Constants that a table leaves out, of the kinds that the topology has.
void complete(const TomlTable& table, ClothRecipe& cloth) {
  if (is_fabric(cloth) && !table.has("membrane_shear")) {
    cloth.fabric.shear = kFabricShear * cloth.fabric.membrane;
  }
  for (std::size_t i = 0; i < kSpringKinds; ++i) {
    if (!has_kind(cloth.topology, i)) continue;
    const auto kind = static_cast<SpringKind>(i);
    const auto own = table.optional_table(kKinds[i]);
    const auto gives = [&](std::string_view key) { return own && own->has(key); };
    SpringMaterial& material = cloth.materials[i];
    if (!gives("stiffness")) material.stiffness = default_stiffness(kind, cloth.materials);
    if (!gives("damping")) material.damping = cloth.damping;
    if (kind == SpringKind::kInterlaced && !gives("flexural_rigidity")) {
      material.bending = kFlexuralRigidity;
    }
  }
}

}  // namespace

const KeySchema<ClothRecipe>& cloth_recipe_keys() {
  using enum SpringKind;
  const auto fabric = [](double FabricMaterial::*member) {
    return [member](ClothRecipe& c) -> double& { return c.fabric.*member; };
  };
  static const KeySchema<ClothRecipe> keys(
      {
          key("springs", &ClothRecipe::topology, words_in_order<SpringTopology>(kSpringTopologies),
              "Structural, shear and bend springs; sequential and interlaced ones, which buckle; "
              "edges without force whose length is limited; or a fabric, by constants that hold "
              "on any grid."),
          key("areal_density", &ClothRecipe::areal_density,
              NumberRange::between(1e-6, 1e6, "kg/m^2"), "Mass per area; not with mass.")
              .not_with("mass", "one of them", "found together with \"mass\""),
          key("mass", &ClothRecipe::mass, NumberRange::between(1e-9, 1e9, "kg"),
              "Mass of the whole cloth.")
              .absent("areal_density times the area"),
          not_of_fabric(key("damping", &ClothRecipe::damping, NumberRange::non_negative("kg/s"),
                            "Damping of every spring along it."))
              .only_if([](const ClothRecipe& c) { return c.topology != SpringTopology::kEdges; },
                       found_springs, "none: these springs exert no force"),
          of_fabric(key_of<ClothRecipe>(
              "membrane", fabric(&FabricMaterial::membrane), NumberRange::positive("N/m"),
              "Tension over strain of a pull along the threads; with springs = "
              "\"fabric\".")),
          of_fabric(
              key_of<ClothRecipe>("membrane_shear", fabric(&FabricMaterial::shear),
                                  NumberRange::non_negative("N/m"),
                                  "Shear force by width over the angle between the threads; with "
                                  "springs = \"fabric\"."))
              .absent(number_text(kFabricShear) + " times membrane"),
          of_fabric(
              key_of<ClothRecipe>("membrane_damping", fabric(&FabricMaterial::damping),
                                  NumberRange::non_negative("N s/m"),
                                  "Tension over the rate of strain; with springs = \"fabric\".")),
          of_fabric(key_of<ClothRecipe>(
              "bending", fabric(&FabricMaterial::bending), NumberRange::non_negative("N m"),
              "Moment by width over curvature, the flexural rigidity; with "
              "springs = \"fabric\".")),
          springs(kStructural, "Springs along the threads; with springs = \"three-kinds\"."),
          springs(kShear, "Springs across the cells; with springs = \"three-kinds\"."),
          springs(kBend,
                  "Springs over two cells, against bending; with springs = \"three-kinds\"."),
          springs(kSequential,
                  "Springs between neighbours, which only pull; with springs = \"choi-ko\"."),
          springs(kInterlaced,
                  "Springs between next neighbours, which buckle; with springs = \"choi-ko\"."),
      },
      complete);
  return keys;
}

}  // namespace haptic
