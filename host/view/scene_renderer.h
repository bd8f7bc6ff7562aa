#pragma once

#include <Eigen/Geometry>
#include <memory>
#include <vector>

#include "host/view/camera.h"
#include "host/view/gl_context.h"
#include "host/view/image.h"
#include "host/view/render_settings.h"
#include "host/view/render_target.h"
#include "host/view/scene_frame.h"
#include "host/view/scene_surfaces.h"
#include "host/view/slice_pass.h"
#include "host/view/sphere_pass.h"

namespace haptic {

/// Renders frames of a scene: shaded deformed surfaces over a ground plane with shadows, and the
/// force on the held body as an arrow.
class SceneRenderer {
 public:
  /// The OpenGL context that it draws with.
  enum class Context {
    kOffScreen,  ///< its own, without a display
    kCurrent,    ///< that of a window, current on the calling thread for its whole life
  };

  /// @throws InputError for a size out of range, OperationError without a working OpenGL
  explicit SceneRenderer(const RenderSettings& settings, Context context = Context::kOffScreen);
  ~SceneRenderer();
  SceneRenderer(const SceneRenderer&) = delete;
  SceneRenderer& operator=(const SceneRenderer&) = delete;

  /// An image from the azimuth and elevation of the settings, filled by the scene.
  /// @throws InputError if a body's model cannot be read or does not fit its coordinates
  Image draw(const SceneFrame& frame);

  /// The same for a window: draws from any camera into the target, without a copy for the caller.
  /// With RenderSettings::steady floor, light and sizes of arrows stay those of the first frame
  /// until reframe(). @throws as above
  void render(const SceneFrame& frame, const Camera& camera);
  const RenderTarget& target() const { return *target_; }
  void resize(int width, int height);  ///< @throws InputError for a size out of range
  void set_colour(SurfaceColour colour) { settings_.colour = colour; }
  /// The next frame decides about floor, light and sizes.
  void reframe() { first_.setEmpty(); }
  /// Reads all models again, as after a change of scene.
  void forget_models() { surfaces_->forget(); }
  /// The camera of draw() for a frame.
  Camera framing(const SceneFrame& frame);

  /// The value of the brightest colour in the last image; 0 with SurfaceColour::kBody or without a
  /// deformable.
  double brightest_value() const { return surfaces_->brightest_value(); }

 private:
  /// Fills drawables_ and box_.
  void prepare(const SceneFrame& frame);
  Camera camera_of_box() const;
  void draw_bodies(const SceneFrame& frame, const Camera& camera);
  void draw_passes(const SceneFrame& frame, const Camera& camera);
  void make_shadow_map();

  RenderSettings settings_;
  std::unique_ptr<GlContext> context_;  ///< null with Context::kCurrent
  std::unique_ptr<RenderTarget> target_;
  std::unique_ptr<SceneSurfaces> surfaces_;
  std::unique_ptr<SpherePass> spheres_;  ///< from the first frame with spheres on
  std::unique_ptr<SlicePass> slice_;     ///< from the first frame with a slice on
  std::vector<Drawable> drawables_;
  Eigen::AlignedBox3d box_;    ///< of floor and light
  Eigen::AlignedBox3d shown_;  ///< of the camera: with the arrow
  Eigen::AlignedBox3d first_;  ///< box of the first image, with room around it; empty before
  unsigned body_program_ = 0, shadow_program_ = 0, background_program_ = 0;
  unsigned shadow_framebuffer_ = 0, shadow_texture_ = 0;
};

}  // namespace haptic
