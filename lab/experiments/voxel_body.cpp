#include "lab/experiments/voxel_body.h"

#include "host/artifact/model_writer.h"
#include "host/formats/mesh_file.h"
#include "host/mesh/catalogue.h"
#include "host/mesh/mesh_report.h"

namespace haptic {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

SolidMesh solid_mesh_of(const VoxelMesh& voxels, const Material& material) {
  if (voxels.vertices.empty() || voxels.elements.empty()) return {{}, {}, material};
  return {{voxels.vertices.front().data(), 3 * voxels.vertices.size()},
          {voxels.elements.front().data(), 8 * voxels.elements.size()},
          material};
}

StvkModel model_of(const TriangleMesh& surface, const VoxelMesh& voxels, const Material& material,
                   const Constraints& constraints) {
  std::vector<std::uint32_t> fixed;
  if (!constraints.empty()) {
    fixed = fixed_vertices(voxels, bounding_box(surface).lower, constraints, "experiment");
  }
  return {solid_mesh_of(voxels, material), fixed};
}

}  // namespace

TriangleMesh VoxelBodySource::surface() const {
  if (file.empty()) return make_shape(shape, parameters);
  TriangleMesh mesh = read_mesh(file);
  clean_mesh(mesh);
  return scaled(mesh, length / bounding_box(mesh).longest_side());
}

VoxelBody::VoxelBody(TriangleMesh surface, std::uint32_t resolution, bool fill,
                     const Material& material, const Constraints& constraints)
    : surface_(std::move(surface)),
      voxels_(voxelize(surface_, {.resolution = resolution, .fill = fill})),
      model_(model_of(surface_, voxels_, material, constraints)) {}

Eigen::MatrixXd VoxelBody::at_surface(const Eigen::MatrixXd& U) const {
  const std::vector<EmbeddedPoint> points = Embedding(voxels_).embed(surface_.vertices);
  const RowMajor rows = U;
  RowMajor result(3 * static_cast<Eigen::Index>(points.size()), U.cols());
  embed_basis(points, {rows.data(), static_cast<std::size_t>(rows.size())},
              static_cast<std::size_t>(U.cols()),
              std::span<double>(result.data(), static_cast<std::size_t>(result.size())));
  return result;
}

int VoxelBody::vertex_near(const Vector3& place) const {
  int nearest = 0;
  for (int v = 1; v < model_.vertex_count(); ++v) {
    if ((model_.mesh().vertex(v) - place).norm() < (model_.mesh().vertex(nearest) - place).norm()) {
      nearest = v;
    }
  }
  return nearest;
}

void write_display_model(const std::filesystem::path& path, const TriangleMesh& surface,
                         const Eigen::MatrixXd& motion) {
  ModelWriter writer(path);
  const std::uint64_t vertices = surface.vertices.size(), triangles = surface.triangles.size();
  writer.add("/surface/vertices",
             std::span<const double>(surface.vertices.front().data(), 3 * vertices), {vertices, 3});
  writer.add("/surface/triangles",
             std::span<const std::uint32_t>(surface.triangles.front().data(), 3 * triangles),
             {triangles, 3});
  if (motion.size() > 0) {
    const Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rows =
        motion.cast<float>();
    writer.add("/surface/basis",
               std::span<const float>(rows.data(), static_cast<std::size_t>(rows.size())),
               {3 * vertices, static_cast<std::uint64_t>(motion.cols())});
  }
  writer.commit();
}

}  // namespace haptic
