#include "rt/dynamics/surface_vertices.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "shared/error.h"
#include "tests/support/no_allocation.h"

namespace haptic {
namespace {

struct RandomSurface {
  explicit RandomSurface(std::uint32_t r, std::uint32_t v = 500) : q(r) {
    std::mt19937 random(r);
    std::normal_distribution<double> normal;
    rest.resize(3 * v);
    basis.resize(3 * v * r);
    for (double& x : rest) x = normal(random);
    for (float& x : basis) x = static_cast<float>(normal(random));
    for (double& x : q) x = normal(random);
  }
  std::vector<double> rest, q;
  std::vector<float> basis;
};

TEST(SurfaceVertices, a_vertex_alone_has_the_bits_of_the_full_product) {
  for (const std::uint32_t r : {1u, 3u, 12u, 15u, 30u, 64u}) {
    const RandomSurface s(r);
    const SurfaceVertices vertices(r, s.rest, s.basis);
    // The full product U q, written down here once more in the same order.
    std::vector<double> full = s.rest;
    for (std::size_t row = 0; row < full.size(); ++row) {
      for (std::size_t j = 0; j < r; ++j) {
        full[row] = std::fma(static_cast<double>(s.basis[row * r + j]), s.q[j], full[row]);
      }
    }
    for (std::uint32_t v = 0; v < vertices.size(); ++v) {
      const Vector3 p = vertices.position(v, s.q);
      for (std::size_t axis = 0; axis < 3; ++axis) {
        EXPECT_EQ(p[static_cast<int>(axis)], full[3 * v + axis]);
      }
    }
  }
}

TEST(SurfaceVertices, missing_coordinates_are_zero_and_a_rigid_surface_does_not_deform) {
  const RandomSurface s(6);
  const SurfaceVertices vertices(6, s.rest, s.basis);
  std::vector<double> padded = s.q;
  padded[4] = padded[5] = 0.0;
  EXPECT_EQ(vertices.position(3, std::span(s.q).first(4)), vertices.position(3, padded));
  const SurfaceVertices rigid(0, s.rest, {});
  EXPECT_EQ(rigid.position(9, {}), Vector3(s.rest[27], s.rest[28], s.rest[29]));
}

TEST(SurfaceVertices, evaluation_does_not_allocate) {
  const RandomSurface s(15);
  const SurfaceVertices vertices(15, s.rest, s.basis);
  Vector3 sum = Vector3::Zero();
  {
    NoAllocation guard;
    for (std::uint32_t v = 0; v < vertices.size(); ++v) sum += vertices.position(v, s.q);
  }
  EXPECT_TRUE(sum.allFinite());
}

TEST(SurfaceVertices, sizes_that_do_not_fit_are_refused) {
  const RandomSurface s(4);
  EXPECT_THROW(SurfaceVertices(5, s.rest, s.basis), InputError);
  EXPECT_THROW(SurfaceVertices(4, std::span(s.rest).first(4), s.basis), InputError);
}

}  // namespace
}  // namespace haptic
