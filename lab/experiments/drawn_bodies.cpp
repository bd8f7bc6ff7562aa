#include "lab/experiments/drawn_bodies.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>

#include "host/formats/mesh_file.h"
#include "host/mesh/catalogue.h"

namespace haptic {
namespace {

/// Of the catalogue: a smooth body with a dent, one with edges, and one with a hole.
constexpr const char* kShapes[] = {"heart", "box", "torus"};

/// Part of a soft body's height that is fixed.
constexpr double kFixed = 0.15;

std::string source(const std::string& mesh, double length) {
  // The teapot and the bunny have holes.
  return fmt::format(R"([source]
mesh = "{}.obj"
length = {}
origin = "centre"
close_holes = 0.5
)",
                     mesh, length);
}

std::string rigid_recipe(const std::string& mesh, double length, bool quick) {
  return source(mesh, length) + fmt::format(R"([material]
density = 1000.0
[shell]
points = {}
levels = 4
[field]
resolution = {}
)",
                                            quick ? 500 : 2000, quick ? 32 : 64);
}

/// @param height  of the body [m]
std::string soft_recipe(const std::string& mesh, double length, bool quick, double modulus,
                        double height) {
  return source(mesh, length) + fmt::format(R"([mesh]
resolution = {}
cells = "full"
elements = "full"
[material]
youngs_modulus = {}
poisson_ratio = 0.3
density = 1000.0
damping_ratios = [0.03, 0.06]
[constraints]
planes = [{{ axis = "y", below = {:.9f} }}]
[reduction]
linear_modes = 6
dimension = {}
[shell]
points = {}
levels = 4
)",
                                            quick ? 10 : 16, modulus, kFixed * height,
                                            quick ? 8 : 12, quick ? 500 : 2000);
}

/// The meshes to bake: those beside the project or catalogue shapes, as written to the folder.
std::vector<std::filesystem::path> meshes_of(const Experiment& experiment, const MadeScene& files) {
  std::vector<std::filesystem::path> meshes;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(HAPTIC_DEFAULT_MESHES, none)) {
    if (entry.path().extension() == ".obj") meshes.push_back(entry.path());
  }
  std::ranges::sort(meshes);
  // In any place the same for the test suite.
  if (experiment.quick() || meshes.empty()) {
    meshes.clear();
    for (const char* shape : kShapes) {
      meshes.push_back(files.folder() / fmt::format("{}-shape.obj", shape));
      write_obj(meshes.back(), make_shape(shape, {}));
    }
  }
  return meshes;
}

}  // namespace

double Draw::logarithmic(double low, double high) {
  return low * std::pow(high / low, uniform(0.0, 1.0));
}

/// Uniform over rotations (Shoemake, "Uniform random rotations", 1992).
Quaternion Draw::orientation() {
  const double u = uniform(0.0, 1.0), a = uniform(0.0, 2.0 * std::numbers::pi),
               b = uniform(0.0, 2.0 * std::numbers::pi);
  return {std::sqrt(u) * std::cos(b), std::sqrt(1.0 - u) * std::sin(a),
          std::sqrt(1.0 - u) * std::cos(a), std::sqrt(u) * std::sin(b)};
}

std::vector<std::string> bake_drawn_bodies(const Experiment& experiment, MadeScene& files,
                                           double length) {
  std::vector<std::string> names;
  for (const std::filesystem::path& path : meshes_of(experiment, files)) {
    const std::string mesh = path.stem().string();
    names.push_back(fmt::format("{}-{:g}", mesh, 1e3 * length));
    if (!std::filesystem::exists(files.folder() / (mesh + ".obj"))) {
      write_obj(files.folder() / (mesh + ".obj"), read_mesh(path));
    }
    files.add_file(names.back() + ".toml", rigid_recipe(mesh, length, experiment.quick()));
  }
  files.bake(names);
  return names;
}

std::vector<std::string> bake_drawn_soft_bodies(const Experiment& experiment, MadeScene& files,
                                                double length, std::span<const double> moduli) {
  std::vector<std::string> names;
  for (const std::filesystem::path& path : meshes_of(experiment, files)) {
    const std::string mesh = path.stem().string();
    const TriangleMesh surface = read_mesh(path);
    const BoundingBox box = bounding_box(surface);
    if (!std::filesystem::exists(files.folder() / (mesh + ".obj"))) {
      write_obj(files.folder() / (mesh + ".obj"), surface);
    }
    for (const double modulus : moduli) {
      names.push_back(fmt::format("{}-soft-{:g}-{:g}", mesh, 1e3 * length, modulus));
      files.add_file(names.back() + ".toml",
                     soft_recipe(mesh, length, experiment.quick(), modulus,
                                 length / box.longest_side() * box.size().y()));
    }
  }
  files.bake(names);
  return names;
}

}  // namespace haptic
