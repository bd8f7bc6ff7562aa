#pragma once

#include <optional>

#include "host/view/deformed_surface.h"
#include "host/view/scene_frame.h"
#include "host/window/camera_control.h"

namespace haptic {

/// A point of a body's surface under the cursor.
struct PickedPoint {
  std::size_t body = 0;
  Vector3 world = Vector3::Zero();  ///< now [m]
  Vector3 rest = Vector3::Zero();   ///< at rest, coordinates of the model [m]
};

/// Where a ray meets a triangle, from either side.
struct TriangleHit {
  double distance = 0.0;              ///< along the ray, > 0 [m]
  Vector3 weights = Vector3::Zero();  ///< barycentric
};
/// By the two edges as axes: one 3 x 3 system, solved by Cramer's rule.
std::optional<TriangleHit> meet(const ViewRay& ray, const Vector3& a, const Vector3& b,
                                const Vector3& c);

/// The nearest point of all bodies on the ray. Deforms every surface on the CPU: for a click.
/// @throws InputError as deformed_surface
std::optional<PickedPoint> pick(const SceneFrame& frame, const ViewRay& ray);

}  // namespace haptic
