#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "host/fem/solid_material.h"
#include "host/mesh/constraints.h"
#include "host/mesh/tetrahedral_mesh.h"
#include "shared/config/number_range.h"

namespace haptic {

class TomlTable;
struct Recipe;

/// A group of elements that the volume mesh names.
struct PhysicalGroup {
  std::string name;
};

/// Which elements a material group takes: those whose centroid lies in a region, or a list of ids
/// in a text file (0-based; blanks, commas and lines separate). monostate: all.
using ElementSelection =
    std::variant<std::monostate, BoxConstraint, SphereConstraint, CylinderConstraint,
                 PlaneConstraint, PhysicalGroup, std::filesystem::path>;

/// The constants of a material as a recipe has them; absent ones come from elsewhere.
struct MaterialConstants {
  std::optional<double> youngs_modulus;  ///< Pa
  std::optional<double> poisson_ratio;
  std::optional<double> density;                     ///< kg/m^3
  std::optional<std::array<double, 21>> elasticity;  ///< upper triangle by rows [Pa]
};

/// A [[material.group]] as read.
struct MaterialGroupTable {
  std::string name;
  MaterialConstants constants;
  std::optional<std::array<double, 2>> viscosity;  ///< phi, psi [Pa s]
  ElementSelection selection;
};

/// A [[material.group]] of a recipe, or [material] itself, with all that it inherits.
struct MaterialGroupRecipe {
  std::string name;
  SolidMaterial material;
  /// E and nu as in the recipe; empty for a general tensor.
  std::optional<Material> isotropic;
  ElementSelection selection;
  std::string key;  ///< key in the recipe, for messages: "material.group[0]"
  /// phi, psi [Pa s]; absent: those of [material].
  std::optional<std::array<double, 2>> viscosity = {};
};

/// Ranges of material properties: far wider than those of real materials, yet narrow enough that
/// stiffness, mass and their ratio are finite.
inline constexpr NumberRange kModulusRange = NumberRange::between(1e-3, 1e15, "Pa");
inline constexpr NumberRange kDensityRange = NumberRange::between(1e-6, 1e9, "kg/m^3");
inline constexpr NumberRange kPoissonRange = {
    .minimum = -1.0, .maximum = 0.5, .minimum_excluded = true, .maximum_excluded = true};

/// Of the name of a group: /material/names has 32 bytes, the last one zero.
inline constexpr std::size_t kMaxGroupName = 31;

/// Material and groups of a body that deforms, or the density of a rigid one, from what [material]
/// had. @throws InputError
void resolve_material(const TomlTable& material, Recipe& recipe);

/// Group of each element; if several groups select it, the last one.
/// @param centroids    of the elements [m]
/// @param lower_bound  lower corner of the scaled surface's bounding box [m]
/// @param named        groups of the volume mesh
/// @param source       the recipe, for messages
/// @throws InputError if a group selects no element or names an id that does not exist
std::vector<std::uint32_t> assign_groups(const std::vector<MaterialGroupRecipe>& groups,
                                         const std::vector<Vector3>& centroids,
                                         const Vector3& lower_bound,
                                         std::span<const NamedGroup> named,
                                         const std::string& source);

/// @throws InputError naming the groups that there are
const NamedGroup& find_group(std::span<const NamedGroup> named, std::string_view name,
                             std::string_view source, std::string_view key);

/// Ids of an element list file. @throws InputError with file and line
std::vector<std::uint32_t> read_element_list(const std::filesystem::path& path,
                                             std::size_t element_count);

}  // namespace haptic
