// Contact of a field's tool between the vertices of a surface.

#include "rt/worlds/condensed/surface_samples.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "shared/artifact/model_file.h"
#include "tests/rt/worlds/condensed/condensed_world_fixture.h"
#include "tests/support/no_allocation.h"

namespace haptic::condensed {
namespace {

class SurfaceSamplesTest : public PressedBlock {
 protected:
  ModelFile file_{folder_ / "block.h5"};
  CondensedModel block_ = read_condensed_model(file_);
  CondensedSurface surface_{block_, "block"};
};

TEST_F(SurfaceSamplesTest, divide_every_edge_and_are_no_vertices_nor_twice) {
  const CondensedSurface& surface = surface_;
  const double edge = surface.longest_edge();  // diagonals; the sides are shorter
  const std::vector<double> still(block_.dof(), 0.0);
  for (const int parts : {1, 2, 3, 8}) {
    const SurfaceSamples samples(surface, edge / parts * (1.0 + 1e-9));
    // Every triangle of the box has such a diagonal.
    const std::size_t triangles = surface.triangle_count(), edges = 3 * triangles / 2;
    const auto n = static_cast<std::size_t>(parts);
    EXPECT_EQ(samples.size(), edges * (n - 1) + triangles * (n - 1) * (n - 2) / 2) << parts;
    EXPECT_NEAR(samples.spacing(), edge / parts, 1e-8 * edge);
    EXPECT_EQ(samples.first(static_cast<std::uint32_t>(triangles)), samples.size());
    std::vector<Vector3> all;
    for (std::size_t i = 0; i < samples.size(); ++i) {
      EXPECT_NEAR(samples[i].weights.sum(), 1.0, 1e-15);
      all.push_back(position(surface, samples[i], still));
    }
    for (std::uint32_t v = 0; v < surface.vertex_count(); ++v) all.push_back(surface.rest(v));
    std::ranges::sort(all, [](const Vector3& a, const Vector3& b) {
      return std::ranges::lexicographical_compare(a, b);
    });
    for (std::size_t i = 1; i < all.size(); ++i) {
      ASSERT_GT((all[i] - all[i - 1]).norm(), 1e-6 * edge);
    }
  }
  EXPECT_EQ(SurfaceSamples(surface, std::numeric_limits<double>::infinity()).size(), 0U);
  EXPECT_NEAR(SurfaceSamples(surface, 1e-3 * edge).spacing(), edge / 8.0, 1e-12);
}

// A ball of a third of an edge meets the surface as well between vertices as at them: the depth at
// which it is met differs by what the ball sinks between points that are half of its radius apart.
TEST_F(SurfaceSamplesTest, a_ball_smaller_than_an_edge_is_met_everywhere) {
  const double edge = surface_.longest_edge(), radius = edge / 3.0;
  const std::string text = scene_text("radius = " + std::to_string(radius), radius, "",
                                      "friction = 0.0\n[coupling]\nstiffness = 1e4", 1000.0);
  for (int i = 0; i < 40; ++i) {
    CondensedWorld world(scene(text), nullptr);
    const double x = edge * std::fmod(0.618 * i, 1.0), z = edge * std::fmod(0.414 * i, 1.0);
    WorldOutput output;
    double met = 0.0;
    for (int k = 0; k < 1000 && met == 0.0; ++k) {
      const double y = -1e-5 * k;
      ASSERT_EQ(world.step(hand_at(x, y, z), output), WorldStatus::kOk);
      if (output.contact_wrench.force.norm() > 0.0) met = -y - kGap;
    }
    // Half of a radius apart along the diagonals, so no further than r / 4 from a point: r -
    // sqrt(r^2 - (r / 4)^2) = 0.032 r; the coupling's lag and one step of the hand besides.
    EXPECT_GT(met, -1e-4) << x << ", " << z;
    EXPECT_LT(met, 0.032 * radius + 1e-4) << x << ", " << z;
  }
}

TEST_F(SurfaceSamplesTest, a_small_ball_slides_without_allocation_and_stays_calm) {
  const double radius = surface_.longest_edge() / 3.0;
  const std::string text = scene_text("radius = " + std::to_string(radius), radius, "",
                                      "friction = 0.3\n[coupling]\nstiffness = 400", 1000.0);
  CondensedWorld world(scene(text), nullptr);
  move(world, {0.0, 0.0, 0.0}, {0.0, -0.02, 0.0}, 500);
  hold(world, {0.0, -0.02, 0.0}, 2000);
  WorldOutput output;
  Vector3 last = hold(world, {0.0, -0.02, 0.0}, 1).contact_wrench.force;
  ASSERT_GT(last.norm(), 0.5);
  double largest = 0.0;
  NoAllocation guard;
  for (int i = 0; i < 1000; ++i) {
    const DeviceState hand = hand_at(2e-5 * i, -0.02, 1e-5 * i);
    if (world.step(hand, output) != WorldStatus::kOk) break;
    largest = std::max(largest, (output.contact_wrench.force - last).norm());
    last = output.contact_wrench.force;
  }
  EXPECT_GT(last.norm(), 0.5);
  EXPECT_LT(largest, 0.25);
}

}  // namespace
}  // namespace haptic::condensed
