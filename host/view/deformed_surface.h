#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "host/view/scene_frame.h"
#include "shared/artifact/model_file.h"

namespace haptic {

using SurfacePoints = Eigen::Matrix<float, Eigen::Dynamic, 3, Eigen::RowMajor>;

/// Render surface of a body in world coordinates with smooth normals, ready to draw.
struct DisplaySurface {
  SurfacePoints positions;             ///< v x 3 [m], world
  SurfacePoints normals;               ///< v x 3, unit, outward
  std::vector<std::uint32_t> indices;  ///< 3 per triangle
};

/// Positions of /surface/vertices in the world, v x 3 [m]: those that the body has, else u = U q
/// and the body's pose. There may be fewer coordinates than in the file; the missing ones are zero.
/// @throws InputError if the model has no surface, another number of vertices, or too few columns
SurfacePoints deformed_vertices(const ModelFile& model, const FrameBody& body);

/// Unit normal of every triangle corner (3t x 3): the area-weighted mean of the faces at its vertex
/// whose normals are within 40 degrees of its triangle, so that the edges of boxes stay sharp.
/// @param triangles 3 vertex indices each
SurfacePoints corner_normals(const SurfacePoints& x, std::span<const std::uint32_t> triangles);

/// u = U_render q, then the body's pose, normals from the deformed triangles: the CPU route of
/// Barbic 2007, 2.12, the oracle of the vertex shader, also used for a file without a volume mesh.
/// There may be fewer coordinates than in the file; the missing ones are zero.
/// @throws InputError if the model has no surface or q has more entries than its basis has columns
DisplaySurface deformed_surface(const ModelFile& model, const FrameBody& body);

}  // namespace haptic
