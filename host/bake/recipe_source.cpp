#include "host/bake/recipe_source.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/bake/recipe_keys.h"

namespace haptic {
namespace {

using R = Recipe;

constexpr const char* kOneSize = "one of length, unit and scale";
constexpr std::int64_t kMaxParticlesOfASide = kMaxClothParticles / 2;

/// Turns an axis of the file into +y, against which gravity acts in scenes.
Matrix3 rotation_of_up(std::string_view up) {
  Matrix3 rotation = Matrix3::Identity();
  if (up == "x") rotation << 0, -1, 0, 1, 0, 0, 0, 0, 1;
  if (up == "-x") rotation << 0, 1, 0, -1, 0, 0, 0, 0, 1;
  if (up == "-y") rotation << 1, 0, 0, 0, -1, 0, 0, 0, -1;
  if (up == "z") rotation << 1, 0, 0, 0, 0, 1, 0, -1, 0;
  if (up == "-z") rotation << 1, 0, 0, 0, 0, -1, 0, 1, 0;
  return rotation;
}

KeyWords<Matrix3> axes_that_are_up() {
  KeyWords<Matrix3> words;
  for (const char* const up : {"x", "y", "z", "-x", "-y", "-z"}) {
    words.emplace_back(up, rotation_of_up(up));
  }
  return words;
}

struct Rotation {
  Vector3 axis = Vector3::Zero();
  double degrees = 0.0;

