#include "host/sampling/proxy_builder.h"

#include <gtest/gtest.h>

#include <cmath>

#include "host/field/surface_parts.h"
#include "lab/samples/field_shapes.h"
#include "shared/error.h"

namespace haptic {
namespace {

/// The cube [-1, 1]^3 as one element; vertex v at the signs of the bits of v.
std::vector<EmbeddedPoint> in_one_cube(std::span<const Vector3> points) {
  std::vector<EmbeddedPoint> embedded;
  for (const Vector3& p : points) {
    EmbeddedPoint point;
    for (std::uint32_t v = 0; v < 8; ++v) {
      point.vertices[v] = v;
      point.weights[v] = 1.0;
      point.gradients[v] = Vector3::Ones();
      for (int axis = 0; axis < 3; ++axis) {
        const double sign = v >> axis & 1 ? 0.5 : -0.5;
        const double phi = 0.5 + sign * p[axis];
        point.weights[v] *= phi;
        for (int other = 0; other < 3; ++other) {
          point.gradients[v][other] *= other == axis ? sign : phi;
        }
      }
    }
    embedded.push_back(point);
  }
  return embedded;
}

/// Modes u = E_ab X of the cube's vertices, nine columns.
std::vector<double> linear_basis() {
  std::vector<double> basis;
  for (std::uint32_t v = 0; v < 8; ++v) {
    for (int row = 0; row < 3; ++row) {
      for (int j = 0; j < 9; ++j) {
        const double X = v >> (j % 3) & 1 ? 1.0 : -1.0;
        basis.push_back(j / 3 == row ? X : 0.0);
      }
    }
  }
  return basis;
}

TEST(ProxyBuilder, modes_and_gradients_are_those_of_the_mesh) {
  const std::vector<TriangleMesh> ball = {sphere_mesh(0.8, 3)};
  const auto basis = linear_basis();
  const FieldProxySamples proxies = build_field_proxies(ball, 40, in_one_cube, basis, 9);
  ASSERT_EQ(proxies.points.size(), 120U);
  EXPECT_TRUE(proxies.domain.empty());
  for (std::size_t i = 0; i < 40; ++i) {
    const Vector3 X(&proxies.points[3 * i]);
    EXPECT_NEAR(X.norm(), 0.8, 0.02);  // on the facets
    for (std::size_t a = 0; a < 3; ++a) {
      for (std::size_t j = 0; j < 9; ++j) {
        const double u = j / 3 == a ? X[static_cast<int>(j % 3)] : 0.0;
        EXPECT_NEAR(proxies.displacement[(3 * i + a) * 9 + j], u, 1e-15);
        for (std::size_t b = 0; b < 3; ++b) {
          const double g = j == 3 * a + b ? 1.0 : 0.0;
          EXPECT_NEAR(proxies.gradients[(9 * i + 3 * a + b) * 9 + j], g, 1e-15);
        }
      }
    }
  }
  // Spread: no two nearer than half the spacing of a regular layout.
  const double spacing = std::sqrt(4.0 * 3.14159 * 0.64 / 40.0);
  for (std::size_t i = 0; i < 40; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_GT((Vector3(&proxies.points[3 * i]) - Vector3(&proxies.points[3 * j])).norm(),
                0.5 * spacing);
    }
  }
  EXPECT_EQ(proxies.points, build_field_proxies(ball, 40, in_one_cube, basis, 9).points);
}

TEST(ProxyBuilder, every_part_has_proxies) {
  const TriangleMesh two = merged(sphere_mesh(0.3, 3), box_mesh({0.5, 0.5, 0.5}, {0.6, 0.6, 0.6}));
  const std::vector<TriangleMesh> parts = split_parts(two);
  ASSERT_EQ(parts.size(), 2U);
  const FieldProxySamples proxies = build_field_proxies(parts, 40, in_one_cube, linear_basis(), 9);
  const std::size_t P = proxies.points.size() / 3;
  ASSERT_EQ(proxies.domain.size(), P);
  std::size_t of_box = 0;
  for (std::size_t i = 0; i < P; ++i) {
    const bool box = Vector3(&proxies.points[3 * i]).minCoeff() > 0.45;
    EXPECT_EQ(proxies.domain[i], box ? 1U : 0U);
    of_box += box;
  }
  EXPECT_GE(of_box, 6U);  // one more than are blended
  EXPECT_GE(P, 40U);
  EXPECT_THROW(build_field_proxies(parts, 0, in_one_cube, linear_basis(), 9), InputError);
  EXPECT_THROW(build_field_proxies(parts, 2000, in_one_cube, linear_basis(), 9), InputError);
}

}  // namespace
}  // namespace haptic
