#pragma once

#include <memory>
#include <string>

#include "host/export/vtk_surface.h"
#include "host/log/log_reader.h"
#include "host/view/scene_frame.h"
#include "rt/worlds/contact_probe.h"

namespace haptic {

/// Contact points with forces at the rows of a log, as a log has their sum alone: evaluated again
/// with the scene's models at the poses and coordinates of the row (`haptic probe contact`).
/// Friction, damping and parameters that were changed during the run are not in these forces.
class ContactPoints {
 public:
  /// Does not throw for a scene that cannot be read: then there is the sum alone.
  explicit ContactPoints(const LogReader& log);

  /// Why there is the sum alone; empty where the points can be evaluated.
  const std::string& missing() const { return missing_; }

  /// The sum of the contact forces at the held body's grasp, then every contact point. Arrays
  /// "force" [N], "depth" [m] and "total", 1 for the sum.
  VtkSurface at(const SceneFrame& frame);

 private:
  std::unique_ptr<ContactProbe> probe_;
  std::string missing_;
};

}  // namespace haptic
