#include "host/bake/recipe_material.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>
#include <type_traits>

#include "host/bake/recipe_keys.h"
#include "shared/error.h"
#include "shared/files/regular_file.h"

namespace haptic {
namespace {

/// The elasticity matrix of a group of elements. @throws InputError unless positive definite
ElasticityMatrix elasticity_of(const TomlTable& table, const MaterialConstants& constants) {
  ElasticityMatrix C;
  std::size_t at = 0;
  for (int i = 0; i < 6; ++i) {
    for (int j = i; j < 6; ++j) C(i, j) = C(j, i) = (*constants.elasticity)[at++];
  }
  // Rounding of an eigenvalue is some 1e-16 of the largest.
  const double smallest = smallest_stiffness(C);
  if (!(smallest > 1e-12 * C.cwiseAbs().maxCoeff())) {
    table.refuse("elasticity",
                 fmt::format("found a tensor whose smallest eigenvalue is {:.3g} Pa", smallest),
                 "a positive definite one: every strain stores energy");
  }
  for (const double extreme : {smallest, C.cwiseAbs().maxCoeff()}) {
    if (!kModulusRange.contains(extreme)) {
      table.refuse("elasticity", fmt::format("found a stiffness of {:.3g} Pa", extreme),
                   kModulusRange.describe("numbers and eigenvalues"));
    }
  }
  return C;
}

/// The constants of a group over those of `base`, if there is one.
MaterialGroupRecipe complete_group(const TomlTable& table, const MaterialConstants& own,
                                   const MaterialGroupRecipe* base) {
  const double density = own.density ? *own.density : base->material.density();
  if (own.elasticity) {
    return {{}, SolidMaterial(elasticity_of(table, own), density), {}, {}, {}, {}};
  }
  Material material = base && base->isotropic ? *base->isotropic : Material{};
  if (base && !base->isotropic) {  // an elasticity matrix, from which nothing is inherited
    (void)table.number("youngs_modulus", NumberRange::positive("Pa"));
    (void)table.number("poisson_ratio", kPoissonRange);
  }
  material.youngs_modulus = own.youngs_modulus.value_or(material.youngs_modulus);
  material.poisson_ratio = own.poisson_ratio.value_or(material.poisson_ratio);
  material.density = density;
  return {{}, SolidMaterial(material), material, {}, {}, {}};
}

void resolve_groups(const TomlTable& material, Recipe& recipe) {
  const std::vector<TomlTable> tables = material.tables("group");
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const TomlTable& table = tables[i];
    const MaterialGroupTable& given = recipe.group_tables[i];
    MaterialGroupRecipe group = complete_group(table, given.constants, &recipe.groups.front());
    group.name = given.name;
    group.selection = given.selection;
    group.viscosity = given.viscosity;
    group.key = table.path_of("");
    if (std::holds_alternative<PhysicalGroup>(group.selection) && !names_groups(recipe.volume)) {
      table.refuse("physical", "found without a mesh that names groups",
                   "mesh.file of Gmsh (.msh)");
    }
    if (!recipe.reduction && group.viscosity) {
      table.refuse("viscosity", "found without [reduction]", "none, or [reduction]");
    }
    if (std::ranges::find(recipe.groups, group.name, &MaterialGroupRecipe::name) !=
        recipe.groups.end()) {
      table.refuse("name", fmt::format("found \"{}\" twice", group.name), "a unique name");
    }
    recipe.groups.push_back(std::move(group));
  }
}

bool selects(const ElementSelection& selection, const Vector3& x) {
  return std::visit(
      [&](const auto& region) {
        using Region = std::remove_cvref_t<decltype(region)>;
        if constexpr (std::is_same_v<Region, std::monostate>)
          return true;
        else if constexpr (std::is_same_v<Region, std::filesystem::path> ||
                           std::is_same_v<Region, PhysicalGroup>)
          return false;
        else
          return depth_in(region, x) >= 0.0;
      },
      selection);
}

}  // namespace

