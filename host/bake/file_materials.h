#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "host/bake/ranks.h"
#include "host/bake/recipe.h"
#include "host/fem/elasticity.h"

namespace haptic {

/// One material of a volume mesh file: isotropic, or by its elasticity.
struct FileMaterial {
  std::string name;                                ///< as in the file
  double density = 0.0;                            ///< kg/m^3
  std::optional<std::array<double, 2>> isotropic;  ///< E [Pa], nu
  ElasticityMatrix elasticity =
      ElasticityMatrix::Zero();  ///< C [Pa] in model axes, if `isotropic` is empty
};

/// The materials of a volume mesh file (VegaFEM's .veg).
struct FileMaterials {
  bool given = false;                     ///< false: the file has none; `materials` is the default
  std::vector<FileMaterial> materials;    ///< G >= 1
  std::vector<std::uint32_t> of_element;  ///< m ids below G; empty: all elements have the one
};

template <class Archive>
void archive(Archive& a, FileMaterial& m) {
  a(m.name, m.density, m.isotropic, m.elasticity);
}

template <class Archive>
void archive(Archive& a, FileMaterials& m) {
  a(m.given, m.materials, m.of_element);
}

/// The materials as groups of a recipe, in the file's order; the names cut to kMaxGroupName.
std::vector<MaterialGroupRecipe> groups_of(const FileMaterials& file);

/// The recipe with the materials of its volume mesh if it has no [material]; otherwise unchanged.
/// Collective.
/// @param file of the volume mesh; nullptr: its format has none
/// @throws InputError naming recipe, line and key if recipe and file both have materials, or
///         neither has; naming the mesh file if a material of it is out of kModulusRange or
///         kDensityRange
Recipe with_materials_of_file(Recipe recipe, const FileMaterials* file, const Ranks& ranks);

}  // namespace haptic
