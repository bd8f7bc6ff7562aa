#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/view/gl_objects.h"
#include "host/view/render_settings.h"
#include "host/view/scene_frame.h"
#include "shared/artifact/model_file.h"

namespace haptic {

/// One surface to draw.
struct Drawable {
  std::optional<GlSurface> made;           ///< on the CPU, for this frame
  const GlReducedSurface* kept = nullptr;  ///< or by the shader
  Eigen::Vector3d color = Eigen::Vector3d::Zero();
  float shininess = 0.0F;

  void draw() const { made ? made->draw() : kept->draw(); }
};

/// Surfaces of the bodies of a scene in the graphics memory. Models are mapped once and cached.
/// Needs a current OpenGL context for its whole life.
class SceneSurfaces {
 public:
  /// Deforms, places and colours every body.
  /// @param box if given, extended by the surfaces, which are then read back
  /// @throws InputError if a body's model cannot be read or does not fit its coordinates
  std::vector<Drawable> bodies(const SceneFrame& frame, const RenderSettings& settings,
                               Eigen::AlignedBox3d* box);

  /// The value of the brightest colour in the last frame; 0 without colours.
  double brightest_value() const { return brightest_value_; }

  /// Reads all models again, as after a change of scene.
  void forget();

 private:
  void colour(const SceneFrame& frame, const RenderSettings& settings);
  /// @param source  not a shape
  const ModelFile& model(const BodySource& source);
  /// The shader surface of the body at `index`; null if it is deformed on the CPU.
  GlReducedSurface* reduced_surface(std::size_t index, const FrameBody& body,
                                    const RenderSettings& settings);

  std::map<std::string, ModelFile> models_;
  std::map<std::pair<std::size_t, std::string>, std::unique_ptr<GlReducedSurface>> surfaces_;
  std::map<std::pair<std::string, SurfaceColour>, SurfaceStrain> strains_;
  double brightest_value_ = 0.0;
  bool coloured_ = false;
};

/// Arrows, markers and axes of a frame.
/// @param diagonal of the scene [m], which their sizes follow
std::vector<Drawable> overlays(const SceneFrame& frame, double diagonal);

/// Tip of the arrow of a force: 6 % of the diagonal a newton.
Eigen::Vector3d arrow_tip(const Eigen::Vector3d& from, const Eigen::Vector3d& force,
                          double diagonal);

}  // namespace haptic
