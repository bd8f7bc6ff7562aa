#pragma once

#include <optional>

#include "rt/geometry/signed_field.h"
#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic::condensed {

/// Where an edge of a tool and an edge of a body are nearest to each other, material frame of the
/// tool.
struct EdgeMeeting {
  double along = 0.0;              ///< of the body's edge, in (0, 1)
  double gap = 0.0;                ///< from tool to body along the push, negative inside [m]
  Vector3 push = Vector3::Zero();  ///< unit, across both edges, out of the tool
};

/// Where a sharp edge of a tool is nearest to the segment from a to b, if that is between them: the
/// direction of the tool's field turns there by more than 8 degrees within a voxel to both sides.
/// The distance is taken as convex along the segment, as it is of a convex tool.
///
/// At an edge the field has two directions. The push is the sum of them, with such weights that the
/// distance does not change along the segment, so it is across both edges; the gap is the way
/// along it. Source: docs/methods/static-dynamic.md, "Detection".
/// @param a, b    ends of the edge, material frame of the tool [m]
/// @param margin  gaps above are not looked for [m]
std::optional<EdgeMeeting> edge_meeting(const SignedField& tool, const Vector3& a, const Vector3& b,
                                        double margin) HAPTIC_REALTIME;

}  // namespace haptic::condensed
