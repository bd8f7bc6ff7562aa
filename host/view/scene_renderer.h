#pragma once

#include <map>
#include <memory>
#include <string>

#include "host/view/camera.h"
#include "host/view/gl_context.h"
#include "host/view/gl_reduced_surface.h"
#include "host/view/image.h"
#include "host/view/scene_frame.h"
#include "host/view/strain_colour.h"
#include "shared/artifact/model_file.h"

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

/// Renders frames of a scene to images without a display: shaded deformed surfaces over a ground
/// plane with shadows, and the force on the held body as an arrow. Models are mapped once and
/// cached.
class SceneRenderer {
 public:
  /// @throws InputError for a size out of range, OperationError without a working OpenGL
  explicit SceneRenderer(const RenderSettings& settings);
  ~SceneRenderer();
  SceneRenderer(const SceneRenderer&) = delete;
  SceneRenderer& operator=(const SceneRenderer&) = delete;

  /// @throws InputError if a body's model cannot be read or does not fit its coordinates
  Image draw(const SceneFrame& frame);
  /// The value of the brightest colour in the last image; 0 with SurfaceColour::kBody or without a
  /// deformable.
  double brightest_value() const { return brightest_value_; }

 private:
  void colour_bodies(const SceneFrame& frame);

  /// @param source  not a shape
  const ModelFile& model(const BodySource& source);
  /// The shader surface of the body at `index`; null if it is deformed on the CPU.
  GlReducedSurface* reduced_surface(std::size_t index, const FrameBody& body);

  RenderSettings settings_;
  GlContext context_;
  std::map<std::string, ModelFile> models_;
  std::map<std::pair<std::size_t, std::string>, std::unique_ptr<GlReducedSurface>> surfaces_;
  double brightest_value_ = 0.0;
  Eigen::AlignedBox3d first_;  // box of the first image, with room around it; empty before
  unsigned body_program_ = 0, shadow_program_ = 0, background_program_ = 0;
  unsigned color_framebuffer_ = 0, resolve_framebuffer_ = 0, shadow_framebuffer_ = 0;
  unsigned shadow_texture_ = 0;
};

}  // namespace haptic
