#include "host/view/field_slice.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "host/view/scene_renderer.h"
#include "rt/geometry/analytic_field.h"
#include "shared/error.h"

namespace haptic {
namespace {

constexpr double kRadius = 0.05;
const Eigen::AlignedBox3d kBox(Vector3::Constant(-kRadius), Vector3::Constant(kRadius));

AnalyticField ball() {
  return AnalyticField(AnalyticShape{ShapeKind::kSphere, {kRadius}});
}

TEST(FieldSlice, a_plane_is_read_and_nonsense_is_refused) {
  const SliceChoice choice = parse_slice("a:b:y=-0.01");
  EXPECT_EQ(choice.body, "a:b");
  EXPECT_EQ(choice.axis, 1);
  EXPECT_EQ(choice.offset, -0.01);
  for (const char* const text : {"", "cube", "cube:", "cube:x", "cube:x=", "cube:w=0", ":x=0",
                                 "cube:x=nan", "cube:x=inf", "cube:x=1e999", "cube:x=0.1m"}) {
    EXPECT_THROW(parse_slice(text), InputError) << text;
  }
}

TEST(FieldSlice, samples_are_distances_at_their_places_in_the_world) {
  const AnalyticField field = ball();
  Pose pose;
  pose.position = Vector3(1.0, 2.0, 3.0);
  pose.orientation = Quaternion(std::sqrt(0.5), 0.0, std::sqrt(0.5), 0.0);  // 90 deg about y
  const FieldSlice slice = sample_slice(field, {"ball", 1, 0.02}, kBox, 0.05, pose);
  ASSERT_EQ(slice.distance.size(), std::size_t{slice.columns} * slice.rows);
  double worst = 0.0;
  for (std::uint32_t row = 0; row < slice.rows; ++row) {
    for (std::uint32_t column = 0; column < slice.columns; ++column) {
      const Vector3 p = slice.corner + slice.across * column / (slice.columns - 1) +
                        slice.upwards * row / (slice.rows - 1);
      const double exact = (p - pose.position).norm() - kRadius;
      const std::size_t at = std::size_t{row} * slice.columns + column;
      worst = std::max(worst, std::abs(exact - static_cast<double>(slice.distance[at])));
    }
  }
  EXPECT_LT(worst, 1e-8);  // rounding to float of distances up to 0.1 m
}

TEST(FieldSlice, the_range_is_the_depth_rounded_up) {
  EXPECT_NEAR(slice_range(ball(), {Vector3::Constant(-1.0), Vector3::Constant(1.0)}), 0.05, 1e-15);
  // A half-space has no depth: a quarter of the box's diagonal, 0.866 m, rounded up.
  const AnalyticField plane(AnalyticShape{ShapeKind::kPlane, {2.0}});
  EXPECT_NEAR(slice_range(plane, {Vector3::Constant(-1.0), Vector3::Constant(1.0)}), 1.0, 1e-15);
}

TEST(FieldSlice, the_zero_line_in_a_picture_is_the_circle_that_the_plane_cuts_out) {
  constexpr int kPixels = 400;
  RenderSettings settings;
  settings.width = settings.height = kPixels;
  SceneRenderer renderer(settings);
  SceneFrame frame;
  frame.points = {Vector3(-1.0, -1.0, 0.0), Vector3(1.0, -1.0, 0.0)};  // out of sight
  const double offset = 0.03;
  frame.slice = sample_slice(ball(), {"ball", 2, offset}, kBox, 0.05, Pose{});
  frame.slice->body = 99;  // nothing is cut
  Camera camera;
  camera.target = Vector3(0.0, 0.0, offset);
  camera.azimuth = camera.elevation = 0.0;  // looks along -z
  camera.distance = 0.4;
  camera.aspect = 1.0;
  renderer.render(frame, camera);
  const Image image = renderer.target().read();
  // Mean distance of black pixels from the middle, in pixels: the circle of radius 0.04 m.
  double sum = 0.0;
  int count = 0;
  for (int y = 0; y < kPixels; ++y) {
    for (int x = 0; x < kPixels; ++x) {
      const std::size_t at = 3 * static_cast<std::size_t>(y * kPixels + x);
      if (image.rgb[at] + image.rgb[at + 1] + image.rgb[at + 2] > 60) continue;
      sum += std::hypot(x + 0.5 - 0.5 * kPixels, y + 0.5 - 0.5 * kPixels);
      ++count;
    }
  }
  const double pixels_a_metre =
      0.5 * kPixels / (camera.distance * std::tan(0.5 * camera.vertical_view_angle));
  const double radius = 0.04 * pixels_a_metre;
  ASSERT_GT(count, 2.0 * std::numbers::pi * radius);  // a closed line, more than a pixel wide
  EXPECT_NEAR(sum / count, radius, 0.5);              // half a pixel
}

}  // namespace
}  // namespace haptic
