#include "lab/cloth/step_interpolation.h"

#include <gtest/gtest.h>

#include <cmath>

#include "rt/worlds/cloth/particle_vectors.h"
#include "tests/support/no_allocation.h"

namespace haptic::lab {
namespace {

TEST(StepInterpolation, five_ticks_a_step_exact_at_the_knots_and_a_step_late) {
  constexpr int kTicks = 5;
  const auto knot = [](int n) {
    return cloth::ParticleVectors{std::sin(0.7 * n), 0.1 * n, 3.0 - n * n};
  };
  StepInterpolation bridge(knot(0));
  cloth::ParticleVectors out(3), before(3);
  for (int n = 1; n < 20; ++n) {
    // Step n is done when the clock of the cloth shows n; the hand then sees n - 1.
    const cloth::ParticleVectors from = knot(n - 1), to = knot(n);
    NoAllocation guard;
    bridge.push(to);
    bridge.sample(0.0, before);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(before[i], from[i], 1e-12);
    for (int tick = 1; tick <= kTicks; ++tick) {
      bridge.sample(tick / double(kTicks), out);
      for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_NEAR(out[i] - before[i], (to[i] - from[i]) / kTicks, 1e-12);
      }
      before = out;
    }
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(out[i], to[i], 1e-12);
    // A cloth that is late is held at its last step.
    bridge.sample(1.7, out);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(out[i], to[i]);
  }
}

}  // namespace
}  // namespace haptic::lab
