#include "tests/support/condensed_box.h"

#include <fmt/format.h>

#include <algorithm>

#include "host/bake/bake.h"
#include "host/formats/mesh_file.h"
#include "host/mesh/catalogue.h"

namespace haptic {

void bake_condensed_box(const std::filesystem::path& path, const CondensedBoxSettings& settings) {
  const auto& size = settings.size;
  std::filesystem::path mesh = path;
  mesh.replace_extension(".obj");
  write_obj(mesh, make_shape("box", {{"size_x", size[0]},
                                     {"size_y", size[1]},
                                     {"size_z", size[2]},
                                     {"resolution", 3 * settings.resolution}}));
  const std::string recipe = fmt::format(
      "[source]\nmesh = \"{}\"\nlength = {:.17g}\n[mesh]\nresolution = {}\n[material]\n"
      "youngs_modulus = {:.17g}\npoisson_ratio = {:.17g}\ndensity = {:.17g}\n"
      "damping_ratios = [{:.17g}, {:.17g}]\n[constraints]\n"
      "planes = [{{ axis = \"y\", below = 0.0 }}]\n[condensed]\nmodes = {}\nprecision = \"{}\"\n",
      mesh.filename().string(), *std::ranges::max_element(size), settings.resolution,
      settings.youngs_modulus, settings.poisson_ratio, settings.density, settings.damping_ratios[0],
      settings.damping_ratios[1], settings.modes, settings.double_precision ? "double" : "single");
  std::filesystem::path file = path;
  file.replace_extension(".toml");
  StageProgress quiet(nullptr);
  bake(parse_recipe(recipe, file), path, quiet);
}

}  // namespace haptic
