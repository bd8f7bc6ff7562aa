#include "host/bake/recipe_shell.h"

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <string>

#include "host/bake/recipe_keys.h"

namespace haptic {
namespace {

constexpr std::int64_t kMaxPoints = 4'000'000;

KeyWords<ShellMethod> methods() {
  KeyWords<ShellMethod> words = words_in_order<ShellMethod>(kShellMethods);
  words.pop_back();  // points_file instead
  return words;
}

bool by_spacing(ShellMethod method) {
  return method == ShellMethod::kVoxels || method == ShellMethod::kDepth;
}

/// Whether the levels of a repulsion say how many points there are.
bool counted_by_levels(const TomlTable& table, const PointShellSettings& shell) {
  return shell.method == ShellMethod::kRepulsion && table.has("levels") && table.has("first_level");
}

void refuse_points(const TomlTable& table, const PointShellSettings& shell) {
  if (determines_point_count(shell.method)) {
    table.refuse("points",
                 fmt::format("found together with {}",
                             shell.method == ShellMethod::kFile
                                 ? "\"points_file\""
                                 : fmt::format("method \"{}\"", name_of(shell.method))),
                 by_spacing(shell.method) ? "\"spacing\", which determines the number of points"
                                          : "no number of points: it is already determined");
  }
  if (counted_by_levels(table, shell)) {
    table.refuse("points", "found together with \"levels\" and \"first_level\"",
                 "at most two of the three");
  }
}

const KeySchema<PointShellSettings>& sampling_keys() {
  static const KeySchema<PointShellSettings> keys(
      {
          key("method", &PointShellSettings::method, methods(),
              "How the points are placed on the surface; not with points_file.")
              .not_with("points_file", "only one of the two",
                        "found together with \"points_file\""),
          key_of<PointShellSettings>(
              "points_file",
              [](PointShellSettings& shell) -> std::filesystem::path& {
                shell.method = ShellMethod::kFile;
                return shell.points_file;
              },
              AnyValue{},
              "Lines x y z or x y z nx ny nz in the coordinates of the mesh file, normals inward.")
              .absent("points are sampled"),
          key("points", &PointShellSettings::points, IntegerRange{1, kMaxPoints},
              "Number of points.")
              .rule(refuse_points)
              .required_if(
                  [](const TomlTable& table, const PointShellSettings& shell) {
                    return !determines_point_count(shell.method) &&
                           !counted_by_levels(table, shell);
                  },
                  "required, unless the method, a file, or levels and first_level determine it"),
          key("levels", &PointShellSettings::levels, IntegerRange{1, 12},
              "Number of levels of the point tree, which then grow by a factor of four; not with "
              "first_level, except for repulsion.")
              .absent(
                  "8, 64, 512, ... new points per level; for repulsion as many as leave 64 points "
                  "in the first"),
          key("first_level", &PointShellSettings::first_level, IntegerRange{1, kMaxPoints},
              "Points of the first level, instead of levels; each further level has four times as "
              "many.")
              .absent("from points and levels")
              .rule([](const TomlTable& table, const PointShellSettings& shell) {
                if (shell.method == ShellMethod::kRepulsion || !table.has("levels")) return;
                table.refuse("first_level", "found together with \"levels\"",
                             "only one of the two");
              }),
          key("spacing", &PointShellSettings::spacing, NumberRange::positive("m"),
              "Edge of the voxels, or distance of the rays; only with these methods.")
              .required_if([](const TomlTable&,
                              const PointShellSettings& shell) { return by_spacing(shell.method); },
                           "required for voxels and depth")
              .only_if([](const PointShellSettings& shell) { return by_spacing(shell.method); },
                       [](const PointShellSettings& shell) {
                         return fmt::format("found for method \"{}\"", name_of(shell.method));
                       },
                       "\"points\", or method \"voxels\" or \"depth\""),
          key("seed", &PointShellSettings::seed, IntegerRange{0},
              "Seed of all random numbers of the sampling."),
      },
      [](const TomlTable& table, PointShellSettings& shell) {
        if (!table.has("points")) shell.points = 0;
      });
  return keys;
}

}  // namespace

const KeySchema<ShellRecipe>& shell_keys() {
  using S = ShellRecipe;
  static const KeySchema<S> keys({
      part(&S::sampling, sampling_keys()),
      key("area_weights", &S::area_weights,
          "Whether the model stores the surface area of each point, for contact area_weights."),
      key("offset", &S::offset, "Whether points and field describe a surface around the mesh.")
          .absent("false; a mesh that is not closed always has it"),
      key("offset_voxels", &S::offset_voxels, NumberRange::between(0.9, 8.0),
          "Distance of this surface from the mesh, in voxels of the offset field."),
      key("offset_resolution", &S::offset_resolution, IntegerRange{16, 512, "voxels"},
          "Voxels a side of the offset field, a power of two.")
          .absent("that of [field], or 128")
          .checked([](const TomlTable& table, const S& s) {
            if (std::has_single_bit(s.offset_resolution)) return;
            table.refuse("offset_resolution", fmt::format("found {}", s.offset_resolution),
                         "a power of two from 16 to 512");
          }),
  });
  return keys;
}

}  // namespace haptic
