#include "rt/worlds/cloth/touch/touch_force.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "lab/samples/touch_sheets.h"
#include "shared/error.h"
#include "tests/support/no_allocation.h"

namespace haptic::cloth {
namespace {

constexpr double kStiffness = 500.0;

/// A sphere of radius 0.1 m from an octahedron, each triangle in four, five times: 8192 facets for
/// level 5, 512 for level 3.
struct Sphere {
  ClothMesh mesh;
  ParticleVectors x;
  double facet_angle = 0.0;  // largest between neighbours

  explicit Sphere(int level) {
    auto& v = mesh.vertices;
    v = {{0.1, 0, 0}, {-0.1, 0, 0}, {0, 0.1, 0}, {0, -0.1, 0}, {0, 0, 0.1}, {0, 0, -0.1}};
    mesh.triangles = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4},
                      {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
    for (int i = 0; i < level; ++i) divide();
    for (const auto& vertex : v) x.insert(x.end(), vertex.begin(), vertex.end());
    for (const MeshEdge& edge : mesh_edges(mesh)) {
      const auto normal = [&](std::uint32_t c) -> Vector3 {
        const Corners t{at(x, edge.a), at(x, edge.b), at(x, c)};
        return t.normal().dot(t.a) < 0.0 ? -t.normal() : t.normal();
      };
      const double cosine = normal(edge.opposite[0]).dot(normal(edge.opposite[1]));
      facet_angle = std::max(facet_angle, std::acos(std::min(1.0, cosine)));
    }
  }

