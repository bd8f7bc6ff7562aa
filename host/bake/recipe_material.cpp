#include "host/bake/recipe_material.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>
#include <type_traits>

#include "host/bake/recipe_tables.h"
#include "host/files/mesh_kind.h"
#include "shared/error.h"
#include "shared/files/regular_file.h"

namespace haptic {
namespace {

const NumberRange kModulus = NumberRange::positive("Pa");
const NumberRange kRatio = {
    .minimum = -1.0, .maximum = 0.5, .minimum_excluded = true, .maximum_excluded = true};

/// Value of `key` in `table`, which must be in `range`; `absent` if there is none.
double physical(const TomlTable& table, std::string_view key, const NumberRange& range,
                std::optional<double> absent = {}) {
  const NumberRange positive = NumberRange::positive(range.unit);
  const double value = absent ? table.number(key, positive, *absent) : table.number(key, positive);
  if (table.has(key) && !range.contains(value)) {
    table.refuse(key, fmt::format("found {:g}", value), range.describe());
  }
  return value;
}

/// 21 numbers, the upper triangle row by row.
ElasticityMatrix read_elasticity(const TomlTable& table) {
  const std::vector<double> values = table.numbers("elasticity", 21, NumberRange::any("Pa"));
  ElasticityMatrix C;
  std::size_t at = 0;
  for (int i = 0; i < 6; ++i) {
    for (int j = i; j < 6; ++j) C(i, j) = C(j, i) = values[at++];
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

/// phi, psi [Pa s]; absent if the table has none.
std::optional<std::array<double, 2>> read_viscosity(const TomlTable& table) {
  if (!table.has("viscosity")) return std::nullopt;
  const auto v = table.numbers("viscosity", 2, NumberRange::non_negative("Pa s"));
  if (!(std::max(v[0], v[1]) <= kModulusRange.maximum)) {
    table.refuse("viscosity", fmt::format("found {:g}", std::max(v[0], v[1])),
                 NumberRange::between(0.0, kModulusRange.maximum, "Pa s").describe());
  }
  return std::array{v[0], v[1]};
}

/// The law and the density of a group. Numbers left out are those of `base`, if there is one.
MaterialGroupRecipe read_law(const TomlTable& table, const MaterialGroupRecipe* base) {
  const double density =
      physical(table, "density", kDensityRange,
               base ? std::optional<double>(base->material.density()) : std::nullopt);
  if (table.has("elasticity")) {
    for (const char* key : {"youngs_modulus", "poisson_ratio"}) {
      if (table.has(key))
        table.refuse(key, "found together with \"elasticity\"", "only one of the two");
    }
    return {{}, SolidMaterial(read_elasticity(table), density), {}, {}, {}, {}};
  }
  const Material* inherited = base && base->isotropic ? &*base->isotropic : nullptr;
  Material material;
  material.density = density;
  material.youngs_modulus =
      physical(table, "youngs_modulus", kModulusRange,
               inherited ? std::optional<double>(inherited->youngs_modulus) : std::nullopt);
  material.poisson_ratio = inherited
                               ? table.number("poisson_ratio", kRatio, inherited->poisson_ratio)
                               : table.number("poisson_ratio", kRatio);
  return {{}, SolidMaterial(material), material, {}, {}, {}};
}

ElementSelection read_selection(const TomlTable& table, const std::filesystem::path& volume) {
  const auto box = table.optional_table("box"), sphere = table.optional_table("sphere"),
             cylinder = table.optional_table("cylinder"), plane = table.optional_table("plane");
  const bool list = table.has("elements"), named = table.has("physical");
  const int given = box.has_value() + sphere.has_value() + cylinder.has_value() +
                    plane.has_value() + list + named;
  if (given != 1) {
    table.refuse("", fmt::format("found {} selections of elements", given),
                 "one of \"box\" \"sphere\" \"cylinder\" \"plane\" \"physical\" \"elements\"");
  }
  if (list) return table.file("elements");
  if (named) {
    if (lower_case_extension(volume) != ".msh") {
      table.refuse("physical", "found without a mesh that names groups",
                   "mesh.file of Gmsh (.msh)");
    }
    return PhysicalGroup{table.text("physical")};
  }
  if (box) return read_box(*box);
  if (plane) return read_plane(*plane);
  if (cylinder) return read_cylinder(*cylinder);
  return read_sphere(*sphere);
}

void read_groups(const TomlTable& table, Recipe& recipe) {
  for (const TomlTable& entry : table.tables("group")) {
    const std::string name = entry.text("name");
    MaterialGroupRecipe group = read_law(entry, &recipe.groups.front());
    group.name = name;
    group.selection = read_selection(entry, recipe.volume);
    if (!recipe.reduction && entry.has("viscosity")) {
      entry.refuse("viscosity", "found without [reduction]", "none, or [reduction]");
    }
    group.viscosity = read_viscosity(entry);
    group.key = entry.path_of("");
    const bool plain = std::all_of(name.begin(), name.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
             c == '_' || c == '-';
    });
    if (!plain || name.size() > kLongestGroupName) {
      entry.refuse("name", fmt::format("found \"{}\"", name),
                   fmt::format("at most {} letters, digits, _ or -", kLongestGroupName));
    }
    for (const MaterialGroupRecipe& other : recipe.groups) {
      if (other.name == name) {
        entry.refuse("name", fmt::format("found \"{}\" twice", name), "a unique name");
      }
    }
    entry.finish();
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

void read_material_table(const TomlTable& table, Recipe& recipe) {
  for (const char* key : {"youngs_modulus", "poisson_ratio", "density", "elasticity", "group"}) {
    if (!recipe.material_key && table.has(key)) {
      recipe.material_key = {table.location(key), table.path_of(key)};
    }
  }
  if (!recipe.material_key && !may_hold_materials(recipe.volume)) {
    recipe.material_key = {table.location(), "material"};
  }
  if (recipe.deformable()) {
    if (recipe.material_key) {
      MaterialGroupRecipe base = read_law(table, nullptr);
      base.name = "base";
      base.key = "material";
      if (base.isotropic) recipe.material = *base.isotropic;
      recipe.material.density = base.material.density();
      recipe.groups.push_back(std::move(base));
      read_groups(table, recipe);
    }
    if (recipe.reduction) {
      recipe.editable = table.boolean("editable", true);
      recipe.viscosity = read_viscosity(table);
    } else {
      recipe.editable = false;
      for (const char* key : {"editable", "viscosity"}) {
        if (table.has(key)) table.refuse(key, "found without [reduction]", "none, or [reduction]");
      }
    }
  } else {  // not used by a rigid body, but a wrong value is refused
    if (recipe.material_key) {
      recipe.material.density = physical(table, "density", kDensityRange);
    }
    table.optional_number("youngs_modulus", kModulus);
    table.optional_number("poisson_ratio", kRatio);
    for (const char* key : {"elasticity", "group", "viscosity", "editable"}) {
      if (table.has(key)) table.refuse(key, "found for a rigid body", "none, or [reduction]");
    }
  }
  if (table.has("damping_ratios")) {
    const auto ratios = table.numbers("damping_ratios", 2, NumberRange::non_negative());
    recipe.damping_ratios = {ratios[0], ratios[1]};
  }
  table.finish();
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
