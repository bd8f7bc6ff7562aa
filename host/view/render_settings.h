#pragma once

#include "host/view/gl_reduced_surface.h"
#include "host/view/strain_colour.h"

namespace haptic {

struct RenderSettings {
  int width = 1280;        ///< pixels, 16..8192
  int height = 960;        ///< pixels, 16..8192
  double azimuth = 0.6;    ///< rad
  double elevation = 0.4;  ///< rad
  /// Whether u = U q is computed on the CPU, as in the oracle, instead of in the vertex shader. The
  /// CPU is always used for a body whose file has no volume mesh or whose basis exceeds the buffers
  /// of the driver.
  bool deform_on_cpu = false;
  DisplayPrecision precision = DisplayPrecision::kFloat;  ///< of the basis in the shader
  SurfaceColour colour = SurfaceColour::kBody;            ///< of deformables drawn by the shader
  /// All images have the camera and the light of the first, as those of a film.
  bool steady = false;
};

}  // namespace haptic
