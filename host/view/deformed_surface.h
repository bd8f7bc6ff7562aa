#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "host/view/scene_frame.h"
#include "shared/artifact/model_file.h"

namespace haptic {

/// Render surface of a body in world coordinates with smooth normals, ready to draw.
struct DisplaySurface {
  Eigen::Matrix<float, Eigen::Dynamic, 3, Eigen::RowMajor> positions;  ///< v x 3 [m], world
  Eigen::Matrix<float, Eigen::Dynamic, 3, Eigen::RowMajor> normals;    ///< v x 3, unit, outward
  std::vector<std::uint32_t> indices;                                  ///< 3 per triangle
};

/// u = U_render q, then the body's pose (spec reduced-dynamics 2.22, CPU route). Corners sharper
/// than 40 degrees get their own normals, so that boxes look like boxes.
/// @throws InputError if the model has no surface or q does not fit its basis
DisplaySurface deformed_surface(const ModelFile& model, const FrameBody& body);

}  // namespace haptic
