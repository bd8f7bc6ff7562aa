#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "host/files/temporary_file.h"
#include "host/view/contact_geometry.h"
#include "host/view/scene_renderer.h"

namespace haptic {

/// Options of `haptic view`.
struct ViewOptions {
  std::filesystem::path picture, frames, film, gltf, log, scene;
  std::string name = "hapticd";
  double at_s = -1.0;     ///< < 0: not given
  double seconds = -1.0;  ///< of the window; < 0: not given
  double frames_a_second = 25.0;
  double azimuth_deg = 35.0, elevation_deg = 22.0;
  RenderSettings settings;
  TreeChoice tree;
  SliceChoice slice;
};

/// A picture of the frame with the spheres and the slice of the options, and the slice's bar.
/// @throws as ContactGeometry and SceneRenderer::draw
Image draw_with_geometry(SceneRenderer& renderer, ContactGeometry& geometry, SceneFrame frame,
                         const ViewOptions& options);

/// The log of `--log`, or of a run of `--scene` with its hand script, which is kept in a temporary
/// file next to `output` as long as this object lives.
class ViewedLog {
 public:
  /// @throws InputError and OperationError as run_offline
  ViewedLog(const ViewOptions& options, const std::filesystem::path& output);

  const std::filesystem::path& path() const { return path_; }

 private:
  std::unique_ptr<TemporaryFile> made_;
  std::filesystem::path path_;
};

/// An image of the log for every instant of a film: DIR/00001.png, ...
void write_frames(const ViewOptions& options);
/// The same images as one .mp4 or .webm.
void write_film(const ViewOptions& options);
/// The log as an animated glTF file; says its size on standard output.
void write_gltf(const ViewOptions& options);

/// Opens a window on the daemon, the log or a run of the scene.
void show_window(const ViewOptions& options);

}  // namespace haptic
