#include "rt/worlds/cloth/spring_bands.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "lab/samples/cloth_samples.h"
#include "rt/worlds/cloth/spring_forces.h"
#include "tests/rt/worlds/cloth/dense_cloth.h"

namespace haptic::cloth {
namespace {

Springs springs_of(GridSize size, SpringTopology topology) {
  const ClothMesh mesh = make_grid(size, 1.0, 0.7);
  return make_springs(mesh, topology, cloth_materials(100.0, 0.3));
}

TEST(SpringBands, each_spring_has_one_place) {
  for (const auto topology : {SpringTopology::kThreeKinds, SpringTopology::kChoiKo}) {
    const Springs springs = springs_of({9, 14}, topology);
    const SpringBands bands(springs, 126);
    std::vector<int> times(springs.size(), 0);
    for (const std::uint32_t s : bands.loose()) ++times[s];
    std::vector<std::array<std::uint32_t, 3>> fours(bands.slots() / 4);
    std::size_t count = 0;
    bands.for_each_four([&](std::uint32_t i, std::uint32_t j, std::uint32_t slot) HAPTIC_REALTIME {
      fours[count++] = {i, j, slot};
    });
    EXPECT_EQ(count, fours.size());
    for (const auto& [i, j, slot] : fours) {
      for (std::uint32_t k = 0; k < 4; ++k) {
        const std::uint32_t s = bands.spring(slot + k);
        if (s == SpringBands::kGap) continue;
        ++times[s];
        EXPECT_EQ(springs.first[s], i + k);
        EXPECT_EQ(springs.second[s], j + k);
        EXPECT_EQ(bands.slot(s), slot + k);
      }
    }
    EXPECT_EQ(std::count(times.begin(), times.end(), 1), std::ptrdiff_t(springs.size()));
    // Of a grid, all but the strips.
    EXPECT_EQ(bands.loose().size(), springs.count(SpringKind::kInterlaced));
  }
}

TEST(SpringBands, a_second_spring_between_two_particles_is_loose) {
  Springs springs = springs_of({6, 6}, SpringTopology::kThreeKinds);
  const auto append = [&](std::uint32_t i, std::uint32_t j) {
    springs.first.push_back(i);
    springs.second.push_back(j);
    springs.kind.push_back(SpringKind::kStructural);
    springs.rest.push_back(0.1);
    springs.stiffness.push_back(1.0);
    springs.damping.push_back(0.0);
    springs.bending.push_back(0.0);
  };
  append(3, 4);   // a second one
  append(0, 35);  // the only one of its offset
  const SpringBands bands(springs, 36);
  EXPECT_EQ(bands.loose().size(), 2u);
}

/// Forces and gradients of bands are those of each spring by itself.
TEST(SpringBands, forces_and_gradients_are_those_of_single_springs) {
  for (const auto topology : {SpringTopology::kThreeKinds, SpringTopology::kChoiKo}) {
    const Springs springs = springs_of({9, 14}, topology);
    const SpringForces forces(springs);
    ClothState state = state_at_rest(make_grid({9, 14}, 1.0, 0.7));
    disturb(state.x, 0.02, 1);  // many are shorter than at rest
    disturb(state.v, 1.0, 2);
    at(state.x, 40) = at(state.x, 41);  // no direction
    ParticleVectors found(state.x.size()), expected(state.x.size());
    const std::size_t left_out = forces.add_to(state.x, state.v, found);
    std::size_t without = 0;
    for (std::size_t s = 0; s < springs.size(); ++s) {
      const std::size_t i = springs.first[s], j = springs.second[s];
      const double length = (at(state.x, i) - at(state.x, j)).norm();
      without += length == 0.0 ? 1 : 0;
      const SpringForces::Gradient exact = forces.gradient(state.x, s, true);
      const double closing = (at(state.v, j) - at(state.v, i)).dot(exact.u);
      const Vector3 force = (exact.damping * closing - exact.across * length) * exact.u;
      at(expected, i) += force;
      at(expected, j) -= force;
    }
    EXPECT_EQ(without, 1u);
    EXPECT_EQ(left_out, without);
    // Rounding of ten terms of up to 10 N.
    EXPECT_LT((as_vector(found) - as_vector(expected)).cwiseAbs().maxCoeff(), 1e-12);
    const std::size_t slots = forces.bands().slots();
    std::vector<double> x(slots), y(slots), z(slots), along(slots), across(slots), damping(slots);
    forces.gradients(state.x, {x, y, z, along, across, damping});
    for (std::size_t k = 0; k < slots; ++k) {
      const std::uint32_t s = forces.bands().spring(k);
      const SpringForces::Gradient g =
          s == SpringBands::kGap ? SpringForces::Gradient{} : forces.gradient(state.x, s);
      EXPECT_EQ(along[k], g.along);
      EXPECT_NEAR(across[k], g.across, 1e-12);
      EXPECT_EQ(damping[k], g.damping);
      if (s == SpringBands::kGap) continue;
      EXPECT_LT((Vector3(x[k], y[k], z[k]) - g.u).norm(), 1e-14);
    }
  }
}

}  // namespace
}  // namespace haptic::cloth
