#include "host/bake/file_materials.h"

#include <fmt/format.h>

#include "shared/error.h"

namespace haptic {
namespace {

void require_usable(const Recipe& recipe, const FileMaterials& file) {
  const std::string volume = recipe.volume.filename().string();
  if (recipe.material_key && file.given) {
    throw InputError(
        recipe.material_key->location, recipe.material_key->key,
        fmt::format("found together with the {} of {}",
                    file.materials.size() == 1 ? std::string("material")
                                               : fmt::format("{} materials", file.materials.size()),
                    volume),
        "materials in one of the two: no such key here, or no *MATERIAL in the file");
  }
  for (const FileMaterial& m : file.materials) {
    const double modulus = m.isotropic ? (*m.isotropic)[0] : m.elasticity.cwiseAbs().maxCoeff();
    const std::string key = fmt::format("material {}", m.name);
    if (!kModulusRange.contains(modulus)) {
      throw InputError(recipe.volume.string(), key, fmt::format("found E {:g}", modulus),
                       kModulusRange.describe());
    }
    if (!kDensityRange.contains(m.density)) {
      throw InputError(recipe.volume.string(), key, fmt::format("found density {:g}", m.density),
                       kDensityRange.describe());
    }
  }
  if (!recipe.material_key && !file.given) {
    throw InputError(recipe.file.string(), "material",
                     fmt::format("missing, and {} has no *MATERIAL", volume),
                     "a table [material], or materials in the file");
  }
}

}  // namespace

std::vector<MaterialGroupRecipe> groups_of(const FileMaterials& file) {
  std::vector<MaterialGroupRecipe> groups;
  for (const FileMaterial& m : file.materials) {
    const std::string name = m.name.substr(0, kMaxGroupName);
    if (m.isotropic) {
      const Material material{(*m.isotropic)[0], (*m.isotropic)[1], m.density};
      groups.push_back({name, SolidMaterial(material), material, {}, {}});
    } else {
      groups.push_back({name, SolidMaterial(m.elasticity, m.density), {}, {}, {}});
    }
  }
  return groups;
}

Recipe with_materials_of_file(Recipe recipe, const FileMaterials* file, const Ranks& ranks) {
  if (!file) return recipe;
  // One rank reports the error; the others wait here until it ends the job.
  if (ranks.first()) require_usable(recipe, *file);
  Ranks::Bytes nothing;
  ranks.broadcast(nothing);
  if (recipe.material_key) return recipe;
  recipe.groups = groups_of(*file);
  recipe.groups_of_file = true;
  recipe.material = recipe.groups[0].isotropic.value_or(Material{});
  recipe.material.density = recipe.groups[0].material.density();
  return recipe;
}

}  // namespace haptic