  Matrix3 matrix() const {
    const double angle = degrees / 180.0 * std::numbers::pi;
    return Eigen::AngleAxisd(angle, axis / axis.norm()).toRotationMatrix();
  }
};

const KeySchema<Rotation>& rotation_keys() {
  static const KeySchema<Rotation> keys({
      key("axis", &Rotation::axis, NumberRange::any("1"),
          "Direction of the axis of the rotation; its length has no effect.")
          .required()
          .checked([](const TomlTable& table, const Rotation& rotation) {
            const double length = rotation.axis.norm();
            if (length > 0.0 && std::isfinite(length)) return;
            table.refuse("axis", "found no direction", "three numbers that are not all zero");
          }),
      key("degrees", &Rotation::degrees, NumberRange::between(-360.0, 360.0, "degrees"),
          "Angle of the rotation, counter-clockwise seen against the axis.")
          .required(),
  });
  return keys;
}

void read_grid_particles(const TomlTable& table, GridSource& grid) {
  const std::vector<std::int64_t> sides = table.integers("particles", 2, kMaxParticlesOfASide);
  if (sides.size() != 2) {
    table.refuse("particles", fmt::format("found {} numbers", sides.size()),
                 "two, along x and y, e.g. [40, 40]");
  }
  if (static_cast<std::uint64_t>(sides[0] * sides[1]) > kMaxClothParticles) {
    table.refuse("particles", fmt::format("found {} x {}", sides[0], sides[1]),
                 fmt::format("at most {} particles in all", kMaxClothParticles));
  }
  grid.particles = {static_cast<std::uint32_t>(sides[0]), static_cast<std::uint32_t>(sides[1])};
}

const KeySchema<GridSource>& grid_keys() {
  static const KeySchema<GridSource> keys({
      DeclaredKey<GridSource>(
          {.path = "particles",
           .kind = KeyKind::kIntegers,
           .unit = "1",
           .range = array_text("integers", 0, number_range(2, kMaxParticlesOfASide)),
           .meaning = "Two numbers: particles along x and along y, at most 4,000,000 in all."},
          read_grid_particles)
          .required(),
      key("size", &GridSource::size, NumberRange::between(1e-6, 1e6, "m"),
          "Sides of the rectangle along x and along y.")
          .required(),
  });
  return keys;
}

/// Of the mesh of a cloth, which may have a grid instead.
DeclaredKey<R> without_grid(DeclaredKey<R> key) {
  const std::string name(key.name());
  return std::move(key).rule([name](const TomlTable& table, const R& r) {
    if (!r.cloth || !table.has("grid")) return;
    table.refuse(name, "found together with \"grid\"", "a mesh with its length, or a grid");
  });
}

/// Of the surface mesh of a solid.
DeclaredKey<R> of_surface(DeclaredKey<R> key) {
  return std::move(key).only_if(
      [](const R& r) { return !r.cloth && !r.mesh.empty(); },
      [](const R& r) {
        return r.cloth ? "found together with [cloth], whose mesh is not repaired"
                       : "found without a surface mesh";
      },
      "none, or source.mesh of a solid");
}

void read_origin_point(const TomlTable& table, R& recipe) {
  const std::vector<double> point = table.numbers("origin", 3, NumberRange::any("1"));
  recipe.frame.origin = SourceOrigin::kPoint;
  recipe.frame.point = Vector3(point[0], point[1], point[2]);
}

void read_components(const TomlTable& table, R& recipe) {
  constexpr std::int64_t kMax = std::numeric_limits<std::uint32_t>::max();
  for (const std::int64_t number : table.integers("keep", 1, kMax)) {
    recipe.repair.keep.push_back(static_cast<std::uint32_t>(number));
  }
  if (recipe.repair.keep.empty()) {
    table.refuse("keep", "found an empty list", "numbers of components");
  }
}

}  // namespace

double SourceFrame::scale(const BoundingBox& box) const {
  return length > 0.0 ? length / box.longest_side() : unit;
}

const KeySchema<Recipe>& source_keys() {
  const auto needs_length = [](const TomlTable& table, const R& r) {
    return !r.mesh.empty() && r.volume.empty() && !table.has("unit") && !table.has("scale");
  };
  const auto unit = [](R& r) -> double& { return r.frame.unit; };
  static const KeySchema<R> keys(
      {
          without_grid(key("mesh", &R::mesh, "Surface mesh: OBJ, STL or PLY."))
              .required_if(
                  [](const TomlTable& table, const R& r) {
                    return r.volume.empty() && !r.cloth && !table.has("grid");
                  },
                  "required, unless source.grid or mesh.file is given"),
          without_grid(
              key_of<R>(
                  "length", [](R& r) -> double& { return r.frame.length; },
                  NumberRange::positive("m"),
                  "Length to which the longest side of the mesh's bounding box is scaled."))
              .not_with("unit", kOneSize, "found together with \"unit\"")
              .not_with("scale", kOneSize, "found together with \"scale\"")
              .required_if(needs_length,
                           "required, or unit or scale; with mesh.file the coordinates are metres "
                           "without them"),
          without_grid(key_of<R>("unit", unit,
                                 KeyWords<double>{{"m", 1.0},
                                                  {"cm", 1e-2},
                                                  {"mm", 1e-3},
                                                  {"um", 1e-6},
                                                  {"in", 0.0254},
                                                  {"ft", 0.3048}},
                                 "Unit of the file's coordinates, instead of length.")),
          without_grid(
              key_of<R>("scale", unit, NumberRange::between(1e-9, 1e9, "m per unit of the file"),
                        "Metres per unit of the file's coordinates, instead of length or unit."))
              .not_with("unit", kOneSize, "found together with \"unit\""),
          without_grid(key_of<R>(
              "up", [](R& r) -> Matrix3& { return r.frame.rotation; }, axes_that_are_up(),
              "Axis of the file that becomes +y of the model, against which gravity acts in most "
              "scenes.")),
          without_grid({{.path = "rotate",
                         .kind = KeyKind::kTable,
                         .unit = "-",
                         .absent = "none",
                         .meaning = "Rotation about the file's origin, after up."},
                        [](const TomlTable& table, R& r) {
                          Rotation rotation;
                          rotation_keys().read(table.table("rotate"), rotation);
                          r.frame.rotation = rotation.matrix() * r.frame.rotation;
                        },
                        rotation_keys().described()}),
          key_of<R>(
              "origin", [](R& r) -> SourceOrigin& { return r.frame.origin; },
              KeyWords<SourceOrigin>{{"file", SourceOrigin::kFile},
                                     {"centre", SourceOrigin::kCentre},
                                     {"mass", SourceOrigin::kMass}},
              "Origin of the model frame: that of the file, the centre of the bounding box, the "
              "centre of mass, or a point of the file, [x, y, z] in its coordinates: parts of one "
              "scan with the same point and length, unit or scale fit together.")
              .or_array(read_origin_point),
          of_surface(key_of<R>(
              "close_holes", [](R& r) -> double& { return r.repair.close_holes; },
              NumberRange::between(0.0, 2.0, "1"),
              "Largest hole of the surface that is closed with triangles, over the longest "
              "side.")),
          of_surface(key_of<R>(
              "open", [](R& r) -> bool& { return r.repair.open; }, AnyValue{},
              "Whether a surface with larger holes is taken, with the surface around it at a "
              "distance of 1.4 voxels for contact and voxels for its mass; otherwise it is "
              "refused.")),
          of_surface(
              key_of<R>(
                  "keep", [](R& r) -> bool& { return r.repair.keep_largest; },
                  KeyWords<bool>{{"all", false}, {"largest", true}},
                  "Which components of the surface are kept: all, the one of the largest area, or "
                  "a list of their numbers as haptic bake prints them, from 1.")
                  .or_array(read_components)),
          table("grid", &R::grid, grid_keys(),
                "Rectangle of particles in the plane z = 0, instead of a mesh; only with [cloth].")
              .absent("none")
              .only_if([](const R& r) { return r.cloth.has_value(); },
                       "found without [cloth]: a grid has no inside", "a mesh"),
      },
      [](const TomlTable& table, R& r) {
        if (r.cloth && r.mesh.empty() && !r.grid) {
          table.refuse("mesh", "missing", "a mesh file, or \"grid\" for a rectangle");
        }
      });
  return keys;
}

}  // namespace haptic
