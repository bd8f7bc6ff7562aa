#include "host/view/sphere_pass.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <numbers>

#include "host/view/scene_renderer.h"

namespace haptic {
namespace {

constexpr int kWidth = 320, kHeight = 240;

Camera camera() {
  Camera camera;
  camera.distance = 3.0;
  camera.aspect = static_cast<double>(kWidth) / kHeight;
  return camera;
}

/// Pixels that the spheres change in a picture of two points far apart.
int changed_by(const std::vector<FrameSphere>& spheres) {
  RenderSettings settings;
  settings.width = kWidth;
  settings.height = kHeight;
  SceneRenderer renderer(settings);
  SceneFrame frame;
  frame.points = {Vector3(-20.0, 0.0, 0.0), Vector3(20.0, 0.0, 0.0)};
  renderer.render(frame, camera());
  const Image before = renderer.target().read();
  frame.spheres = spheres;
  renderer.render(frame, camera());
  const Image after = renderer.target().read();
  int count = 0;
  for (std::size_t i = 0; i < before.rgb.size(); i += 3) {
    int difference = 0;
    for (std::size_t c = 0; c < 3; ++c) {
      difference = std::max(difference, std::abs(after.rgb[i + c] - before.rgb[i + c]));
    }
    count += difference > 2;
  }
  return count;
}

TEST(SpherePass, a_sphere_covers_the_disc_that_projection_says) {
  constexpr double kRadius = 0.5;
  const Camera c = camera();
  // Seen from d, a sphere fills the cone whose half angle has the sine R / d.
  const double tangent = kRadius / std::sqrt(c.distance * c.distance - kRadius * kRadius);
  const double radius = tangent / std::tan(0.5 * c.vertical_view_angle) * 0.5 * kHeight;
  const double area = std::numbers::pi * radius * radius;
  const double rim = 2.0 * std::numbers::pi * radius;  // pixels that are covered in part
  EXPECT_NEAR(changed_by({{Vector3::Zero(), kRadius}}), area, rim);
}

TEST(SpherePass, a_point_is_a_dot_and_what_cannot_be_seen_is_left_out) {
  const int dot = changed_by({{Vector3::Zero(), 0.0}});
  EXPECT_GE(dot, 1);
  EXPECT_LE(dot, 25);  // a disc with a radius of one pixel and a half, and its rim
  EXPECT_EQ(changed_by({{camera().eye(), 0.5}}), 0);  // around the eye
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(changed_by({{Vector3(nan, 0.0, 0.0), 0.5}}), 0);
}

}  // namespace
}  // namespace haptic
