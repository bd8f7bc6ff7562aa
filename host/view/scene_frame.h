#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "shared/math/pose.h"

namespace haptic {

/// One body at one instant.
struct FrameBody {
  std::string name;
  std::filesystem::path model;      ///< artifact with /surface/*, or the text of an AnalyticShape
  Pose pose;                        ///< model frame -> world
  std::vector<double> coordinates;  ///< reduced coordinates q, empty for a rigid body
};

/// What there is to see at one instant: from the live snapshot, from a log, or at rest.
struct SceneFrame {
  std::vector<FrameBody> bodies;
  std::optional<Vector3> force;            ///< on the held body [N], world
  Vector3 force_origin = Vector3::Zero();  ///< where its arrow starts [m], world
};

}  // namespace haptic
