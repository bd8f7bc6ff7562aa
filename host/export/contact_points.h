#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "host/export/vtk_surface.h"
#include "host/log/log_reader.h"
#include "host/offline/log_replay.h"
#include "host/view/scene_frame.h"
#include "rt/worlds/contact_probe.h"

namespace haptic {

/// Contact points with forces at the rows of a log, as a log has their sum alone.
///
/// Of a kind of world with a ContactProbe they are evaluated again with the scene's models at the
/// poses and coordinates of the row: without friction, damping and parameters that were changed
/// during the run. Of one with PressingContacts, whose contacts follow from its past, the log is
/// replayed from its beginning, and the points are those of the world in that cycle.
class ContactPoints {
 public:
  /// Does not throw for a scene that cannot be read: then there is the sum alone.
  /// @param log  outlives this
  explicit ContactPoints(const LogReader& log);

  /// Why there is the sum alone, in the frames since; empty where the points can be evaluated.
  const std::string& missing() const { return missing_; }

  /// The sum of the contact forces at the held body's grasp, then every contact point. Arrays
  /// "force" [N], "depth" [m] and "total", 1 for the sum.
  /// @param row  of the frame, not before that of the last call
  VtkSurface at(const SceneFrame& frame, std::uint64_t row);

 private:
  struct Point {
    Vector3 position, force;
    double depth;
  };

  std::vector<Point> evaluated(const SceneFrame& frame);
  std::vector<Point> replayed(const SceneFrame& frame, std::uint64_t row);

  std::unique_ptr<ContactProbe> probe_;  // one of the two, or none
  std::unique_ptr<LogReplay> replay_;
  std::string missing_;
};

}  // namespace haptic
