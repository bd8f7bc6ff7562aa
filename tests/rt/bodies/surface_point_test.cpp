#include "rt/bodies/surface_point.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "host/artifact/model_writer.h"
#include "shared/error.h"
#include "tests/rt/worlds/analytic_models.h"
#include "tests/rt/worlds/free_points.h"

namespace haptic {
namespace {

class SurfacePoints : public ::testing::Test {
 protected:
  SurfacePoints() : folder_(model_folder("surface_points")), points_(9, 4, 3) {
    points_.write(folder_ / "points.h5");
  }
  ~SurfacePoints() override { std::filesystem::remove_all(folder_); }

  Vector3 corner(int i) const { return points_.centre + points_.places.col(i); }
  /// Least distance of p from the three triangles, over a fine grid of their points.
  double sampled_distance(const Vector3& p) const {
    constexpr int kSteps = 200;
    double least = 1e9;
    for (int t = 0; t < 9; t += 3) {
      for (int i = 0; i <= kSteps; ++i) {
        for (int j = 0; i + j <= kSteps; ++j) {
          const double a = double(i) / kSteps, b = double(j) / kSteps;
          const Vector3 place = a * corner(t) + b * corner(t + 1) + (1.0 - a - b) * corner(t + 2);
          least = std::min(least, (place - p).norm());
        }
      }
    }
    return least;
  }

  std::filesystem::path folder_;
  FreePoints points_;
};

TEST_F(SurfacePoints, are_moved_as_the_corners_of_their_triangle) {
  const ModelFile model(folder_ / "points.h5");
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  for (int trial = 0; trial < 100; ++trial) {
    const int t = 3 * (trial % 3);
    Vector3 weights(uniform(random), uniform(random), uniform(random));
    if (trial % 4 == 1) weights[trial % 3] = 0.0;                             // on an edge
    if (trial % 4 == 2) weights[trial % 3] = weights[(trial + 1) % 3] = 0.0;  // at a corner
    weights /= weights.sum();
    Vector3 place = Vector3::Zero();
    Eigen::MatrixXd expected = Eigen::MatrixXd::Zero(3, 4);
    for (int i = 0; i < 3; ++i) {
      place += weights[i] * corner(t + i);
      expected += weights[i] * points_.basis.middleRows(3 * (t + i), 3);
    }
    const SurfacePoint point = nearest_surface_point(model, 4, place);
    EXPECT_LE(point.distance, 1e-15);
    // The basis of the surface is stored as floats.
    EXPECT_LE((point.displacement - expected).norm(), 1e-6 * expected.norm()) << trial;
    const SurfacePoint leading = nearest_surface_point(model, 2, place);
    EXPECT_EQ(leading.displacement, point.displacement.leftCols(2));
  }
}

TEST_F(SurfacePoints, are_the_nearest_of_all_triangles) {
  const ModelFile model(folder_ / "points.h5");
  std::mt19937 random(2);
  std::uniform_real_distribution<double> uniform(-0.03, 0.03);
  for (int trial = 0; trial < 100; ++trial) {
    const Vector3 p(uniform(random), uniform(random), uniform(random));
    const SurfacePoint point = nearest_surface_point(model, 4, p);
    EXPECT_NEAR((point.nearest - p).norm(), point.distance, 1e-15);
    const double sampled = sampled_distance(p);
    // The grid's points are up to 0.3 mm apart.
    EXPECT_LE(point.distance, sampled + 1e-12) << trial;
    EXPECT_GE(point.distance, sampled - 3e-4) << trial;
  }
}

TEST_F(SurfacePoints, need_a_surface) {
  write_solid_ball(folder_ / "ball.h5", 0.01, 1000.0);
  EXPECT_THROW(nearest_surface_point(ModelFile(folder_ / "ball.h5"), 0, Vector3::Zero()),
               InputError);
}

}  // namespace
}  // namespace haptic
