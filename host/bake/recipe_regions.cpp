// [constraints] and [material], which select vertices and elements by regions.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "host/bake/recipe_keys.h"
#include "host/files/mesh_kind.h"

namespace haptic {
namespace {

using R = Recipe;

// ---- Regions. Their places count from the lower corner of the scaled mesh.

template <class Region>
DeclaredKey<Region> point(std::string_view name, Vector3 Region::*member,
                          std::string_view meaning) {
  return key(name, member, NumberRange::any("m"), meaning).required();
}

template <class Region>
DeclaredKey<Region> radius(std::string_view meaning) {
  return key("radius", &Region::radius, NumberRange::positive("m"), meaning).required();
}

/// @param verb  what is done with the elements or vertices on the side: "Fixes"
KeySchema<PlaneConstraint> plane_keys(std::string_view verb) {
  using P = PlaneConstraint;
  const auto bound = [verb](std::string_view name, P::Side side, std::string_view other) {
    return key_of<P>(
               name,
               [side](P& plane) -> double& {
                 plane.side = side;
                 return plane.distance;
               },
               NumberRange::non_negative("m"),
               fmt::format("{} what is {} this coordinate, counted from the mesh's lower bound.",
                           verb, name))
        .absent(fmt::format("required, or {}", other));
  };
  return KeySchema<P>(
      {
          key("axis", &P::axis, {{"x", 0}, {"y", 1}, {"z", 2}}, "Normal of the plane.").required(),
          bound("below", P::Side::kBelow, "above"),
          bound("above", P::Side::kAbove, "below"),
      },
      [](const TomlTable& table, P&) {
        const bool below = table.has("below");
        if (below != table.has("above")) return;
        table.refuse("", below ? "found both \"below\" and \"above\"" : "found neither",
                     "either \"below\" or \"above\" [m]");
      });
}

const KeySchema<BoxConstraint>& box_keys() {
  using B = BoxConstraint;
  static const KeySchema<B> keys(
      {point("min", &B::min, "Lower corner, counted from the lower corner of the scaled mesh."),
       point("max", &B::max, "Upper corner, counted from the lower corner of the scaled mesh.")},
      [](const TomlTable& table, const B& box) {
        if ((box.max - box.min).minCoeff() >= 0.0) return;
        table.refuse("max", "found a corner below \"min\"", "max >= min along every axis");
      });
  return keys;
}

const KeySchema<CylinderConstraint>& cylinder_keys() {
  using C = CylinderConstraint;
  static const KeySchema<C> keys(
      {point("from", &C::from,
             "One end of its axis, counted from the lower corner of the scaled mesh."),
       point("to", &C::to, "The other end of its axis."), radius<C>("Radius of the cylinder.")},
      [](const TomlTable& table, const C& cylinder) {
        if ((cylinder.to - cylinder.from).norm() > 0.0) return;
        table.refuse("to", "found the point of \"from\"", "the other end of the axis");
      });
  return keys;
}

KeySchema<SphereConstraint> sphere_keys(std::string_view radius_of) {
  using S = SphereConstraint;
  return KeySchema<S>(
      {point("centre", &S::centre, "Centre, counted from the lower corner of the scaled mesh."),
       radius<S>(radius_of)});
}

const KeySchema<SphereConstraint>& patch_keys() {
  using S = SphereConstraint;
  static const KeySchema<S> keys({
      point("near", &S::centre,
            "Point near the surface, counted from the lower corner of the scaled mesh."),
      radius<S>("Distance from the surface's point up to which vertices are fixed."),
  });
  return keys;
}

// ---- [material]

template <class Settings, class Value>
auto constant(Value MaterialConstants::*member) {
  return [member](Settings& of) -> Value& { return of.constants.*member; };
}

/// Refuses a constant of the key `name` that is out of the range of materials.
template <class Settings>
typename DeclaredKey<Settings>::Check within(std::string name,
                                             std::optional<double> MaterialConstants::*member,
                                             const NumberRange& range) {
  return [=](const TomlTable& table, const Settings& of) {
    const double value = *(of.constants.*member);
    if (range.contains(value)) return;
    table.refuse(name, fmt::format("found {:g}", value), range.describe());
  };
}

/// Of isotropic constants, which an elasticity matrix replaces.
template <class Settings>
DeclaredKey<Settings> isotropic(DeclaredKey<Settings> key) {
  return std::move(key).not_with("elasticity", "only one of the two",
                                 "found together with \"elasticity\"");
}

template <class Settings>
DeclaredKey<Settings> youngs_modulus(std::string_view meaning) {
  return isotropic(key_of<Settings>("youngs_modulus",
                                    constant<Settings>(&MaterialConstants::youngs_modulus),
                                    NumberRange::positive("Pa"), meaning))
      .range(range_text(kModulusRange));
}

template <class Settings>
DeclaredKey<Settings> poisson_ratio(std::string_view of) {
  return isotropic(key_of<Settings>(
      "poisson_ratio", constant<Settings>(&MaterialConstants::poisson_ratio), kPoissonRange,
      fmt::format("Poisson's ratio of the {}; not with elasticity.", of)));
}

template <class Settings>
DeclaredKey<Settings> density(std::string_view meaning) {
  return key_of<Settings>("density", constant<Settings>(&MaterialConstants::density),
                          NumberRange::positive("kg/m^3"), meaning)
      .range(range_text(kDensityRange))
      .checked(within<Settings>("density", &MaterialConstants::density, kDensityRange));
}

template <class Settings>
DeclaredKey<Settings> elasticity(std::string_view meaning) {
  return key_of<Settings>("elasticity", constant<Settings>(&MaterialConstants::elasticity),
                          NumberRange::any("Pa"), meaning);
}

template <class Settings>
DeclaredKey<Settings> viscosity(std::string_view meaning) {
  return key("viscosity", &Settings::viscosity, NumberRange::non_negative("Pa s"), meaning)
      .checked([](const TomlTable& table, const Settings& of) {
        const double larger = std::max((*of.viscosity)[0], (*of.viscosity)[1]);
        if (larger <= kModulusRange.maximum) return;
        table.refuse("viscosity", fmt::format("found {:g}", larger),
                     NumberRange::between(0.0, kModulusRange.maximum, "Pa s").describe());
      });
}

using G = MaterialGroupTable;

template <class Region>
DeclaredKey<G> region(std::string_view name, const KeySchema<Region>& keys,
                      std::string_view meaning, std::string_view others) {
  return table_of<G>(
             name, [](G& group) -> Region& { return group.selection.emplace<Region>(); }, keys,
             meaning)
      .absent(fmt::format("required, or {} or elements", others));
}

void check_group(const TomlTable& table, const G&) {
  int given = 0;
  for (const char* key : {"box", "sphere", "cylinder", "plane", "physical", "elements"}) {
    given += int(table.has(key));
  }
  if (given == 1) return;
  table.refuse("", fmt::format("found {} selections of elements", given),
               "one of \"box\" \"sphere\" \"cylinder\" \"plane\" \"physical\" \"elements\"");
}

const KeySchema<G>& material_group_keys() {
  static const KeySchema<SphereConstraint> sphere = sphere_keys("Radius of the sphere.");
  static const KeySchema<PlaneConstraint> plane = plane_keys("Selects");
  static const KeySchema<G> keys(
      {
          key("name", &G::name,
              fmt::format("Name of the group: at most {} letters, digits, _ or -.", kMaxGroupName))
              .required()
              .checked([](const TomlTable& table, const G& group) {
                const bool plain = std::ranges::all_of(group.name, [](char c) {
                  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                         (c >= '0' && c <= '9') || c == '_' || c == '-';
                });
                if (plain && group.name.size() <= kMaxGroupName) return;
                table.refuse("name", fmt::format("found \"{}\"", group.name),
                             fmt::format("at most {} letters, digits, _ or -", kMaxGroupName));
              }),
          youngs_modulus<G>("Young's modulus of the group; not with elasticity.")
              .checked(
                  within<G>("youngs_modulus", &MaterialConstants::youngs_modulus, kModulusRange))
              .absent("that of [material]")
              .sets("BODY.mu.GROUP BODY.lambda.GROUP"),
          poisson_ratio<G>("group")
              .absent("that of [material]")
              .sets("BODY.mu.GROUP BODY.lambda.GROUP"),
          density<G>("Mass per volume of the group.")
              .absent("that of [material]")
              .sets("BODY.density.GROUP"),
          elasticity<G>("Elasticity matrix of the group, as material.elasticity.")
              .absent("isotropic, from the moduli")
              .sets("BODY.stiffness.GROUP"),
          viscosity<G>("Coefficients phi and psi of the group's strain-rate damping; only with "
                       "[reduction].")
              .absent("that of [material]"),
          region("box", box_keys(), "Selects the elements whose centroid lies in this box.",
                 "sphere, cylinder, plane"),
          region("sphere", sphere, "Selects the elements whose centroid lies in this sphere.",
                 "box, cylinder, plane"),
          region("cylinder", cylinder_keys(),
                 "Selects the elements whose centroid lies in this cylinder.",
                 "box, sphere, plane"),
          region("plane", plane,
                 "Selects the elements whose centroid lies on one side of this plane.",
                 "box, sphere, cylinder"),
          key_of<G>(
              "physical",
              [](G& group) -> std::string& {
                return group.selection.emplace<PhysicalGroup>().name;
              },
              AnyValue{},
              "Name of a physical group of mesh.file whose elements are selected; Gmsh only.")
              .absent("required, or a region or elements"),
          key_of<G>(
              "elements",
              [](G& group) -> std::filesystem::path& {
                return group.selection.emplace<std::filesystem::path>();
              },
              AnyValue{}, "Text file with the ids of the elements, counted from 0.")
              .absent("required, or box, sphere, cylinder or plane"),
      },
      check_group);
  return keys;
}

DeclaredKey<R> of_deformable(DeclaredKey<R> key) {
  return std::move(key).only_if(&R::deformable, "found for a rigid body", "none, or [reduction]");
}

DeclaredKey<R> of_reduction(DeclaredKey<R> key) {
  return of_deformable(std::move(key))
      .only_if([](const R& r) { return r.reduction.has_value(); }, "found without [reduction]",
               "none, or [reduction]");
}

template <class Value>
auto constraint(Value Constraints::*member) {
  return [member](R& r) -> Value& { return r.constraints.*member; };
}

}  // namespace

bool may_hold_materials(const std::filesystem::path& volume) {
  return lower_case_extension(volume) == ".veg";
}

bool names_groups(const std::filesystem::path& volume) {
  return lower_case_extension(volume) == ".msh";
}

std::optional<RecipeKey> material_key(const TomlTable& material, const Recipe& recipe) {
  for (const char* key : {"youngs_modulus", "poisson_ratio", "density", "elasticity", "group"}) {
    if (material.has(key)) return RecipeKey{material.location(key), material.path_of(key)};
  }
  if (may_hold_materials(recipe.volume)) return std::nullopt;
  return RecipeKey{material.location(), "material"};
}

const KeySchema<Recipe>& material_keys() {
  const auto needs_moduli = [](const TomlTable& table, const R& r) {
    return r.deformable() && material_key(table, r) && !table.has("elasticity");
  };
  static const KeySchema<R> keys({
      youngs_modulus<R>("Young's modulus of the material; not with elasticity. BODY.stiffness is a "
                        "factor of it.")
          .required_if(needs_moduli, "required for a body that deforms")
          .checked([](const TomlTable& table, const R& r) {
            if (!r.deformable()) return;  // not used
            within<R>("youngs_modulus", &MaterialConstants::youngs_modulus, kModulusRange)(table,
                                                                                           r);
          })
          .sets("BODY.stiffness BODY.mu.GROUP BODY.lambda.GROUP"),
      poisson_ratio<R>("material")
          .required_if(needs_moduli, "required for a body that deforms")
          .sets("BODY.mu.GROUP BODY.lambda.GROUP"),
      density<R>("Mass per volume. BODY.density is a factor of it.")
          .required_if(
              [](const TomlTable& table, const R& r) { return material_key(table, r).has_value(); },
              "required")
          .sets("BODY.density BODY.density.GROUP"),
      of_deformable(elasticity<R>("Upper triangle, row by row, of the elasticity matrix over the "
                                  "pairs 11, 22, 33, 12, 13, 23; positive definite. "
                                  "BODY.stiffness is a factor of it."))
          .absent("isotropic, from the moduli")
          .sets("BODY.stiffness BODY.stiffness.GROUP"),
      key("damping_ratios", &R::damping_ratios, NumberRange::non_negative(),
          "Damping of the first and of the last linear mode over critical damping. BODY.damping is "
          "a factor of what follows from it.")
          .sets("BODY.damping"),
      of_reduction(viscosity<R>("Coefficients phi and psi of strain-rate damping; only with "
                                "[reduction]. BODY.damping is a factor of both."))
          .absent("[0, 0]")
          .sets("BODY.damping"),
      of_reduction(key("editable", &R::editable,
                       "Whether the model keeps the data with which haptic set changes its "
                       "material; only with [reduction].")),
      of_deformable(tables("group", &R::group_tables, material_group_keys(),
                           "Elements of another material; a later group overrides an earlier "
                           "one."))
          .absent("one material"),
  });
  return keys;
}

const KeySchema<Recipe>& constraint_keys() {
  static const KeySchema<PlaneConstraint> plane = plane_keys("Fixes");
  static const KeySchema<SphereConstraint> sphere = sphere_keys("Radius of the ball.");
  static const KeySchema<std::string> group(
      {key_of<std::string>("name", std::identity{}, AnyValue{}, "Name of the group in its file.")
           .required()});
  static const KeySchema<R> keys({
      tables_of<R>("planes", constraint(&Constraints::planes), plane,
                   "Fixes the vertices on one side of each plane."),
      tables_of<R>("boxes", constraint(&Constraints::boxes), box_keys(),
                   "Fixes the vertices in each box."),
      tables_of<R>("spheres", constraint(&Constraints::spheres), sphere,
                   "Fixes the vertices in each ball."),
      tables_of<R>("cylinders", constraint(&Constraints::cylinders), cylinder_keys(),
                   "Fixes the vertices in each round cylinder, which has flat ends."),
      tables_of<R>("patches", constraint(&Constraints::patches), patch_keys(),
                   "Fixes the vertices about the point of the surface that is nearest to each of "
                   "these points."),
      tables("groups", &R::constraint_groups, group,
             "Fixes the vertices of each of these physical groups of mesh.file, of any dimension; "
             "Gmsh only.")
          .rule([](const TomlTable& table, const R& r) {
            for (const TomlTable& entry : table.tables("groups")) {
              if (names_groups(r.volume)) continue;
              entry.refuse("name", "found without a mesh that names groups",
                           "mesh.file of Gmsh (.msh)");
            }
          }),
      key_of<R>("vertices", constraint(&Constraints::vertices), IntegerRange{0, 0xffffffffLL},
                "Fixed vertices by number, counted from 0 in the order of the mesh file.")
          .absent("none"),
      key("file", &R::constraint_file,
          "VegaFEM .bou file with the numbers of fixed vertices, counted from 1."),
  });
  return keys;
}

}  // namespace haptic
