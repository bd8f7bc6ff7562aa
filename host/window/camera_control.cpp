#include "host/window/camera_control.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace haptic {

void orbit(Camera& camera, double dx, double dy, double height) {
  constexpr double kHighest = 0.495 * std::numbers::pi;  // at the pole, up would have no direction
  const double turn = std::numbers::pi / std::max(height, 1.0);
  camera.azimuth = std::remainder(camera.azimuth - turn * dx, 2.0 * std::numbers::pi);
  camera.elevation = std::clamp(camera.elevation + turn * dy, -kHighest, kHighest);
}

void pan(Camera& camera, double dx, double dy, double height) {
  const double metres_a_pixel =
      2.0 * camera.distance * std::tan(0.5 * camera.vertical_view_angle) / std::max(height, 1.0);
  const Eigen::Matrix3d axes = camera.view().topLeftCorner<3, 3>();  // rows: right, up, back
  camera.target += metres_a_pixel * (dy * axes.row(1) - dx * axes.row(0)).transpose();
}

void zoom(Camera& camera, double steps) {
  camera.distance = std::clamp(camera.distance * std::pow(0.9, steps), 1e-4, 1e4);
}

ViewRay ray_through(const Camera& camera, double x, double y, double width, double height) {
  const double half = std::tan(0.5 * camera.vertical_view_angle);
  const Eigen::Vector3d in_eye((2.0 * x / width - 1.0) * half * camera.aspect,
                               (1.0 - 2.0 * y / height) * half, -1.0);
  const Eigen::Matrix3d axes = camera.view().topLeftCorner<3, 3>();
  return {camera.eye(), (axes.transpose() * in_eye).normalized()};
}

Eigen::Vector3d on_image_plane(const Camera& camera, const ViewRay& ray,
                               const Eigen::Vector3d& point) {
  const Eigen::Vector3d back = camera.view().block<1, 3>(2, 0).transpose();
  return ray.origin + ray.direction * (back.dot(point - ray.origin) / back.dot(ray.direction));
}

}  // namespace haptic
