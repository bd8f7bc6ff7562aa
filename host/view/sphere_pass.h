#pragma once

#include <array>
#include <vector>

#include "host/view/camera.h"
#include "host/view/scene_frame.h"

namespace haptic {

/// Draws translucent spheres with their outlines over what is already drawn: one square each that
/// faces the eye, on which the fragment shader meets the sphere. A sphere smaller than a pixel is a
/// dot; one that contains the eye is not drawn. Needs a current OpenGL context for its whole life.
class SpherePass {
 public:
  /// @throws OperationError if the driver refuses the shader
  SpherePass();
  ~SpherePass();
  SpherePass(const SpherePass&) = delete;
  SpherePass& operator=(const SpherePass&) = delete;

  /// @param height of the picture, pixels
  void draw(const std::vector<FrameSphere>& spheres, const Camera& camera, int height);

 private:
  unsigned program_ = 0, vertex_array_ = 0, buffer_ = 0;
  std::vector<std::array<float, 7>> instances_;  ///< centre, radius, colour; farthest first
};

}  // namespace haptic
