#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

namespace haptic {

/// Perspective camera that looks at a point from an azimuth and an elevation; y is up.
struct Camera {
  Eigen::Vector3d target = Eigen::Vector3d::Zero();  ///< m
  double distance = 1.0;                             ///< m
  double azimuth = 0.6;                              ///< rad about y, 0 looks along -z
  double elevation = 0.35;                           ///< rad above the horizon
  double vertical_view_angle = 0.6;                  ///< rad
  double aspect = 4.0 / 3.0;

  /// Placed so that `box` fills the image.
  static Camera framing(const Eigen::AlignedBox3d& box, double aspect, double azimuth,
                        double elevation);

  Eigen::Vector3d eye() const;
  Eigen::Matrix4d view() const;        ///< world -> eye
  Eigen::Matrix4d projection() const;  ///< eye -> clip, OpenGL convention
};

/// Right-handed look-at matrix, world -> eye.
Eigen::Matrix4d look_at(const Eigen::Vector3d& eye, const Eigen::Vector3d& target,
                        const Eigen::Vector3d& up);

}  // namespace haptic
