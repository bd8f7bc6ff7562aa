#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rt/geometry/body_source.h"
#include "shared/math/pose.h"

namespace haptic {

/// One body at one instant.
struct FrameBody {
  std::string name;
  BodySource model;                 ///< the file with /surface/*
  Pose pose;                        ///< model frame -> world
  std::vector<double> coordinates;  ///< reduced coordinates q, empty for a rigid body
  /// Positions of /surface/vertices, world [m]; empty: of pose and coordinates.
  std::vector<Vector3> surface{};
};

/// A point in contact.
struct FrameContact {
  Vector3 position;    ///< world [m]
  Vector3 force;       ///< world [N]
  double depth = 0.0;  ///< overlap, >= 0 [m]
};

/// A bounding sphere of a point tree.
struct FrameSphere {
  Vector3 centre;        ///< world [m]
  double radius;         ///< m, >= 0
  std::size_t body = 0;  ///< in SceneFrame::bodies
};

/// A distance field on a rectangle of a plane.
struct FieldSlice {
  std::size_t body = 0;                   ///< in SceneFrame::bodies; cut open at the plane
  Vector3 corner{}, across{}, upwards{};  ///< first sample; to the last of its row, column [m]
  std::uint32_t columns = 0, rows = 0;    ///< at least 2
  std::vector<float> distance{};          ///< rows x columns [m], negative inside
  double range = 0.0;                     ///< of the colours [m], > 0
};

/// The visible state at one instant: from the live snapshot, from a log, or at rest.
struct SceneFrame {
  std::vector<FrameBody> bodies;
  std::optional<Vector3> force;            ///< on the held body [N], world
  Vector3 force_origin = Vector3::Zero();  ///< where its arrow starts [m], world
  std::vector<Vector3> points{};           ///< vertex blocks of the state [m], world
  std::vector<Pose> frames{};              ///< pose blocks other than the bodies', world
  std::vector<FrameContact> contacts{};    ///< shown with arrows
  std::vector<Vector3> trail{};            ///< earlier places of the hand's object [m], world
  std::vector<FrameSphere> spheres{};      ///< drawn translucent
  std::optional<FieldSlice> slice{};
};

}  // namespace haptic
