#include <gtest/gtest.h>

#include <algorithm>

#include "lab/samples/folding_cloth.h"
#include "tests/support/no_allocation.h"

namespace haptic::cloth {
namespace {

TEST(FoldingCloth, no_crossing_is_left_when_a_cloth_falls_and_folds) {
  FoldingCloth folding(20, 2e-3, true);
  const CrossingCount crossings(folding.cloth().mesh.triangles);
  const ClothState& state = folding.cloth().state;
  const SelfContact::Figures& figures = folding.contact().figures();
  std::size_t most_near = 0, impulses = 0;
  for (int step = 0; step < 2000; ++step) {
    folding.advance();
    ASSERT_TRUE(folding.solved());
    const double energy = kinetic_energy(folding.cloth().system, state.v);
    {
      NoAllocation guard;
      ASSERT_LE(folding.respond(), SelfContact::Result::kZones);
    }
    // 1e-14: rounding of the sum over 400 particles.
    ASSERT_LE(kinetic_energy(folding.cloth().system, state.v), energy * (1.0 + 1e-14));
    ASSERT_EQ(figures.touching, 0u);
    if (step % 10 == 0) {
      ASSERT_EQ(crossings(state.x), 0u) << step;
    }
    most_near = std::max(most_near, figures.near);
    impulses += figures.impulses;
  }
  // It does fold, and comes to rest: 0.6 J fall down.
  EXPECT_GT(most_near, 100u);
  EXPECT_GT(impulses, 10000u);
  EXPECT_LT(kinetic_energy(folding.cloth().system, state.v), 1e-2);
}

TEST(FoldingCloth, without_the_response_it_passes_through_itself) {
  FoldingCloth folding(20, 2e-3, false);
  const CrossingCount crossings(folding.cloth().mesh.triangles);
  std::size_t count = 0;
  for (int step = 0; step < 500; ++step) {
    folding.advance();
    if (step % 10 == 0) count += crossings(folding.cloth().state.x);
  }
  EXPECT_GT(count, 1000u);
}

}  // namespace
}  // namespace haptic::cloth
