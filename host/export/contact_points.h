#pragma once

#include <cstdint>
#include <string>

#include "host/export/vtk_surface.h"
#include "host/view/log_contacts.h"

namespace haptic {

/// Contact points of a log as a point cloud.
class ContactPoints {
 public:
  /// @param log  outlives this
  explicit ContactPoints(const LogReader& log) : contacts_(log) {}

  /// Why frames have only the sum from now on; empty while they have points.
  const std::string& missing() const { return contacts_.missing(); }

  /// The sum of the contact forces at the held body's grasp, then every contact point. Arrays
  /// "force" [N], "depth" [m] and "total", 1 for the sum.
  /// @param row  of the frame
  VtkSurface at(const SceneFrame& frame, std::uint64_t row);

 private:
  LogContacts contacts_;
};

}  // namespace haptic
