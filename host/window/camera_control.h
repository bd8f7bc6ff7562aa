#pragma once

#include "host/view/camera.h"

namespace haptic {

/// Motions of a camera by the mouse. Lengths are in pixels of a window `height` pixels high, x to
/// the right, y down.

/// Turns the scene as if it were held at its target: half a turn for a way of the window's height.
void orbit(Camera& camera, double dx, double dy, double height);
/// Moves the target so that its plane follows the cursor.
void pan(Camera& camera, double dx, double dy, double height);
/// Towards the target by 10 % a step, from 1e-4 m to 1e4 m.
void zoom(Camera& camera, double steps);

/// Half-line in the world through a pixel.
struct ViewRay {
  Eigen::Vector3d origin = Eigen::Vector3d::Zero();       ///< the eye [m]
  Eigen::Vector3d direction = -Eigen::Vector3d::UnitZ();  ///< unit
};
/// @param x, y from the upper left corner
ViewRay ray_through(const Camera& camera, double x, double y, double width, double height);

/// Where the ray meets the plane through `point` parallel to the image.
Eigen::Vector3d on_image_plane(const Camera& camera, const ViewRay& ray,
                               const Eigen::Vector3d& point);

}  // namespace haptic
