#pragma once

#include <filesystem>
#include <string>

#include "host/log/log_reader.h"
#include "host/view/contact_geometry.h"
#include "host/view/scene_renderer.h"

namespace haptic {

/// Options of `haptic view`.
struct ViewOptions {
  std::filesystem::path picture, frames, film, gltf, log, scene;
  std::string name = "hapticd";
  double at_s = -1.0;     ///< < 0: not given
  double seconds = -1.0;  ///< of the window; < 0: not given
  double frames_per_second = 25.0;
  double azimuth_deg = 35.0, elevation_deg = 22.0;
  RenderSettings settings;
  TreeChoice tree;
  SliceChoice slice;
  bool any_model = false;  ///< draw models that were changed since they ran
};

/// The log of --log, whose gaps are said on standard error.
/// @throws InputError if a model was changed since it ran, unless any_model
LogReader viewed_log(const ViewOptions& options);

/// A picture of the frame with the spheres and the slice of the options, and the slice's bar.
/// @throws as ContactGeometry and SceneRenderer::draw
Image draw_with_geometry(SceneRenderer& renderer, ContactGeometry& geometry, SceneFrame frame,
                         const ViewOptions& options);

/// An image of the log, or of the scene's run while it is simulated, for every instant of a film:
/// DIR/00001.png, ...
void write_frames(const ViewOptions& options);
/// The same images as one .mp4 or .webm.
void write_film(const ViewOptions& options);
/// The log or the scene's run as an animated glTF file; says its size on standard output.
void write_gltf(const ViewOptions& options);

/// Opens a window on the daemon, the log or a run of the scene.
void show_window(const ViewOptions& options);

}  // namespace haptic
