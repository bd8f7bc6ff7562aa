#pragma once

#include <cstdint>
#include <optional>

#include "host/view/contact_geometry.h"
#include "host/view/render_settings.h"
#include "host/window/moment_source.h"

namespace haptic {

struct WindowSettings {
  RenderSettings render;  ///< size and camera at the beginning
  TreeChoice tree;        ///< shown at the beginning
  SliceChoice slice;
  std::optional<double> seconds;  ///< closes after this time; absent: when the user does
};

struct WindowOutcome {
  std::uint64_t images = 0;  ///< drawn
};

/// Shows a daemon or a log in a window until it is closed, or SIGINT or SIGTERM comes.
/// A moment that cannot be read or drawn is told in the window, which stays.
/// @throws OperationError without a display or OpenGL 3.3
WindowOutcome run_view_window(MomentSource& source, const WindowSettings& settings);

}  // namespace haptic
