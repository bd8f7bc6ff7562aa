#include "host/condensation/condensed_embedding.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "host/condensation/condensed_nodes.h"
#include "host/mesh/voxel_mesh.h"
#include "tests/host/condensation/held_block.h"

namespace haptic {
namespace {

/// The surface of a box of 0.1 x 0.075 x 0.1 m, squares of 1 cm; then 4 x 3 x 4 voxels.
TriangleMesh box_of_squares() {
  TriangleMesh mesh;
  std::mt19937 random(5);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  const Vector3 size(0.1, 0.075, 0.1);
  // Triangles whose corners lie anywhere on the faces: embedding does not ask for a closed surface.
  for (int axis = 0; axis < 3; ++axis) {
    for (const double side : {0.0, 1.0}) {
      for (const auto& [a, b] : {std::pair{0.0, 0.0}, {1.0, 0.0}, {0.0, 1.0}, {1.0, 1.0}}) {
        Vector3 p;
        p[axis] = side;
        p[(axis + 1) % 3] = a;
        p[(axis + 2) % 3] = b;
        mesh.vertices.push_back(p.cwiseProduct(size));
      }
      const auto first = static_cast<std::uint32_t>(mesh.vertices.size()) - 4;
      mesh.triangles.push_back({first, first + 1, first + 3});
      mesh.triangles.push_back({first, first + 3, first + 2});
      for (int i = 0; i < 20; ++i) {
        Vector3 p(unit(random), unit(random), unit(random));
        p[axis] = side;
        mesh.vertices.push_back(p.cwiseProduct(size));
      }
    }
  }
  return mesh;
}

struct EmbeddedBox {
  EmbeddedBox() {
    surface = box_of_squares();
    voxels = voxelize(surface, {.resolution = 4});
    std::vector<double> vertices;
    for (const Vector3& v : voxels.vertices) vertices.insert(vertices.end(), v.begin(), v.end());
    std::vector<std::uint32_t> elements;
    for (const auto& e : voxels.elements) elements.insert(elements.end(), e.begin(), e.end());
    for (std::uint32_t v = 0; v < voxels.vertices.size(); ++v) {
      if (voxels.vertices[v].y() < 0.0) fixed.push_back(v);
    }
    const StvkModel model(SolidMesh(vertices, elements, kTissue), fixed,
                          {.mass = MassKind::kLumped});
    const std::vector<EmbeddedPoint> points = Embedding(voxels).embed(surface.vertices);
    std::vector<std::uint32_t> touched;
    for (const EmbeddedPoint& point : points) touched.push_back(point.element);
    nodes = condensed_nodes(model, touched);
    embedding = condensed_embedding(points, nodes, fixed, 8);
  }
  /// u of a surface vertex from the displacements of the nodes; fixed ones have `at_fixed`.
  template <typename Field, typename Fixed>
  Vector3 moved(std::size_t vertex, Field field, Fixed at_fixed) const {
    Vector3 u = Vector3::Zero();
    for (std::size_t i = 8 * vertex; i < 8 * vertex + 8; ++i) {
      const std::uint32_t node = embedding.nodes[i];
      u += embedding.weights[i] * (node == kFixedCorner ? at_fixed(vertex, i - 8 * vertex)
                                                        : field(voxels.vertices[nodes[node]]));
    }
    return u;
  }

  TriangleMesh surface;
  VoxelMesh voxels;
  std::vector<std::uint32_t> fixed, nodes;
  CondensedEmbedding embedding;
};

TEST(CondensedEmbedding, weights_sum_to_1_and_reproduce_linear_fields) {
  const EmbeddedBox box;
  ASSERT_EQ(box.fixed.size(), 25u);
  std::size_t clear = 0, held = 0;
  Matrix3 A;
  A << 0.1, -0.2, 0.3, 0.05, 0.4, -0.1, 0.2, 0.1, -0.3;
  const auto linear = [&](const Vector3& x) { return Vector3(A * x + Vector3(1.0, 2.0, 3.0)); };
  const auto none = [](std::size_t, std::size_t) { return Vector3(Vector3::Zero()); };
  for (std::size_t v = 0; v < box.surface.vertices.size(); ++v) {
    double sum = 0.0;
    bool fixed = false;
    for (std::size_t i = 8 * v; i < 8 * v + 8; ++i) {
      sum += box.embedding.weights[i];
      EXPECT_GE(box.embedding.weights[i], 0.0);
      fixed |= box.embedding.nodes[i] == kFixedCorner;
    }
    EXPECT_NEAR(sum, 1.0, 1e-14);
    (fixed ? held : clear) += 1;
    if (fixed) continue;
    EXPECT_LT((box.moved(v, linear, none) - linear(box.surface.vertices[v])).norm(), 1e-14 * 10.0);
  }
  EXPECT_GT(clear, 40u);  // both kinds are among them
  EXPECT_GT(held, 20u);
}

TEST(CondensedEmbedding, contact_points_of_triangles_follow_a_translation) {
  const EmbeddedBox box;
  const Vector3 translation(0.01, -0.02, 0.03);
  const auto rigid = [&](const Vector3&) { return translation; };
  const auto at_fixed = [&](std::size_t, std::size_t) { return translation; };
  std::mt19937 random(6);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  for (const auto& triangle : box.surface.triangles) {
    double a = unit(random), b = unit(random);
    if (a + b > 1.0) a = 1.0 - a, b = 1.0 - b;
    const double weights[] = {1.0 - a - b, a, b};
    Vector3 u = Vector3::Zero();  // B W u_e
    for (std::size_t c = 0; c < 3; ++c) u += weights[c] * box.moved(triangle[c], rigid, at_fixed);
    EXPECT_LT((u - translation).norm(), 1e-16 * 10.0);
  }
}

}  // namespace
}  // namespace haptic
