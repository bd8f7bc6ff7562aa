#pragma once

#include <map>
#include <string>

#include "host/view/camera.h"
#include "host/view/gl_context.h"
#include "host/view/image.h"
#include "host/view/scene_frame.h"
#include "shared/artifact/model_file.h"

namespace haptic {

struct RenderSettings {
  int width = 1280;        ///< pixels, 16..8192
  int height = 960;        ///< pixels, 16..8192
  double azimuth = 0.6;    ///< rad
  double elevation = 0.4;  ///< rad
};

/// Draws frames of a scene to pictures, headless: shaded deformed surfaces over a ground plane with
/// shadows, and the force on the held body as an arrow. Models are mapped once and kept.
class SceneRenderer {
 public:
  /// @throws InputError for a size out of range, OperationError without a working OpenGL
  explicit SceneRenderer(const RenderSettings& settings);
  ~SceneRenderer();
  SceneRenderer(const SceneRenderer&) = delete;
  SceneRenderer& operator=(const SceneRenderer&) = delete;

  /// @throws InputError if a body's model cannot be read or does not fit its coordinates
  Image draw(const SceneFrame& frame);

 private:
  const ModelFile& model(const std::filesystem::path& path);

  RenderSettings settings_;
  GlContext context_;
  std::map<std::string, ModelFile> models_;
  unsigned body_program_ = 0, shadow_program_ = 0, background_program_ = 0;
  unsigned color_framebuffer_ = 0, resolve_framebuffer_ = 0, shadow_framebuffer_ = 0;
  unsigned shadow_texture_ = 0;
};

}  // namespace haptic
