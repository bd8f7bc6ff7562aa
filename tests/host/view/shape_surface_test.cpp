#include "host/view/shape_surface.h"

#include <gtest/gtest.h>

#include "rt/geometry/analytic_field.h"

namespace haptic {
namespace {

TEST(ShapeSurface, lies_on_the_field_with_its_gradient_as_normal) {
  for (const AnalyticShape& shape :
       {AnalyticShape{ShapeKind::kSphere, {0.05}},
        AnalyticShape{ShapeKind::kBox, {0.08, 0.05, 0.03}}, AnalyticShape{ShapeKind::kPlane, {0.1}},
        AnalyticShape{ShapeKind::kCapsule, {0.02, 0.05}},
        AnalyticShape{ShapeKind::kTorus, {0.035, 0.012}}}) {
    const AnalyticField field(shape);
    Pose pose;
    pose.position = {0.1, -0.2, 0.3};
    pose.orientation = rotation_exponential({0.4, 1.1, -0.7});
    const DisplaySurface surface = shape_surface(shape, pose);
    ASSERT_GT(surface.positions.rows(), 3);
    const auto at = [&](std::uint32_t v) {
      const Vector3 p = surface.positions.row(v).transpose().cast<double>();
      return Vector3(pose.orientation.conjugate() * (p - pose.position));
    };
    const auto normal = [&](std::uint32_t v) {
      const Vector3 n = surface.normals.row(v).transpose().cast<double>();
      return Vector3(pose.orientation.conjugate() * n);
    };
    for (std::size_t i = 0; i < surface.indices.size(); i += 3) {
      Vector3 middle = Vector3::Zero(), mean = Vector3::Zero();
      for (std::size_t c = i; c < i + 3; ++c) {
        const std::uint32_t v = surface.indices[c];
        // Floats of a third of a metre.
        ASSERT_NEAR(field.distance(at(v)), 0.0, 1e-7) << shape.text();
        middle += at(v) / 3.0;
        mean += normal(v) / 3.0;
      }
      // In the middle of a triangle the gradient is unique; the corners of a box have several.
      ASSERT_GT(field.distance_and_gradient(middle).gradient.dot(mean), 0.9) << shape.text();
      const Vector3 a = at(surface.indices[i]);
      const Vector3 face = (at(surface.indices[i + 1]) - a).cross(at(surface.indices[i + 2]) - a);
      if (face.norm() > 1e-12) {
        ASSERT_GT(face.dot(mean), 0.0) << shape.text();
      }
    }
  }
}

}  // namespace
}  // namespace haptic
