#include "host/mesh/embedding.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <numeric>
#include <random>

#include "host/mesh/catalogue.h"

namespace haptic {
namespace {

const VoxelMesh& spoon_voxels() {
  static const VoxelMesh mesh = voxelize(make_shape("spoon", {}), {.resolution = 40});
  return mesh;
}

Vector3 generated_point(double reach) {
  const auto coordinate = [&] { return *rc::gen::inRange(-1000000, 1000000) * 1e-6 * reach; };
  return {coordinate(), coordinate(), coordinate()};
}

/// Nearest element by comparing all of them.
std::uint32_t nearest_element(const VoxelMesh& mesh, const Vector3& p, double& distance) {
  std::uint32_t best = 0;
  distance = 1e300;
  for (std::uint32_t e = 0; e < mesh.elements.size(); ++e) {
    const Vector3 x = p - mesh.lower_corner(e);
    const Vector3 outside =
        (-x).cwiseMax(x - Vector3::Constant(mesh.edge)).cwiseMax(Vector3::Zero());
    if (outside.norm() < distance - 1e-12) {
      distance = outside.norm();
      best = e;
    }
  }
  return best;
}

TEST(Embedding, element_is_the_lowest_nearest_one) {
  EXPECT_TRUE(rc::check("grid search equals brute force", [] {
    const VoxelMesh& mesh = spoon_voxels();
    const Vector3 p = generated_point(0.25);
    bool inside = false;
    const std::uint32_t element = Embedding(mesh).element_at(p, inside);
    double distance = 0.0;
    RC_ASSERT(element == nearest_element(mesh, p, distance));
    RC_ASSERT(inside == (distance < 1e-9));
  }));
}

TEST(Embedding, shared_faces_edges_and_corners_belong_to_the_lowest_element) {
  const VoxelMesh& mesh = spoon_voxels();
  const Embedding embedding(mesh);
  std::vector<std::uint32_t> lowest(mesh.vertices.size(), VoxelMesh::kNoElement);
  for (std::uint32_t e = 0; e < mesh.elements.size(); ++e) {
    for (const std::uint32_t v : mesh.elements[e]) lowest[v] = std::min(lowest[v], e);
  }
  for (std::uint32_t v = 0; v < mesh.vertices.size(); ++v) {
    const EmbeddedPoint point = embedding.embed(mesh.vertices[v]);
    ASSERT_EQ(point.element, lowest[v]);
    ASSERT_TRUE(point.inside);
    for (std::size_t b = 0; b < 8; ++b) {
      ASSERT_NEAR(point.weights[b], point.vertices[b] == v ? 1.0 : 0.0, 1e-9);
    }
  }
}

TEST(Embedding, weights_sum_to_one_and_reproduce_linear_fields) {
  EXPECT_TRUE(rc::check("linear fields and their gradients", [] {
    const VoxelMesh& mesh = spoon_voxels();
    const Vector3 p = generated_point(0.25);  // most lie outside: extrapolation counts too
    const Vector3 slope = generated_point(3.0);
    const EmbeddedPoint point = Embedding(mesh).embed(p);
    double sum = 0.0, value = 0.0;
    Vector3 gradient = Vector3::Zero(), gradient_sum = Vector3::Zero();
    double size = 0.0;
    for (std::size_t b = 0; b < 8; ++b) {
      const double nodal = slope.dot(mesh.vertices[point.vertices[b]]) + 0.7;
      sum += point.weights[b];
      size += std::abs(point.weights[b]);
      value += point.weights[b] * nodal;
      gradient += nodal * point.gradients[b];
      gradient_sum += point.gradients[b];
      if (point.inside) RC_ASSERT(point.weights[b] >= -1e-9);
    }
    // Weights grow with the cube of the distance in voxels when far outside.
    const double tolerance = 1e-14 * size;
    RC_ASSERT(std::abs(sum - 1.0) <= tolerance);
    RC_ASSERT(std::abs(value - slope.dot(p) - 0.7) <= 10.0 * tolerance);
    RC_ASSERT((gradient - slope).norm() <= 1e2 * tolerance / mesh.edge);
    RC_ASSERT(gradient_sum.norm() <= 1e2 * tolerance / mesh.edge);
  }));
}

TEST(Embedding, gradients_are_derivatives_of_the_weights) {
  const VoxelMesh& mesh = spoon_voxels();
  const Embedding embedding(mesh);
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(0.1, 0.9);
  for (std::uint32_t e = 0; e < mesh.elements.size(); e += 7) {
    const Vector3 p = mesh.lower_corner(e) +
                      mesh.edge * Vector3(uniform(random), uniform(random), uniform(random));
    const EmbeddedPoint point = embedding.embed(p);
    ASSERT_EQ(point.element, e);
    const double step = 1e-3 * mesh.edge;
    for (int axis = 0; axis < 3; ++axis) {
      const EmbeddedPoint after = embedding.embed(p + step * Vector3::Unit(axis));
      const EmbeddedPoint before = embedding.embed(p - step * Vector3::Unit(axis));
      for (std::size_t b = 0; b < 8; ++b) {
        // Trilinear: central differences are exact along an axis.
        const double difference = (after.weights[b] - before.weights[b]) / (2.0 * step);
        ASSERT_NEAR(point.gradients[b][axis], difference, 1e-9 / mesh.edge);
      }
    }
  }
}

TEST(Embedding, render_vertices_all_embed_inside) {
  for (const char* shape : {"spoon", "bridge", "hose"}) {
    const TriangleMesh surface = make_shape(shape, {});
    const VoxelMesh mesh = voxelize(surface, {.resolution = 48});
    const auto points = Embedding(mesh).embed(surface.vertices);
    ASSERT_EQ(points.size(), surface.vertices.size());
    for (const EmbeddedPoint& point : points) ASSERT_TRUE(point.inside) << shape;
  }
}

TEST(Embedding, embedded_basis_is_the_weighted_sum_and_its_transpose_moves_forces) {
  const VoxelMesh& mesh = spoon_voxels();
  const std::size_t n = mesh.vertices.size(), r = 5;
  std::mt19937 random(11);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::vector<double> basis(3 * n * r);
  for (double& entry : basis) entry = uniform(random);
  std::vector<Vector3> places;
  for (int i = 0; i < 200; ++i) {
    places.emplace_back(0.1 + 0.12 * uniform(random), 0.03 * uniform(random),
                        0.02 * uniform(random));
  }
  const auto points = Embedding(mesh).embed(places);
  std::vector<double> render(3 * places.size() * r);
  embed_basis(points, basis, r, render);
  std::vector<float> render_float(render.size());
  embed_basis(points, basis, r, render_float);

  // f . (W U q) with forces at the points equals (W^T f) . (U q) with forces at the mesh vertices.
  std::vector<double> vertex_force(3 * n, 0.0);
  std::vector<double> direct(r, 0.0), transposed(r, 0.0);
  for (std::size_t p = 0; p < places.size(); ++p) {
    const Vector3 f(uniform(random), uniform(random), uniform(random));
    for (std::size_t axis = 0; axis < 3; ++axis) {
      for (std::size_t b = 0; b < 8; ++b) {
        vertex_force[3 * points[p].vertices[b] + axis] +=
            points[p].weights[b] * f[static_cast<int>(axis)];
      }
      for (std::size_t j = 0; j < r; ++j) {
        const std::size_t at = (3 * p + axis) * r + j;
        direct[j] += f[static_cast<int>(axis)] * render[at];
        EXPECT_FLOAT_EQ(render_float[at], static_cast<float>(render[at]));
      }
    }
  }
  for (std::size_t row = 0; row < 3 * n; ++row) {
    for (std::size_t j = 0; j < r; ++j) transposed[j] += vertex_force[row] * basis[row * r + j];
  }
  for (std::size_t j = 0; j < r; ++j) EXPECT_NEAR(direct[j], transposed[j], 1e-10);
}

}  // namespace
}  // namespace haptic
