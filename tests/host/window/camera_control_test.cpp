#include "host/window/camera_control.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace haptic {
namespace {

constexpr double kRounding = 1e-12;  // of doubles of size 1

/// Pixel of a point, by the camera's own matrices.
Eigen::Vector2d pixel_of(const Camera& camera, const Eigen::Vector3d& p, double width,
                         double height) {
  const Eigen::Vector4d clip = camera.projection() * camera.view() * p.homogeneous();
  return {0.5 * width * (clip.x() / clip.w() + 1.0), 0.5 * height * (1.0 - clip.y() / clip.w())};
}

Camera camera() {
  Camera camera;
  camera.target = {0.3, -0.1, 0.2};
  camera.distance = 2.0;
  camera.aspect = 800.0 / 600.0;
  return camera;
}

TEST(CameraControl, a_ray_goes_through_the_points_that_are_drawn_at_its_pixel) {
  const Camera c = camera();
  const Eigen::Vector3d p(0.5, 0.2, -0.3);
  const Eigen::Vector2d pixel = pixel_of(c, p, 800.0, 600.0);
  const ViewRay ray = ray_through(c, pixel.x(), pixel.y(), 800.0, 600.0);
  EXPECT_NEAR(ray.direction.norm(), 1.0, kRounding);
  EXPECT_NEAR((p - ray.origin).cross(ray.direction).norm(), 0.0, 10.0 * kRounding);
  EXPECT_GT((p - ray.origin).dot(ray.direction), 0.0);
}

TEST(CameraControl, the_target_follows_the_cursor_when_it_is_panned) {
  Camera c = camera();
  const Eigen::Vector3d before = c.target;
  pan(c, 40.0, -25.0, 600.0);
  // What was in the middle of the image is 40 pixels to the right and 25 above it.
  const Eigen::Vector2d pixel = pixel_of(c, before, 800.0, 600.0);
  EXPECT_NEAR(pixel.x(), 440.0, 1e-9);  // rounding of pixels
  EXPECT_NEAR(pixel.y(), 275.0, 1e-9);
}

TEST(CameraControl, a_way_of_the_window_height_is_half_a_turn_and_the_pole_is_not_passed) {
  Camera c = camera();
  c.azimuth = 0.0;
  orbit(c, 300.0, 0.0, 600.0);
  EXPECT_NEAR(c.azimuth, -0.5 * std::numbers::pi, kRounding);
  for (int i = 0; i < 100; ++i) orbit(c, 0.0, 300.0, 600.0);
  EXPECT_LT(c.elevation, 0.5 * std::numbers::pi);
  EXPECT_TRUE(c.view().allFinite());
  for (int i = 0; i < 200; ++i) orbit(c, 0.0, -300.0, 600.0);
  EXPECT_GT(c.elevation, -0.5 * std::numbers::pi);
  EXPECT_TRUE(c.view().allFinite());
}

TEST(CameraControl, zoom_keeps_the_distance_in_its_range) {
  Camera c = camera();
  zoom(c, 1.0);
  EXPECT_NEAR(c.distance, 1.8, kRounding);
  zoom(c, 1e6);
  EXPECT_EQ(c.distance, 1e-4);
  zoom(c, -1e6);
  EXPECT_EQ(c.distance, 1e4);
}

TEST(CameraControl, a_dragged_point_stays_at_its_depth) {
  const Camera c = camera();
  const Eigen::Vector3d p(0.4, 0.1, 0.0);
  const Eigen::Vector3d q = on_image_plane(c, ray_through(c, 700.0, 90.0, 800.0, 600.0), p);
  const auto depth = [&](const Eigen::Vector3d& x) { return (c.view() * x.homogeneous()).z(); };
  EXPECT_NEAR(depth(q), depth(p), kRounding);
  const Eigen::Vector2d pixel = pixel_of(c, q, 800.0, 600.0);
  EXPECT_NEAR(pixel.x(), 700.0, 1e-9);
  EXPECT_NEAR(pixel.y(), 90.0, 1e-9);
}

}  // namespace
}  // namespace haptic
