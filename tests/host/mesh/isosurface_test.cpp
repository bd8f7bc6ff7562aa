#include "host/mesh/isosurface.h"

#include <gtest/gtest.h>

#include <functional>

#include "shared/error.h"

namespace haptic {
namespace {

struct SampledGrid {
  std::vector<float> values;
  GridSamples samples;
};

SampledGrid sampled(const std::function<double(const Vector3&)>& f, const Vector3& lower,
                    double spacing, std::array<std::uint32_t, 3> counts) {
  SampledGrid grid;
  grid.samples = {counts, lower, spacing, {}};
  for (std::uint32_t k = 0; k < counts[2]; ++k) {
    for (std::uint32_t j = 0; j < counts[1]; ++j) {
      for (std::uint32_t i = 0; i < counts[0]; ++i) {
        grid.values.push_back(static_cast<float>(f(lower + spacing * Vector3(i, j, k))));
      }
    }
  }
  grid.samples.values = grid.values;
  return grid;
}

TEST(Isosurface, sphere_is_closed_outward_and_in_place) {
  const Vector3 centre(0.3, -0.2, 0.1);
  // Different counts along each axis detect a wrong index order.
  const SampledGrid grid = sampled([&](const Vector3& p) { return (p - centre).norm(); },
                                   {-0.4, -0.8, -0.5}, 0.04, {36, 31, 33});
  const Isosurface surface = isosurface(grid.samples, 0.5);
  EXPECT_TRUE(surface.report.closed_manifold()) << surface.report.summary();
  EXPECT_FALSE(surface.report.inside_out);  // already outward
  EXPECT_FALSE(surface.capped);
  EXPECT_NEAR(surface.report.volume, 4.0 / 3.0 * M_PI * 0.125, 0.005);
  for (const Vector3& v : surface.mesh.vertices) {
    // Dual vertices are averages of edge crossings: within a fraction of a cell.
    EXPECT_NEAR((v - centre).norm(), 0.5, 0.1 * 0.04);
  }
  EXPECT_EQ(surface.report.vertices - surface.report.triangles / 2, 2U);
}

TEST(Isosurface, what_reaches_the_border_is_capped_and_reported) {
  const SampledGrid grid =
      sampled([](const Vector3& p) { return p.z(); }, {0, 0, -0.45}, 0.1, {10, 10, 10});
  const Isosurface surface = isosurface(grid.samples, 0.0);
  EXPECT_TRUE(surface.capped);
  EXPECT_TRUE(surface.report.closed_manifold()) << surface.report.summary();
  const BoundingBox box = bounding_box(surface.mesh);
  EXPECT_NEAR(box.upper.z(), 0.0, 1e-6);
  EXPECT_NEAR(box.lower.z(), -0.45, 0.1);
  EXPECT_NEAR(box.upper.x(), 0.9, 0.1);
}

TEST(Isosurface, offset_of_a_sheet_has_two_sides) {
  const auto sheet = [](const Vector3& p) {
    const Vector3 outside = (p.cwiseAbs() - Vector3(0.3, 0.2, 0.0)).cwiseMax(0.0);
    return outside.norm();
  };
  const SampledGrid grid = sampled(sheet, {-0.5, -0.5, -0.5}, 1.0 / 64, {65, 65, 65});
  const Isosurface surface = isosurface(grid.samples, 1.4 / 64);
  EXPECT_TRUE(surface.report.closed_manifold()) << surface.report.summary();
  EXPECT_EQ(surface.report.components, 1U);
  EXPECT_GT(surface.report.volume, 0.6 * 0.4 * 2.0 * 1.3 / 64);
}

TEST(Isosurface, bad_grids_are_refused) {
  SampledGrid grid = sampled([](const Vector3& p) { return p.norm(); }, {1, 1, 1}, 0.1, {4, 4, 4});
  EXPECT_THROW((void)isosurface(grid.samples, 0.1), OperationError);  // no surface there
  EXPECT_THROW((void)isosurface(grid.samples, std::nan("")), InputError);
  GridSamples short_of_one = grid.samples;
  short_of_one.values = short_of_one.values.subspan(1);
  EXPECT_THROW((void)isosurface(short_of_one, 0.1), InputError);
  grid.values[3] = std::numeric_limits<float>::infinity();
  EXPECT_THROW((void)isosurface(grid.samples, 2.0), InputError);
}

}  // namespace
}  // namespace haptic
