#include "host/bake/recipe_keys.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace haptic {
namespace {

using R = Recipe;

constexpr double kSparseBand = 4.0;  // voxels

// ---- [mesh]

DeclaredKey<R> of_voxels(DeclaredKey<R> key) {
  return std::move(key).not_with("file", "voxels or a volume mesh", "found together with \"file\"");
}

const KeySchema<R>& mesh_keys() {
  static const KeySchema<R> keys({
      key("file", &R::volume,
          "Volume mesh to use instead of voxels: Gmsh .msh, MEDIT .mesh, TetGen .ele with .node, "
          "VegaFEM .veg.")
          .absent("voxels are made"),
      of_voxels(key_of<R>(
          "resolution", [](R& r) -> std::uint32_t& { return r.voxels.resolution; },
          IntegerRange{1, 512, "voxels"}, "Voxels along the longest side; not with mesh.file.")),
      of_voxels(key_of<R>(
          "fill", [](R& r) -> bool& { return r.voxels.fill; }, AnyValue{},
          "Whether space that the surface encloses is filled with voxels; not with mesh.file.")),
      of_voxels(key("cells", &R::cut_cells, {{"cut", true}, {"full", false}},
                    "Whether a voxel that the surface cuts counts by what it holds of the body, or "
                    "in full, as published, which makes the body larger, heavier and stiffer; not "
                    "with mesh.file. The voxels of an open surface are full.")),
      key("elements", &R::strains,
          {{"assumed-strain", StrainSampling::kAssumed}, {"full", StrainSampling::kPointwise}},
          "Strain of hexahedra: assumed, so that they bend as their material does, or at each "
          "point, as published, which is too stiff in bending. Tetrahedra have one strain."),
      key("mass", &R::mass, {{"consistent", MassKind::kConsistent}, {"lumped", MassKind::kLumped}},
          "Mass matrix for modes, basis and damping; only with [reduction]."),
  });
  return keys;
}

// ---- [condensed] and [field]

const KeySchema<CondensedRecipe>& condensed_keys() {
  using C = CondensedRecipe;
  static const KeySchema<C> keys({
      key("modes", &C::modes, IntegerRange{1, 100'000},
          "Number of lowest modes, at most the free degrees of freedom.")
          .required(),
      key("precision", &C::precision,
          {{"single", CompliancePrecision::kSingle}, {"double", CompliancePrecision::kDouble}},
          "Precision of the stored compliance."),
  });
  return keys;
}

DistanceFieldSettings& field_of(R& recipe) {
  return recipe.field ? *recipe.field : recipe.field.emplace();
}

FieldProxyRecipe& proxies_of(R& recipe) {
  return recipe.field_proxies ? *recipe.field_proxies : recipe.field_proxies.emplace();
}

/// One of two words, the first of which is the default.
DeclaredKey<R> either(std::string name, std::string first, std::string second,
                      std::function<void(R&)> take_second, std::string meaning) {
  return {{.path = name,
           .kind = KeyKind::kChoice,
           .unit = "-",
           .range = first + ", " + second,
           .absent = first,
           .meaning = std::move(meaning)},
          [=](const TomlTable& table, R& recipe) {
            const std::string word = table.text(name);
            if (word == second) return take_second(recipe);
            if (word == first) return;
            table.refuse(name, fmt::format("found \"{}\"", word),
                         fmt::format("\"{}\" or \"{}\"", first, second));
          }};
}

std::int64_t max_field_resolution(const R& recipe) {
  return recipe.sparse_band ? 1024 : 512;
}

const KeySchema<R>& field_keys() {
  const auto sparse = [](const R& r) { return r.sparse_band.has_value(); };
  static const KeySchema<R> keys(
      {
          key_of<R>(
              "resolution", [](R& r) -> std::uint32_t& { return field_of(r).resolution; },
              IntegerRange{16, 1024, "voxels"},
              "Voxels a side, a power of two; at most 512 if dense.")
              .rule([](const TomlTable& table, const R& r) {
                (void)table.integer("resolution", 16, max_field_resolution(r));
              })
              .checked([](const TomlTable& table, const R& r) {
                if (std::has_single_bit(r.field->resolution)) return;
                table.refuse("resolution", fmt::format("found {}", r.field->resolution),
                             fmt::format("a power of two from 16 to {}", max_field_resolution(r)));
              }),
          key_of<R>(
              "expansion", [](R& r) -> double& { return field_of(r).expansion; },
              NumberRange{.minimum = 1.0, .maximum = 8.0, .minimum_excluded = true},
              "Side of the field's cube over the longest side of the object."),
          either(
              "layout", "dense", "sparse", [](R& r) { r.sparse_band = kSparseBand; },
              "Whether all voxels are stored or only those near the surface.")
              .read_first(),
          key("band", &R::sparse_band, NumberRange::between(2.0, 64.0, "voxels"),
              "Distance from the surface within which voxels are stored; only if sparse.")
              .absent(number_text(kSparseBand))
              .only_if(sparse, "found together with a dense layout", "layout = \"sparse\""),
          key_of<R>(
              "proxies", [](R& r) -> std::uint32_t& { return proxies_of(r).count; },
              IntegerRange{1, 4096},
              "Proxies from which the field of a body that deforms is blended; only if dense.")
              .absent("none: the field does not deform")
              .only_if(std::not_fn(sparse), "found together with a sparse layout",
                       "layout = \"dense\"")
              .only_if([](const R& r) { return r.reduction.has_value(); },
                       "found without [reduction]: the field of a rigid body does not deform",
                       "a deformable body"),
          either(
              "domains", "one", "parts", [](R& r) { proxies_of(r).domains = FieldDomains::kParts; },
              "Whether each separate piece of the surface has a field; only with proxies.")
              .only_with("proxies", "domains together with proxies, e.g. proxies = 40"),
      },
      [](const TomlTable&, R& r) { (void)field_of(r); });
  return keys;
}

/// A table of a body that is not a cloth.
DeclaredKey<R> of_solid(DeclaredKey<R> table) {
  return std::move(table).not_with("cloth",
                                   "[source] and [cloth] alone: a cloth is particles and springs",
                                   "found together with [cloth]");
}

}  // namespace

const KeySchema<Recipe>& recipe_schema() {
  static const KeySchema<R> keys({
      table("source", source_keys(), "Surface of the body, its size and its origin.")
          .required_if([](const TomlTable&, const R& r) { return r.volume.empty(); },
                       "required, unless mesh.file holds the body"),
      of_solid(table("mesh", mesh_keys(), "Volume mesh of a body that deforms: voxels, or a file."))
          .absent("voxels with the defaults")
          .read_first(),
      of_solid(table("material", material_keys(),
                     "Material of the body; a rigid body needs its density only."))
          .required_if([](const TomlTable&,
                          const R& r) { return !r.cloth && !may_hold_materials(r.volume); },
                       "required, unless the .veg of mesh.file has materials"),
      of_solid(table("constraints", constraint_keys(), "Fixed vertices of a body that deforms."))
          .absent("none; required with [condensed], and with [reduction] unless it is free"),
      of_solid(table("reduction", &R::reduction, reduction_keys(),
                     "Subspace in which the body deforms."))
          .absent("a rigid body, unless [condensed] or [cloth] is given")
          .read_first(),
      of_solid(table("condensed", &R::condensed, condensed_keys(),
                     "Condenses a linear body to its surface, for world = \"condensed\"."))
          .absent("none")
          .read_first(),
      of_solid(
          table("shell", &R::shell, shell_keys(), "Points with which the body touches others."))
          .absent("no points"),
      of_solid(table("field", field_keys(),
                     "Signed distance field, which the points of other bodies touch."))
          .absent("no field"),
      table("cloth", &R::cloth, cloth_recipe_keys(),
            "Particles and springs, for world = \"cloth\"; beside it only [source].")
          .absent("a solid body")
          .read_first(),
  });
  return keys;
}

std::span<const KeyGroup> recipe_keys() {
  static const std::array kGroups = {KeyGroup{"recipe", "", "", "", recipe_schema().described()}};
  return kGroups;
}

}  // namespace haptic