 private:
  void divide() {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> middles;
    const auto middle = [&](std::uint32_t a, std::uint32_t b) {
      const auto [place, fresh] =
          middles.try_emplace(std::minmax(a, b), static_cast<std::uint32_t>(mesh.vertices.size()));
      if (fresh) {
        Vector3 m;
        for (int i = 0; i < 3; ++i) {
          m[i] = mesh.vertices[a][static_cast<std::size_t>(i)] +
                 mesh.vertices[b][static_cast<std::size_t>(i)];
        }
        m *= 0.1 / m.norm();
        mesh.vertices.push_back({m[0], m[1], m[2]});
      }
      return place->second;
    };
    std::vector<std::array<std::uint32_t, 3>> finer;
    for (const auto& [a, b, c] : mesh.triangles) {
      const std::uint32_t ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
      for (const auto& t : {std::array{a, ab, ca}, {ab, b, bc}, {ca, bc, c}, {ab, bc, ca}}) {
        finer.push_back(t);
      }
    }
    mesh.triangles = finer;
  }
};

double angle(const Vector3& a, const Vector3& b) {
  return std::atan2(a.cross(b).norm(), a.dot(b));
}

/// On a circle about the sphere's middle, off its symmetries.
Vector3 on_circle(double radius, double turn) {
  const Vector3 u = Vector3(1.0, 0.2, 0.13).normalized();
  const Vector3 v = u.cross(Vector3(-0.31, 0.9, 0.4)).normalized();
  return radius * (std::cos(turn) * u + std::sin(turn) * v);
}

struct Slide {
  double jump = 0.0;   // largest angle between the forces of two ticks
  double error = 0.0;  // largest angle to the sphere's normal
};

/// Slides once around, `depth` below the sphere.
Slide slide(const Sphere& sphere, ForceShading shading, double depth, double radius, int ticks,
            double turn) {
  Touch touch(sphere.mesh, {.radius = radius, .friction = 0.0});
  const TouchForce spring(sphere.mesh.triangles, sphere.mesh.vertices.size(), kStiffness, shading);
  EXPECT_TRUE(touch.god.place(on_circle(0.12, 0.0), sphere.x));
  Slide result;
  Vector3 before;
  for (int i = 0; i <= ticks; ++i) {
    const Vector3 device = on_circle(0.1 - depth, turn * i / ticks);
    Vector3 force;
    {
      NoAllocation guard;
      EXPECT_NE(touch.god.move_to(device, sphere.x), TouchResult::kNotFinite);
      force = spring.force(touch.god, device, sphere.x);
    }
    EXPECT_GT(force.norm(), 0.0);
    if (i > 0) result.jump = std::max(result.jump, angle(force, before));
    result.error = std::max(result.error, angle(force, touch.god.position()));
    before = force;
  }
  return result;
}

TEST(TouchForce, shading_hides_the_facets_of_a_sphere) {
  const Sphere sphere(3);
  const Slide plain = slide(sphere, ForceShading::kNone, 0.002, 1e-5, 20000, 6.28);
  // Consecutive forces of the facets jump by the angle between them, some 10 degrees.
  EXPECT_GT(plain.jump, 0.5 * sphere.facet_angle);
  for (const ForceShading shading : {ForceShading::kInterpolated, ForceShading::kSubProxy}) {
    const Slide shaded = slide(sphere, shading, 0.002, 1e-5, 20000, 6.28);
    EXPECT_LT(shaded.jump, plain.jump / 5.0);
    EXPECT_LT(shaded.error, 0.5 * sphere.facet_angle);
  }
}

TEST(TouchForce, the_shaded_force_is_continuous_across_an_edge) {
  // The god-object itself falls from facet to facet by depth times angle, so the depth is 1e-8 m.
  const Sphere sphere(3);
  Touch touch(sphere.mesh, {.radius = 1e-8, .friction = 0.0});
  for (const ForceShading shading : {ForceShading::kInterpolated, ForceShading::kSubProxy}) {
    const TouchForce spring(sphere.mesh.triangles, sphere.mesh.vertices.size(), kStiffness,
                            shading);
    const auto edges = mesh_edges(sphere.mesh);
    for (std::size_t e = 0; e < edges.size(); e += 37) {
      const Vector3 a = at(sphere.x, edges[e].a), b = at(sphere.x, edges[e].b);
      const Vector3 middle = 0.4 * a + 0.6 * b;
      const Vector3 across = (b - a).cross(middle).normalized();
      Vector3 side[2], triangle_normal[2];
      std::size_t counts[2];
      for (const int i : {0, 1}) {
        // 2e-8 m beside the edge, and below the facets by about 1e-8 m.
        const Vector3 device = middle * (1.0 - 1e-7) + (i ? 2e-8 : -2e-8) * across;
        ASSERT_TRUE(touch.god.place(1.1 * device, sphere.x));
        touch.god.move_to(device, sphere.x);
        ASSERT_FALSE(touch.god.contacts().empty());
        side[i] = spring.force(touch.god, device, sphere.x);
        counts[i] = touch.god.contacts().size();
        triangle_normal[i] = touch.god.contacts()[0].normal;
      }
      ASSERT_GT(angle(triangle_normal[0], triangle_normal[1]), 1e-3);
      // 4e-8 m of a sphere of 0.1 m turn its own normal by 4e-7. The sub-proxy has the direction of
      // the interpolated normal to the third order of its angle to the facet.
      const double third = std::pow(sphere.facet_angle, 3);
      EXPECT_LT(angle(side[0], side[1]), shading == ForceShading::kSubProxy ? third : 1e-6)
          << e << " " << counts[0] << " " << counts[1];
    }
  }
}

TEST(TouchForce, interpolated_shading_keeps_the_magnitude_and_the_side) {
  const Sphere sphere(3);
  Touch touch(sphere.mesh);
  for (const double start : {0.12, 0.05}) {  // from outside, and from inside
    const TouchForce spring(sphere.mesh.triangles, sphere.mesh.vertices.size(), kStiffness,
                            ForceShading::kInterpolated);
    ASSERT_TRUE(touch.god.place(on_circle(start, 0.3), sphere.x));
    const Vector3 device = on_circle(start > 0.1 ? 0.095 : 0.105, 0.3);
    touch.god.move_to(device, sphere.x);
    const Vector3 force = spring.force(touch.god, device, sphere.x);
    EXPECT_NEAR(force.norm(), kStiffness * (touch.god.position() - device).norm(), 1e-9);
    EXPECT_GT(force.dot(touch.god.position() - device), 0.0);
  }
}

TEST(TouchForce, on_a_flat_sheet_no_shading_changes_anything_and_friction_is_kept) {
  TouchSheet sheet(7, 0.02);
  Touch touch(sheet.mesh, {.radius = 1e-4, .friction = 0.4});
  ASSERT_TRUE(touch.god.place({0.003, 0.004, 0.01}, sheet.x));
  touch.god.move_to({0.003, 0.004, -0.01}, sheet.x);
  const Vector3 device(0.02, 0.004, -0.01);
  touch.god.move_to(device, sheet.x);
  for (const ForceShading shading :
       {ForceShading::kNone, ForceShading::kInterpolated, ForceShading::kSubProxy}) {
    const TouchForce spring(sheet.mesh.triangles, sheet.mesh.vertices.size(), kStiffness, shading);
    const Vector3 force = spring.force(touch.god, device, sheet.x);
    EXPECT_LT((force - kStiffness * (touch.god.position() - device)).norm(), 1e-9);
    EXPECT_NEAR(-force[0] / force[2], 0.4, 1e-4);
  }
  // Free: no force.
  touch.god.move_to({0.0, 0.0, 0.05}, sheet.x);
  EXPECT_EQ(TouchForce(sheet.mesh.triangles, 49, kStiffness, ForceShading::kNone)
                .force(touch.god, {0.0, 0.0, 0.05}, sheet.x),
            Vector3::Zero());
  EXPECT_THROW(TouchForce(sheet.mesh.triangles, 49, -1.0, ForceShading::kNone), InputError);
}

}  // namespace
}  // namespace haptic::cloth