void resolve_material(const TomlTable& material, Recipe& recipe) {
  recipe.material_key = material_key(material, recipe);
  if (recipe.deformable() && !recipe.reduction) recipe.editable = false;
  if (!recipe.material_key) return;
  if (recipe.deformable()) {
    MaterialGroupRecipe base = complete_group(material, recipe.constants, nullptr);
    base.name = "base";
    base.key = "material";
    if (base.isotropic) recipe.material = *base.isotropic;
    recipe.groups.push_back(std::move(base));
    resolve_groups(material, recipe);
  }
  recipe.material.density = *recipe.constants.density;
}

std::vector<LameParameters> viscosities_of(const Recipe& recipe) {
  std::vector<LameParameters> all;
  for (const MaterialGroupRecipe& group : recipe.groups) {
    const auto [phi, psi] =
        group.viscosity ? *group.viscosity : recipe.viscosity.value_or(std::array{0.0, 0.0});
    all.push_back({phi, psi});
  }
  const auto same = [&](const LameParameters& of) {
    return of.lambda == all[0].lambda && of.mu == all[0].mu;
  };
  if (!all.empty() && std::ranges::all_of(all, same)) all.resize(1);
  if (all.size() == 1 && all[0].lambda == 0.0 && all[0].mu == 0.0) all.clear();
  return all;
}

std::vector<std::uint32_t> assign_groups(const std::vector<MaterialGroupRecipe>& groups,
                                         const std::vector<Vector3>& centroids,
                                         const Vector3& lower_bound,
                                         std::span<const NamedGroup> named,
                                         const std::string& source) {
  std::vector<std::uint32_t> of_element(centroids.size(), 0);
  for (std::uint32_t g = 1; g < groups.size(); ++g) {
    std::size_t selected = 0;
    if (const auto* list = std::get_if<std::filesystem::path>(&groups[g].selection)) {
      for (const std::uint32_t e : read_element_list(*list, centroids.size())) {
        of_element[e] = g;
        ++selected;
      }
    } else if (const auto* physical = std::get_if<PhysicalGroup>(&groups[g].selection)) {
      const NamedGroup& group =
          find_group(named, physical->name, source, groups[g].key + ".physical");
      for (const std::uint32_t e : group.tetrahedra) of_element[e] = g;
      selected = group.tetrahedra.size();
    } else {
      for (std::size_t e = 0; e < centroids.size(); ++e) {
        if (!selects(groups[g].selection, centroids[e] - lower_bound)) continue;
        of_element[e] = g;
        ++selected;
      }
    }
    if (selected == 0) {
      throw InputError(source, groups[g].key,
                       fmt::format("found no element in group \"{}\"", groups[g].name),
                       "a selection that meets the centroid of an element");
    }
  }
  return of_element;
}

const NamedGroup& find_group(std::span<const NamedGroup> named, std::string_view name,
                             std::string_view source, std::string_view key) {
  const auto found = std::ranges::find(named, name, &NamedGroup::name);
  if (found != named.end()) return *found;
  std::string all;
  for (const NamedGroup& group : named) all += (all.empty() ? "" : ", ") + group.name;
  throw InputError(std::string(source), std::string(key),
                   fmt::format("found no group \"{}\" in the mesh", name),
                   all.empty() ? "a file with $PhysicalNames" : "one of " + all);
}

std::vector<std::uint32_t> read_element_list(const std::filesystem::path& path,
                                             std::size_t element_count) {
  constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 30;  // 10^8 elements
  std::istringstream file(read_regular_file(path, "a list of element ids", kMaxBytes));
  std::vector<std::uint32_t> ids;
  std::size_t number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    for (char& c : line) {
      if (c == ',' || c == '\t' || c == '\r') c = ' ';
    }
    for (const char *at = line.data(), *end = at + line.size(); at != end;) {
      if (*at == ' ') {
        ++at;
        continue;
      }
      std::uint32_t id = 0;
      const auto [next, error] = std::from_chars(at, end, id);
      if (error != std::errc() || (next != end && *next != ' ') || id >= element_count) {
        const std::string_view word(at, static_cast<std::size_t>(std::find(at, end, ' ') - at));
        throw InputError(fmt::format("{}:{}", path.string(), number), "",
                         fmt::format("found {}", word.substr(0, 40)),
                         fmt::format("element ids from 0 to {}", element_count - 1));
      }
      ids.push_back(id);
      at = next;
    }
  }
  return ids;
}

}  // namespace haptic
