#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "host/bake/recipe_cloth.h"
#include "host/bake/recipe_material.h"
#include "host/bake/recipe_shell.h"
#include "host/bake/recipe_source.h"
#include "host/condensation/surface_compliance.h"
#include "host/fem/assumed_strain_rule.h"
#include "host/fem/mass_kind.h"
#include "host/fem/material.h"
#include "host/field/distance_field_builder.h"
#include "host/mesh/constraints.h"
#include "host/mesh/voxel_mesh.h"

namespace haptic {

/// What a basis is made from (docs/methods/reduced-dynamics.md, from "Mass-PCA" on).
enum class BasisSource : std::uint8_t {
  kDerivatives,      ///< mass-PCA of scaled linear modes and modal derivatives
  kModes,            ///< linear modes alone
  kFullDerivatives,  ///< all modes and derivatives, mass-Gram-Schmidt
  kSketch,           ///< mass-PCA of static shapes under recorded forces
  kSnapshots,        ///< mass-PCA of a recorded run
  kFile              ///< read, made mass-orthonormal
};

/// [reduction]: how a deformable is reduced; absent for a rigid or only condensed body.
struct ReductionRecipe {
  int linear_modes = 4;  ///< k
  int dimension = 0;     ///< r; 0: the rank of the basis
  BasisSource basis = BasisSource::kDerivatives;
  std::vector<std::filesystem::path> forces;  ///< kSketch: loads, one after the other
  std::filesystem::path basis_file;           ///< kSnapshots: run; kFile: matrix
  double force_separation = 0.05;  ///< kSketch: thinning of the loads, relative to the largest
  double shape_separation = 0.02;  ///< kSketch: thinning of the shapes, relative to the largest
  bool free = false;               ///< no constraints; rigid motions are left out of the basis
  std::uint32_t coefficient_bytes = 8;  ///< of the energy's coefficients in the loop: 8 or 4
};

/// [condensed]: a linear body condensed to its surface; absent: none.
struct CondensedRecipe {
  int modes = 10;  ///< k
  CompliancePrecision precision = CompliancePrecision::kSingle;
};

/// How the field of a deforming body is divided into domains, each with a rest field.
enum class FieldDomains : std::uint8_t {
  kOne,   ///< the body as a whole
  kParts  ///< pieces of the surface that share no vertex
};

/// [field] proxies, domains: the field of a deformable that follows its deformation.
struct FieldProxyRecipe {
  std::uint32_t count = 40;
  FieldDomains domains = FieldDomains::kOne;
};

/// Place of a key in a recipe, for messages.
struct RecipeKey {
  std::string location;  ///< file:line
  std::string key;       ///< "material.youngs_modulus"
};

/// A recipe file, checked: what `haptic bake` makes of a mesh (docs/bake.md).
struct Recipe {
  std::filesystem::path file;
  std::string text;  ///< as read, for /provenance

  /// Resolved against the recipe's folder; empty: the volume's boundary, or a grid.
  std::filesystem::path mesh;
  std::filesystem::path volume;    ///< volume mesh instead of voxels; empty: voxels
  std::optional<GridSource> grid;  ///< rectangular cloth instead of a mesh
  SourceFrame frame;
  SourceRepair repair;  ///< of the mesh

  VoxelSettings voxels;
  bool cut_cells = true;  ///< voxels count by what they hold of the body; false: in full
  StrainSampling strains = StrainSampling::kAssumed;  ///< of hexahedra
  MassKind mass = MassKind::kConsistent;              ///< of a deformable
  MaterialConstants constants;                        ///< [material] as read
  std::vector<MaterialGroupTable> group_tables;       ///< [[material.group]] as read
  Material material;  ///< of group 0; a rigid body needs the density only
  /// Groups of a deformable; the first is "base", all elements that no other selects. Empty where
  /// the recipe leaves the materials to its volume mesh (with_materials_of_file).
  std::vector<MaterialGroupRecipe> groups;
  bool groups_of_file = false;  ///< the groups are those of the volume mesh, and of its elements
  /// The first key of [material] that gives a material property; absent: the volume mesh has the
  /// materials.
  std::optional<RecipeKey> material_key;
  bool editable = true;                                 ///< material may change at run time
  std::optional<std::array<double, 2>> viscosity;       ///< phi, psi [Pa s] of [material]
  std::array<double, 2> damping_ratios = {0.02, 0.02};  ///< at the first and last linear mode
  Constraints constraints;
  /// Groups of the volume mesh, named in its file, whose vertices are fixed.
  std::vector<std::string> constraint_groups;
  std::filesystem::path constraint_file;  ///< fixed vertices, VegaFEM's .bou; empty: none
  std::optional<ReductionRecipe> reduction;
  std::optional<CondensedRecipe> condensed;
  std::optional<ShellRecipe> shell;
  std::optional<DistanceFieldSettings> field;
  std::optional<double> sparse_band;  ///< of the sparse layout [voxels]; absent: dense
  std::optional<FieldProxyRecipe> field_proxies;
  std::optional<ClothRecipe> cloth;  ///< then nothing but the source beside it

  /// Whether the body has a volume mesh with a material: [reduction], [condensed] or both.
  bool deformable() const { return reduction || condensed; }
  /// Whether no vertex is fixed.
  bool free() const { return reduction && reduction->free; }
};

/// phi, psi [Pa s] of every group, or one for all where they do not differ; empty: no strain-rate
/// damping. @param recipe  with the groups of its volume mesh in place (with_materials_of_file)
std::vector<LameParameters> viscosities_of(const Recipe& recipe);

/// Whether volume meshes of this format (by file extension) may contain materials.
bool may_hold_materials(const std::filesystem::path& volume);
/// Whether volume meshes of this format name groups of elements and vertices.
bool names_groups(const std::filesystem::path& volume);

/// The recipe file and the files that it names; empty paths where it names none.
std::vector<std::filesystem::path> recipe_files(const Recipe& recipe);

/// @throws InputError: file and line, key, what was found, what was expected
Recipe load_recipe(const std::filesystem::path& path);

/// The same from text that was read already; `path` names the file in messages.
Recipe parse_recipe(std::string text, const std::filesystem::path& path);

}  // namespace haptic
