#include "host/sampling/area_weights.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <cmath>
#include <numeric>

#include "lab/samples/field_shapes.h"

namespace haptic {
namespace {

/// Cells of a grid on the top of a box, dense on one half: x in [0, 1] has n x n points, x in
/// [1, 2] has 2n x 2n.
struct TwoDensities {
  std::vector<Vector3> points, normals;
  std::size_t sparse = 0;
};

TwoDensities two_densities(double thickness, int n) {
  TwoDensities shell;
  for (const double z : {0.0, thickness}) {
    for (int half = 0; half < 2; ++half) {
      const int m = half == 0 ? n : 2 * n;
      for (int j = 0; j < m; ++j) {
        for (int i = 0; i < m; ++i) {
          shell.points.emplace_back(half + (i + 0.5) / m, (j + 0.5) / m, z);
          shell.normals.emplace_back(0.0, 0.0, z > 0.0 ? -1.0 : 1.0);
        }
      }
    }
  }
  return shell;
}

TEST(AreaWeights, weights_are_the_areas_of_the_nearest_cells) {
  // The sides have almost no area; the two faces are closer than the points of one face.
  const double thickness = 1e-3;
  const SurfaceDistance plate(box_mesh(Vector3::Zero(), Vector3(2.0, 1.0, thickness)));
  const TwoDensities shell = two_densities(thickness, 5);
  const std::uint32_t samples = 400;
  const auto weights = area_weights(plate, shell.points, shell.normals, 7, samples);
  ASSERT_EQ(weights.size(), shell.points.size());
  const double mean =
      std::accumulate(weights.begin(), weights.end(), 0.0) / static_cast<double>(weights.size());
  EXPECT_NEAR(mean, 1.0, 1e-6);
  const double total = 4.0 + 6.0 * thickness;
  for (std::size_t s = 0; s < weights.size(); ++s) {
    const Vector3& p = shell.points[s];
    // Columns at the border between the two densities gain or lose area.
    if (std::abs(p.x() - 1.0) < 0.15) continue;
    const double area = p.x() < 1.0 ? 1.0 / 25.0 : 1.0 / 100.0;
    const double expected = area * static_cast<double>(weights.size()) / total;
    // Five standard errors of a count.
    EXPECT_NEAR(weights[s], expected, 5.0 * std::sqrt(expected / samples)) << p.transpose();
  }
}

TEST(AreaWeights, two_runs_are_equal_bit_for_bit) {
  const SurfaceDistance plate(box_mesh(Vector3::Zero(), Vector3(2.0, 1.0, 0.1)));
  const TwoDensities shell = two_densities(0.1, 4);
  std::vector<float> one;
  {
    const tbb::global_control serial(tbb::global_control::max_allowed_parallelism, 1);
    one = area_weights(plate, shell.points, shell.normals, 3);
  }
  const tbb::global_control wide(tbb::global_control::max_allowed_parallelism, 4);
  EXPECT_EQ(one, area_weights(plate, shell.points, shell.normals, 3));
  EXPECT_NE(one, area_weights(plate, shell.points, shell.normals, 4));
}

}  // namespace
}  // namespace haptic
