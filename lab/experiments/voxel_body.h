#pragma once

#include <Eigen/Core>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "host/fem/stvk_model.h"
#include "host/mesh/constraints.h"
#include "host/mesh/embedding.h"
#include "host/mesh/triangle_mesh.h"
#include "host/mesh/voxel_mesh.h"

namespace haptic {

/// A shape of the catalogue with its parameters, or a surface mesh file.
struct VoxelBodySource {
  std::string shape;                         ///< name in the catalogue; ignored with a file
  std::map<std::string, double> parameters;  ///< of the shape
  std::string file;                          ///< mesh file, scaled to `length`
  double length = 0.2;                       ///< longest side of a file's mesh [m]

  TriangleMesh surface() const;
};

/// A surface in its voxels, as `haptic bake` makes it: render surface, simulation mesh, embedding.
class VoxelBody {
 public:
  /// @param constraints none: a free body
  /// @throws InputError as the mesh file, the voxeliser and the constraints do
  VoxelBody(TriangleMesh surface, std::uint32_t resolution, bool fill, const Material& material,
            const Constraints& constraints);

  const TriangleMesh& surface() const { return surface_; }
  const VoxelMesh& voxels() const { return voxels_; }
  const StvkModel& model() const { return model_; }
  /// Rows of U (3n x r) at the surface vertices, 3v x r.
  Eigen::MatrixXd at_surface(const Eigen::MatrixXd& U) const;
  /// Vertex of the simulation mesh nearest to a point [m].
  int vertex_near(const Vector3& place) const;

 private:
  TriangleMesh surface_;
  VoxelMesh voxels_;
  StvkModel model_;
};

/// Writes a model file with a render surface and how it moves with q, for host/view to draw.
/// @param motion 3v x r, or empty for a rigid one
void write_display_model(const std::filesystem::path& path, const TriangleMesh& surface,
                         const Eigen::MatrixXd& motion);

}  // namespace haptic
