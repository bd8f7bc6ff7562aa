#pragma once

#include <span>

#include "rt/geometry/signed_field.h"
#include "rt/worlds/condensed/condensed_surface.h"
#include "shared/math/pose.h"

namespace haptic::condensed {

/// How far a body at rest and a tool lie in each other. For messages at load.
struct StartOverlap {
  double depth = 0.0;         ///< of the deepest vertex of the body in the tool [m]; 0: none
  bool tool_in_body = false;  ///< the tool's origin, or a point of the stylus, is inside the body
};

/// @param tool  pose of the tool in the frame of the body's model
StartOverlap start_overlap(const CondensedSurface& surface, const SignedField& field,
                           const Pose& tool);
/// Of a stylus. @param points  frame of the tool [m]
StartOverlap start_overlap(const CondensedSurface& surface, std::span<const Vector3> points,
                           const Pose& tool);

/// Times that a surface at rest surrounds a point: 1 inside a closed surface, 0 outside, something
/// between for one that is open. van Oosterom & Strackee 1983.
double winding_number(const CondensedSurface& surface, const Vector3& point);

}  // namespace haptic::condensed
