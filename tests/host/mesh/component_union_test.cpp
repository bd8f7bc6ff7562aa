#include "host/mesh/component_union.h"

#include <gtest/gtest.h>

#include "host/mesh/catalogue.h"
#include "host/mesh/mesh_report.h"

namespace haptic {
namespace {

/// A box with these corners.
TriangleMesh block(const Vector3& lower, const Vector3& upper) {
  TriangleMesh mesh = make_shape("box", {{"resolution", 1}});
  const BoundingBox box = bounding_box(mesh);
  for (Vector3& v : mesh.vertices) {
    v = lower + (v - box.lower).cwiseQuotient(box.size()).cwiseProduct(upper - lower);
  }
  return mesh;
}

TriangleMesh turned(TriangleMesh mesh) {
  for (auto& t : mesh.triangles) std::swap(t[1], t[2]);
  return mesh;
}

TEST(ComponentUnion, crossings_within_and_between_components) {
  const TriangleMesh one = block({0, 0, 0}, {1, 1, 1});
  EXPECT_EQ(find_crossings(merged(one, block({2, 0, 0}, {3, 1, 1}))).between, 0u);
  const SurfaceCrossings crossings =
      find_crossings(merged(one, block({0.5, 0.3, 0.2}, {1.5, 0.7, 0.8})));
  EXPECT_GT(crossings.between, 0u);
  EXPECT_EQ(crossings.within, 0u);
  EXPECT_NEAR(crossings.place.x(), 1.0, 1e-12);
}

TEST(ComponentUnion, overlapping_blocks_count_once) {
  const TriangleMesh mesh =
      merged(block({0, 0, 0}, {1, 1, 1}), block({0.5, 0.137, 0.071}, {1.5, 1.137, 1.071}));
  const double overlap = 0.5 * (1.0 - 0.137) * (1.0 - 0.071);
  // What is cut off at an edge has legs of half a voxel: of order h^2 per length, 20 m of edges.
  for (const double spacing : {1.5 / 100.0, 1.5 / 256.0}) {
    const TriangleMesh united = united_components(mesh, spacing);
    const MeshReport report = inspect_mesh(united);
    EXPECT_TRUE(report.closed_manifold()) << report.summary();
    EXPECT_EQ(report.components, 1u);
    EXPECT_NEAR(report.volume, 2.0 - overlap, 20.0 * spacing * spacing);
    EXPECT_NEAR(bounding_box(united).size().x(), 1.5, spacing);
  }
}

TEST(ComponentUnion, cavities_are_removed_and_cores_stay) {
  TriangleMesh mesh = merged(block({0, 0, 0}, {2, 2, 2}), block({1.5, 0.3, 0.3}, {3, 1.7, 1.7}));
  mesh = merged(mesh, turned(block({0.2, 0.2, 0.2}, {1.2, 1.2, 1.2})));
  mesh = merged(mesh, block({0.6, 0.6, 0.6}, {0.8, 0.8, 0.8}));
  const double expected = 8.0 + 1.5 * 1.4 * 1.4 - 0.5 * 1.4 * 1.4 - 1.0 + 0.008;
  const double spacing = 0.02;
  const MeshReport report = inspect_mesh(united_components(mesh, spacing));
  EXPECT_EQ(report.components, 3u);
  EXPECT_NEAR(report.volume, expected, 50.0 * spacing * spacing);
}

}  // namespace
}  // namespace haptic
