#include "lab/experiments/model_folder.h"

#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <iterator>

#include "host/bake/bake.h"
#include "host/formats/mesh_file.h"
#include "host/mesh/catalogue.h"

namespace haptic {
namespace {

namespace fs = std::filesystem;

std::string bytes_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Does not touch an identical copy, so that its modification time stays.
void copy_if_changed(const fs::path& from, const fs::path& to) {
  if (fs::exists(to) && bytes_of(from) == bytes_of(to)) return;
  fs::copy_file(from, to, fs::copy_options::overwrite_existing);
}

void make_mesh(const ModelFolder& where, const fs::path& mesh) {
  const fs::path own = where.meshes / mesh.filename();
  if (!where.meshes.empty() && fs::exists(own)) return copy_if_changed(own, mesh);
  if (fs::exists(mesh)) return;
  const std::string shape = mesh.stem().string();
  const auto set = where.shapes.find(shape);
  write_obj(
      mesh.string(),
      make_shape(shape, set != where.shapes.end() ? set->second : std::map<std::string, double>()));
}

void copy_scene_files(const ModelFolder& where) {
  for (const fs::directory_entry& entry : fs::directory_iterator(where.scenes)) {
    const fs::path from = entry.path(), kind = from.extension();
    if (kind == ".toml" || kind == ".csv") copy_if_changed(from, where.folder / from.filename());
  }
}

}  // namespace

void prepare_models(const ModelFolder& where, std::span<const std::string> parts) {
  fs::create_directories(where.folder);
  if (!fs::equivalent(where.scenes, where.folder)) copy_scene_files(where);
  for (const std::string& part : parts) {
    const fs::path model = where.folder / (part + ".h5");
    const Recipe recipe = load_recipe(where.folder / (part + ".toml"));
    make_mesh(where, recipe.mesh);
    const auto newest =
        std::max(fs::last_write_time(recipe.file), fs::last_write_time(recipe.mesh));
    if (fs::exists(model) && fs::last_write_time(model) >= newest) continue;
    fmt::print(stderr, "baking {}\n", model.string());
    StageProgress progress(stderr);
    bake(recipe, model, progress, {.cache = where.folder / (part + ".bake")});
  }
}

}  // namespace haptic
