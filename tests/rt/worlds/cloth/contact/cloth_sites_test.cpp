#include "rt/worlds/cloth/contact/cloth_sites.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "lab/samples/cloth_samples.h"
#include "tests/rt/worlds/cloth/contact/cloth_on_field.h"

namespace haptic::cloth {
namespace {

TEST(ClothSites, without_a_spacing_they_are_the_particles) {
  const SampleCloth cloth = square_cloth(7, 0.1, cloth_materials(100.0));
  const ClothSites sites(cloth.mesh.triangles, cloth.state.x);
  ASSERT_EQ(sites.size(), 49u);
  std::vector<int> times(49, 0);
  for (std::size_t k = 0; k < 49; ++k) {
    EXPECT_EQ(sites.site(k).count, 1u);
    ++times[sites.site(k).particles[0]];
  }
  EXPECT_EQ(std::count(times.begin(), times.end(), 1), 49);
  EXPECT_TRUE(sites.warning().empty());
}

/// No point of the cloth is farther from a site than the spacing: 2000 random ones.
TEST(ClothSites, every_point_has_a_site_near) {
  const SampleCloth cloth = square_cloth(5, 0.1, cloth_materials(100.0));
  const ClothSites sites(cloth.mesh.triangles, cloth.state.x, 0.03);
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(0.0, 0.4);
  for (int n = 0; n < 2000; ++n) {
    const Vector3 p(uniform(random), uniform(random), 0.0);
    double nearest = 1.0;
    for (std::size_t k = 0; k < sites.size(); ++k) {
      nearest = std::min(nearest, (sites.at_site(k, cloth.state.x) - p).norm());
    }
    EXPECT_LT(nearest, 0.03);
  }
  for (std::size_t k = 0; k < sites.size(); ++k) {  // each place once
    for (std::size_t j = 0; j < k; ++j) {
      EXPECT_GT((sites.at_site(k, cloth.state.x) - sites.at_site(j, cloth.state.x)).norm(), 1e-3);
    }
  }
}

/// Whatever the spacing, the areas sum to that of the cloth.
TEST(ClothSites, areas_are_those_of_the_cloth) {
  SampleCloth cloth = square_cloth(6, 0.1, cloth_materials(100.0));
  for (const double spacing : {kNowhere, 0.07, 0.03, 0.011}) {
    const ClothSites sites(cloth.mesh.triangles, cloth.state.x, spacing);
    double sum = 0.0;
    for (std::size_t k = 0; k < sites.size(); ++k) {
      EXPECT_GT(sites.area(k), 0.0);
      sum += sites.area(k);
    }
    EXPECT_NEAR(sum, 0.25, 1e-13) << spacing;
  }
  // A particle alone has a third of its triangles, of 0.005 m^2 each.
  const ClothSites particles(cloth.mesh.triangles, cloth.state.x);
  for (std::size_t k = 0; k < particles.size(); ++k) {
    const std::uint32_t i = particles.site(k).particles[0];
    const auto count = std::ranges::count_if(cloth.mesh.triangles, [&](const TriangleCorners& t) {
      return std::ranges::find(t, i) != t.end();
    });
    EXPECT_NEAR(particles.area(k), 0.005 / 3.0 * static_cast<double>(count), 1e-15);
  }
}

TEST(ClothSites, a_bound_raises_the_spacing_and_says_so) {
  const SampleCloth cloth = square_cloth(5, 0.1, cloth_materials(100.0));
  const ClothSites sites(cloth.mesh.triangles, cloth.state.x, 0.001, 500);
  EXPECT_LE(sites.size(), 500u);
  EXPECT_GT(sites.size(), 200u);
  EXPECT_GT(sites.spacing(), 0.01);
  EXPECT_NE(sites.warning().find("not 0.001 m"), std::string::npos);
}

/// 10^12 parts an edge, more than an integer of 32 bits counts.
TEST(ClothSites, a_bound_holds_at_any_size_of_a_cloth) {
  const SampleCloth cloth = square_cloth(5, 1e9, cloth_materials(100.0));
  const ClothSites sites(cloth.mesh.triangles, cloth.state.x, 0.001, 500);
  EXPECT_LE(sites.size(), 500u);
  EXPECT_GT(sites.size(), 200u);
  EXPECT_NE(sites.warning().find("not 0.001 m"), std::string::npos);
}

}  // namespace
}  // namespace haptic::cloth
