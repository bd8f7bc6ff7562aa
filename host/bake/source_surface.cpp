#include "host/bake/source_surface.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <fstream>
#include <sstream>

#include "host/mesh/mesh_file.h"
#include "host/mesh/mesh_report.h"
#include "shared/error.h"

namespace haptic {
namespace {

std::uint64_t hash_of_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  if (!file) throw InputError(path.string(), "", "cannot be read", "a mesh file");
  const std::string text = bytes.str();
  return XXH3_64bits(text.data(), text.size());
}

RigidProperties mass_of(const Recipe& recipe, const TriangleMesh& mesh, const MeshReport& report) {
  if (report.closed_manifold()) return rigid_properties(mesh, recipe.material.density);
  return rigid_properties(voxelize_source(recipe, mesh), recipe.material.density);
}

}  // namespace

VoxelMesh voxelize_source(const Recipe& recipe, const TriangleMesh& mesh) {
  return voxelize(mesh, recipe.voxels);
}

SourceSurface load_source(const Recipe& recipe, StageProgress& progress) {
  SourceSurface source;
  progress.run("mesh", [&](const StageProgress::Fraction&) {
    source.mesh = read_mesh(recipe.mesh);
    source.file_hash = hash_of_file(recipe.mesh);
    source.report = clean_mesh(source.mesh);
    if (source.mesh.triangles.empty() || !(source.report.area > 0.0)) {
      throw InputError(recipe.mesh.string(), "", "found no triangle with an area",
                       "a triangle surface");
    }
    progress.note(source.report.summary());
    const double side = bounding_box(source.mesh).longest_side();
    source.mesh = scaled(std::move(source.mesh), recipe.length / side);
    if (recipe.origin == SourceOrigin::kCentre) {
      const Vector3 centre = bounding_box(source.mesh).centre();
      source.mesh = translated(std::move(source.mesh), -centre);
    }
    source.rigid = mass_of(recipe, source.mesh, source.report);
    if (recipe.origin == SourceOrigin::kMass) {
      source.mesh = translated(std::move(source.mesh), -source.rigid.centre);
      source.rigid.centre = Vector3::Zero();
    }
    if (!source.report.closed_manifold()) {
      progress.note(fmt::format("not a closed manifold: mass taken from voxels of resolution {}",
                                recipe.voxels.resolution));
    }
  });
  return source;
}

}  // namespace haptic
