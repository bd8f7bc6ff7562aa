#include "host/view/camera.h"

#include <algorithm>
#include <cmath>

namespace haptic {

Eigen::Matrix4d look_at(const Eigen::Vector3d& eye, const Eigen::Vector3d& target,
                        const Eigen::Vector3d& up) {
  const Eigen::Vector3d z = (eye - target).normalized();
  const Eigen::Vector3d x = up.cross(z).normalized();
  const Eigen::Vector3d y = z.cross(x);
  Eigen::Matrix4d m = Eigen::Matrix4d::Identity();
  m.block<1, 3>(0, 0) = x.transpose();
  m.block<1, 3>(1, 0) = y.transpose();
  m.block<1, 3>(2, 0) = z.transpose();
  m.block<3, 1>(0, 3) = -m.block<3, 3>(0, 0) * eye;
  return m;
}

Camera Camera::framing(const Eigen::AlignedBox3d& box, double aspect, double azimuth,
                       double elevation) {
  Camera camera;
  camera.aspect = aspect;
  camera.azimuth = azimuth;
  camera.elevation = elevation;
  camera.target = box.center();
  const double radius = std::max(0.5 * box.diagonal().norm(), 1e-6);
  const double half = 0.5 * camera.vertical_view_angle;
  const double narrow = std::min(half, std::atan(std::tan(half) * aspect));
  // A box seen from outside its corners spans less than its bounding sphere; a long one spans more
  // than this at its near end.
  camera.distance = 0.88 * radius / std::sin(narrow);
  const Eigen::Matrix3d axes = camera.view().block<3, 3>(0, 0);
  for (int corner = 0; corner < 8; ++corner) {
    const Eigen::Vector3d p =
        axes * (box.corner(static_cast<Eigen::AlignedBox3d::CornerType>(corner)) - camera.target);
    const double wide = std::max(std::abs(p.x()) / aspect, std::abs(p.y()));
    camera.distance = std::max(camera.distance, 1.05 * (p.z() + wide / std::tan(half)));
  }
  return camera;
}

Eigen::Vector3d Camera::eye() const {
  const Eigen::Vector3d direction(std::sin(azimuth) * std::cos(elevation), std::sin(elevation),
                                  std::cos(azimuth) * std::cos(elevation));
  return target + distance * direction;
}

Eigen::Matrix4d Camera::view() const {
  return look_at(eye(), target, Eigen::Vector3d::UnitY());
}

Eigen::Matrix4d Camera::projection() const {
  const double near = 0.05 * distance;
  const double far = 10.0 * distance;
  const double f = 1.0 / std::tan(0.5 * vertical_view_angle);
  Eigen::Matrix4d m = Eigen::Matrix4d::Zero();
  m(0, 0) = f / aspect;
  m(1, 1) = f;
  m(2, 2) = (far + near) / (near - far);
  m(2, 3) = 2.0 * far * near / (near - far);
  m(3, 2) = -1.0;
  return m;
}

}  // namespace haptic
