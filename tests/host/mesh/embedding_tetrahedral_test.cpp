// Embedding and point location together in a body of tetrahedra; embedding_test.cpp has that of
// cubes.

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <Eigen/LU>
#include <limits>

#include "host/mesh/embedding.h"
#include "host/mesh/tetrahedron_locator.h"
#include "tests/host/mesh/tetrahedral_block.h"

namespace haptic {
namespace {

const TetrahedralMesh& block() {
  static const TetrahedralMesh mesh = tetrahedral_block(5, 3, 4, 0.1);
  return mesh;
}

Vector3 generated_point() {
  const auto coordinate = [&] { return *rc::gen::inRange(-1000, 8000) * 1e-4; };
  return {coordinate(), coordinate(), coordinate()};
}

/// Distance to a tetrahedron by projecting on it with every subset of its corners.
double distance_to(const TetrahedralMesh& mesh, std::uint32_t element, const Vector3& p) {
  double best = std::numeric_limits<double>::infinity();
  for (unsigned subset = 1; subset < 16; ++subset) {
    std::vector<Vector3> corners;
    for (unsigned a = 0; a < 4; ++a) {
      if (subset >> a & 1) corners.push_back(mesh.vertices[mesh.tetrahedra[element][a]]);
    }
    const auto k = static_cast<Eigen::Index>(corners.size());
    if (k == 1) {
      best = std::min(best, (p - corners[0]).norm());
      continue;
    }
    Eigen::MatrixXd edges(3, k - 1);
    for (Eigen::Index i = 1; i < k; ++i) {
      edges.col(i - 1) = corners[static_cast<std::size_t>(i)] - corners[0];
    }
    const Eigen::VectorXd local =
        (edges.transpose() * edges).fullPivLu().solve(edges.transpose() * (p - corners[0]));
    if (local.minCoeff() < 0.0 || local.sum() > 1.0) continue;
    best = std::min(best, (p - corners[0] - edges * local).norm());
  }
  return best;
}

TEST(TetrahedralEmbedding, element_is_the_lowest_nearest_one) {
  EXPECT_TRUE(rc::check("tree search equals brute force", [] {
    const TetrahedralMesh& mesh = block();
    static const Embedding embedding(mesh);
    const Vector3 p = generated_point();
    double nearest = std::numeric_limits<double>::infinity();
    std::uint32_t element = 0;
    for (std::uint32_t e = 0; e < mesh.tetrahedra.size(); ++e) {
      const double distance = distance_to(mesh, e, p);
      if (distance < nearest - 1e-14) {
        nearest = distance;
        element = e;
      }
    }
    bool inside = false;
    const std::uint32_t found = embedding.element_at(p, inside);
    RC_ASSERT(inside == (nearest < 1e-11));
    // Two elements may be as near as rounding can tell.
    RC_ASSERT(distance_to(mesh, found, p) <= nearest + 1e-11);
    RC_ASSERT(found <= element || distance_to(mesh, element, p) > nearest + 1e-14);
  }));
}

TEST(TetrahedralEmbedding, linear_fields_are_exact_inside_and_outside) {
  EXPECT_TRUE(rc::check("u(X) = A X + b", [] {
    static const Embedding embedding(block());
    const Vector3 p = generated_point();
    Eigen::Matrix3d A;
    A << 0.3, -1.0, 0.2, 0.5, 0.1, -0.4, 2.0, 0.0, 0.7;
    const Vector3 b(1.0, -2.0, 0.5);
    const EmbeddedPoint point = embedding.embed(p);
    double sum = 0.0;
    Vector3 value = Vector3::Zero();
    Eigen::Matrix3d gradient = Eigen::Matrix3d::Zero();
    for (std::size_t c = 0; c < 8; ++c) {
      const Vector3 u = A * block().vertices[point.vertices[c]] + b;
      sum += point.weights[c];
      value += point.weights[c] * u;
      gradient += u * point.gradients[c].transpose();
    }
    RC_ASSERT(std::abs(sum - 1.0) < 1e-13);
    RC_ASSERT((value - (A * p + b)).norm() < 1e-12);
    RC_ASSERT((gradient - A).norm() < 1e-11);
    for (std::size_t c = 4; c < 8; ++c) {
      RC_ASSERT(point.weights[c] == 0.0 && point.vertices[c] == point.vertices[0]);
    }
    if (point.inside) {
      for (const double w : point.weights) RC_ASSERT(w >= -1e-11);
    }
  }));
}

TEST(TetrahedralEmbedding, vertices_belong_to_their_lowest_element) {
  const TetrahedralMesh& mesh = block();
  const Embedding embedding(mesh);
  for (std::uint32_t v = 0; v < mesh.vertices.size(); ++v) {
    std::uint32_t lowest = 0;
    while (std::find(mesh.tetrahedra[lowest].begin(), mesh.tetrahedra[lowest].end(), v) ==
           mesh.tetrahedra[lowest].end()) {
      ++lowest;
    }
    const EmbeddedPoint point = embedding.embed(mesh.vertices[v]);
    EXPECT_EQ(point.element, lowest);
    EXPECT_TRUE(point.inside);
  }
}

TEST(TetrahedralEmbedding, basis_rows_follow_the_weights) {
  const TetrahedralMesh& mesh = block();
  const std::size_t r = 3;
  std::vector<double> basis(3 * mesh.vertices.size() * r);
  for (std::size_t i = 0; i < basis.size(); ++i) basis[i] = std::sin(static_cast<double>(i));
  const std::vector<Vector3> points = {{0.11, 0.12, 0.13}, {0.4, 0.05, 0.3}, {0.7, 0.1, 0.1}};
  const std::vector<EmbeddedPoint> embedded = Embedding(mesh).embed(points);
  std::vector<double> rows(3 * points.size() * r);
  embed_basis(embedded, basis, r, std::span<double>(rows));
  // Render force spread to the corners and projected = U_render^T f.
  const Vector3 f(1.0, -2.0, 3.0);
  for (std::size_t p = 0; p < points.size(); ++p) {
    for (std::size_t j = 0; j < r; ++j) {
      double direct = 0.0, spread = 0.0;
      for (std::size_t d = 0; d < 3; ++d) {
        const auto at = static_cast<Eigen::Index>(d);
        direct += rows[(3 * p + d) * r + j] * f[at];
        for (std::size_t c = 0; c < 4; ++c) {
          spread +=
              basis[(3 * embedded[p].vertices[c] + d) * r + j] * embedded[p].weights[c] * f[at];
        }
      }
      EXPECT_NEAR(direct, spread, 1e-13 * 10.0);
    }
  }
}

}  // namespace
}  // namespace haptic
