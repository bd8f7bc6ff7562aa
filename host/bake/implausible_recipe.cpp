#include "host/bake/implausible_recipe.h"

#include <algorithm>

#include "shared/config/plausible_range.h"

namespace haptic {
namespace {

constexpr PlausibleRange kPlausibleModulus = {"Pa", 100.0, 1e12};          // soft gel to diamond
constexpr PlausibleRange kPlausibleDensity = {"kg/m^3", 10.0, 23e3};       // foam to osmium
constexpr PlausibleRange kPlausibleRatio = {"", 0.0, 1.0};                 // up to critical
constexpr PlausibleRange kPlausibleArealDensity = {"kg/m^2", 5e-3, 10.0};  // foil to a rubber mat
constexpr PlausibleRange kPlausibleSide = {"m", 1e-3, 20.0};               // a grain to a crane

}  // namespace

std::vector<std::string> implausible_values(const Recipe& recipe) {
  std::vector<std::string> lines;
  if (recipe.cloth) {
    if (!recipe.cloth->mass) {
      note_implausible(lines, "cloth.areal_density", recipe.cloth->areal_density,
                       kPlausibleArealDensity);
    }
    return lines;
  }
  for (const MaterialGroupRecipe& group : recipe.groups) {
    if (recipe.deformable() && group.isotropic) {
      note_implausible(lines, group.key + ".youngs_modulus", group.isotropic->youngs_modulus,
                       kPlausibleModulus);
    }
    note_implausible(lines, group.key + ".density", group.material.density(), kPlausibleDensity);
  }
  if (recipe.groups.empty() && recipe.material_key) {  // a rigid body
    note_implausible(lines, "material.density", recipe.material.density, kPlausibleDensity);
  }
  if (recipe.deformable()) {
    for (const double ratio : recipe.damping_ratios) {
      note_implausible(lines, "material.damping_ratios", ratio, kPlausibleRatio);
    }
  }
  return lines;
}

std::vector<std::string> implausible_size(const Recipe& recipe, const TriangleMesh& surface) {
  std::vector<std::string> lines;
  const bool has_length = recipe.frame.length > 0.0;
  note_implausible(lines, has_length ? "source.length" : "longest side of the surface",
                   bounding_box(surface).longest_side(), kPlausibleSide);
  if (!lines.empty() && !has_length) {
    lines.back() += "; files in millimetres need source.unit = \"mm\", or source.length in metres";
  }
  return lines;
}

}  // namespace haptic
