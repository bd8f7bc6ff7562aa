#pragma once

#include <Eigen/Core>
#include <span>
#include <utility>

#include "host/view/deformed_surface.h"

namespace haptic {

/// Horizontal square with its normal up. @param half half its side [m]
DisplaySurface quad(const Eigen::Vector3d& centre, double half);

/// Arrow from `from` to `to`: a cylinder for the first 75 %, then a cone.
DisplaySurface arrow(const Eigen::Vector3d& from, const Eigen::Vector3d& to, double radius);

/// The same from each first to each second point, with few sides.
DisplaySurface arrows(std::span<const std::pair<Vector3, Vector3>> shafts, double radius);

/// An octahedron at each point. @param radius [m]
DisplaySurface markers(std::span<const Vector3> points, double radius);

/// An arrow along axis 0, 1 or 2 of each frame. @param length [m]
DisplaySurface axes(std::span<const Pose> frames, int axis, double length);

}  // namespace haptic
