#include "rt/worlds/cloth/strain_limiter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>

#include "lab/samples/cloth_samples.h"
#include "shared/error.h"
#include "tests/rt/worlds/cloth/integrator_samples.h"
#include "tests/support/no_allocation.h"

namespace haptic::cloth {
namespace {

using Order = StrainLimiter::Order;

/// A spring of rest length 1 from the origin to (2, 0, 0).
SampleCloth long_spring(double m_i, double m_j) {
  ClothSystem system({m_i, m_j}, one_spring(1.0, 0.0), {}, weightless());
  ClothState state;
  state.x = {0, 0, 0, 2, 0, 0};
  state.v.assign(6, 0.0);
  return {{}, std::move(system), std::move(state)};
}

void limit(SampleCloth& sample, StrainLimiter::Settings settings) {
  StrainLimiter limiter(sample.system, settings);
  const ParticleVectors before = sample.state.x;
  NoAllocation guard;
  limiter.apply(sample.system.constraints(), before, 0.1, sample.state);
}

TEST(StrainLimiter, a_spring_of_twice_its_length_becomes_ten_percent_longer_than_at_rest) {
  SampleCloth free = long_spring(1.0, 1.0);
  limit(free, {.most = 1.1});
  EXPECT_NEAR(free.state.x[3] - free.state.x[0], 1.1, 1e-15);
  EXPECT_NEAR(0.5 * (free.state.x[0] + free.state.x[3]), 1.0, 1e-15);
  EXPECT_NEAR(free.state.v[0], 0.45 / 0.1, 1e-14);
  EXPECT_NEAR(free.state.v[3], -0.45 / 0.1, 1e-14);
  SampleCloth pinned = long_spring(1.0, 1.0);
  pinned.system.constraints().pin(0, Vector3::Zero());
  limit(pinned, {.most = 1.1});
  EXPECT_EQ(at(pinned.state.x, 0), Vector3(0.0, 0.0, 0.0));
  EXPECT_EQ(at(pinned.state.v, 0), Vector3(0.0, 0.0, 0.0));
  EXPECT_NEAR(pinned.state.x[3], 1.1, 1e-15);
  pinned.state.x[3] = 2.0;
  pinned.system.constraints().pin(1, Vector3(2.0, 0.0, 0.0));
  limit(pinned, {.most = 1.1});
  EXPECT_EQ(pinned.state.x[3], 2.0);
  // Within the limit nothing moves, and velocities stay.
  SampleCloth within = long_spring(1.0, 1.0);
  within.state.v[0] = 7.0;
  limit(within, {.most = 2.0});
  EXPECT_EQ(within.state.x[3], 2.0);
  EXPECT_EQ(within.state.v[0], 7.0);
}

TEST(StrainLimiter, edges_are_shortened_and_lengthened_about_their_centre_of_mass) {
  SampleCloth sample = long_spring(1.0, 3.0);
  const auto centre = [&] { return 0.25 * sample.state.x[0] + 0.75 * sample.state.x[3]; };
  EXPECT_EQ(centre(), 1.5);
  limit(sample, {.most = 1.1, .least = 0.9});
  EXPECT_NEAR(sample.state.x[3] - sample.state.x[0], 1.1, 1e-12);
  EXPECT_NEAR(centre(), 1.5, 1e-12);
  sample.state.x = {1.3, 0, 0, 1.5, 0, 0};
  const double before = centre();
  limit(sample, {.most = 1.1, .least = 0.9});
  EXPECT_NEAR(sample.state.x[3] - sample.state.x[0], 0.9, 1e-12);
  EXPECT_NEAR(centre(), before, 1e-12);
  // Errata: x_j moves by m1, so j fixed is m1 = 0; the printed m1 = 1, m2 = 0 moves it.
  sample.state.x = {0, 0, 0, 2, 0, 0};
  sample.system.constraints().pin(1, Vector3(2.0, 0.0, 0.0));
  limit(sample, {.most = 1.1, .least = 0.9});
  EXPECT_EQ(sample.state.x[3], 2.0);
  EXPECT_NEAR(sample.state.x[0], 0.9, 1e-15);
  const double u = 2.0 - 1.1, printed_m1 = 1.0;
  EXPECT_GT(std::abs(2.0 - printed_m1 * u - sample.state.x[3]), 0.8);
}

TEST(StrainLimiter, a_particle_on_a_line_moves_along_it) {
  SampleCloth sample = long_spring(1.0, 1.0);
  sample.system.constraints().pin(0, Vector3::Zero());
  const Vector3 d = Vector3(1.0, 1.0, 0.0).normalized();
  sample.system.constraints().keep_on_line(1, Vector3(2.0, 0.0, 0.0), d);
  limit(sample, {.most = 1.1, .sweeps = 200});
  const Vector3 moved = at(sample.state.x, 1) - Vector3(2.0, 0.0, 0.0);
  EXPECT_LT((moved - moved.dot(d) * d).norm(), 1e-14);
  // The line is nowhere nearer than sqrt(2): the closest point, not the limit.
  EXPECT_NEAR(at(sample.state.x, 1).norm(), std::sqrt(2.0), 1e-3);
}

/// 1 m x 1 m, 0.2 kg/m^2, hung at two corners, 750 steps of velocity Verlet.
struct Hung {
  double largest_stretch, sag;
};

Hung hung(double most, std::size_t sweeps) {
  SampleCloth cloth = square_cloth(40, 1.0 / 39.0, cloth_materials(30.0, 1e-3));
  for (const std::uint32_t i : border_corners(cloth.mesh, GridBorder::kTop)) {
    cloth.system.constraints().pin(i, at(cloth.state.x, i));
  }
  VelocityVerlet verlet(cloth.system, 8e-4);
  StrainLimiter limiter(
      cloth.system,
      {.most = most, .sweeps = std::max<std::size_t>(sweeps, 1), .order = Order::kOfSprings});
  ParticleVectors before;
  for (int k = 0; k < 750; ++k) {
    before = cloth.state.x;
    EXPECT_EQ(verlet.step(cloth.state), ClothStepResult::kOk);
    if (sweeps > 0) limiter.apply(cloth.system.constraints(), before, verlet.dt(), cloth.state);
  }
  double lowest = 0.0;
  for (std::size_t i = 0; i < cloth.system.size(); ++i) {
    lowest = std::min(lowest, cloth.state.x[3 * i + 2]);
  }
  return {limiter.largest_stretch(cloth.state.x), -lowest};
}

TEST(StrainLimiter, a_limited_cloth_hangs_less_deep) {
  const Hung none = hung(1.5, 0), loose = hung(1.15, 8), tight = hung(1.05, 30);
  EXPECT_LE(loose.largest_stretch, 1.16);
  EXPECT_LE(tight.largest_stretch, 1.06);
  EXPECT_GT(none.largest_stretch, 1.3);
  EXPECT_GT(none.sag, loose.sag);
  EXPECT_GT(loose.sag, tight.sag);
}

/// Largest stretch that `sweeps` leave of a cloth in which a particle was pulled away, every one
/// moved a little, or all of it waves.
double left_over(unsigned seed, bool shuffled, Order order, std::size_t sweeps) {
  SampleCloth cloth = square_cloth(12, 0.1, cloth_materials(50.0));
  Springs springs = cloth.system.springs().springs();
  const std::size_t threads = springs.size() - springs.count(SpringKind::kBend);
  if (shuffled) {
    std::mt19937 random(seed + 1000);
    for (std::size_t s = threads; s > 1; --s) {
      const std::size_t other = random() % s;
      std::swap(springs.first[s - 1], springs.first[other]);
      std::swap(springs.second[s - 1], springs.second[other]);
      std::swap(springs.rest[s - 1], springs.rest[other]);
    }
  }
  const std::vector<double> masses(cloth.system.masses().begin(), cloth.system.masses().end());
  ClothSystem system(masses, springs, {}, {});
  ParticleVectors& x = cloth.state.x;
  std::mt19937 random(seed);
  if (seed % 3 == 0) {
    disturb(x, 0.03, seed);
  } else if (seed % 3 == 1) {
    disturb(x, 0.003, seed);
    const std::size_t pulled = random() % system.size();
    at(x, pulled) += Vector3(0.1, -0.1, 0.2);
    system.constraints().pin(pulled, at(x, pulled));
  } else {
    for (std::size_t i = 0; i < system.size(); ++i) {
      const Vector3 p = at(x, i);
      at(x, i) += Vector3(0.08 * std::sin(10.0 * p.y() + seed), 0.08 * std::sin(14.0 * p.x()),
                          0.15 * std::sin(6.0 * p.x() + seed));
    }
  }
  StrainLimiter limiter(system, {.most = 1.1, .sweeps = sweeps, .order = order});
  const ParticleVectors before = x;
  limiter.apply(system.constraints(), before, 1e-3, cloth.state);
  return limiter.largest_stretch(x);
}

/// Without an order is at random. The order in which a grid's springs are made is one, too: it
/// carries what it moves from row to row, and does better where all of the cloth is stretched.
TEST(StrainLimiter, the_most_stretched_first_leaves_less_on_average) {
  for (const std::size_t sweeps : {1u, 3u}) {
    double ordered = 0.0, unordered = 0.0, locally_ordered = 0.0, local_by_rows = 0.0;
    for (unsigned seed = 0; seed < 60; ++seed) {
      ordered += left_over(seed, true, Order::kMostStretchedFirst, sweeps);
      unordered += left_over(seed, true, Order::kOfSprings, sweeps);
      if (seed % 3 == 2) continue;
      locally_ordered += left_over(seed, false, Order::kMostStretchedFirst, sweeps);
      local_by_rows += left_over(seed, false, Order::kOfSprings, sweeps);
    }
    EXPECT_LT(ordered, unordered);
    EXPECT_LT(locally_ordered, local_by_rows);
  }
}

TEST(StrainLimiter, the_order_has_each_spring_once_and_classes_descend) {
  SampleCloth cloth = square_cloth(12, 0.1, cloth_materials(50.0));
  StrainLimiter limiter(cloth.system, {.order = Order::kMostStretchedFirst, .buckets = 20});
  const auto check = [&](double width) {
    const auto order = limiter.ordered(cloth.state.x);
    std::vector<std::uint32_t> sorted(order.begin(), order.end());
    std::sort(sorted.begin(), sorted.end());
    for (std::uint32_t s = 0; s < sorted.size(); ++s) ASSERT_EQ(sorted[s], s);
    EXPECT_EQ(sorted.size(), limiter.size());
    const Springs& springs = cloth.system.springs().springs();
    double last = HUGE_VAL;
    for (const std::uint32_t s : order) {
      const double stretch =
          (at(cloth.state.x, springs.first[s]) - at(cloth.state.x, springs.second[s])).norm() /
          springs.rest[s];
      EXPECT_LT(stretch, last + width);
      last = std::min(last, stretch);
    }
  };
  disturb(cloth.state.x, 0.04, 1);
  check((limiter.largest_stretch(cloth.state.x)) / 20.0);
  // All alike: one class, in the order of the springs.
  cloth.state = state_at_rest(cloth.mesh);
  check(1e-12);
  // Structural and shear alone; bend springs are not limited.
  const Springs& springs = cloth.system.springs().springs();
  EXPECT_EQ(limiter.size(), springs.size() - springs.count(SpringKind::kBend));
}

TEST(StrainLimiter, a_cloth_of_edges_without_forces_hangs_by_its_limits_alone) {
  SampleCloth cloth =
      square_cloth(10, 0.1, same_materials(0.0), ClothSurroundings{}, SpringTopology::kEdges);
  cloth.system.surroundings().air.drag = 0.01;
  for (const std::uint32_t i : grid_border(cloth.mesh, GridBorder::kTop)) {
    cloth.system.constraints().pin(i, at(cloth.state.x, i));
  }
  BasicVerlet verlet(cloth.system, 2e-3);
  StrainLimiter limiter(cloth.system, {.most = 1.02, .least = 0.98, .sweeps = 20});
  ParticleVectors before;
  for (int k = 0; k < 2000; ++k) {
    before = cloth.state.x;
    ASSERT_EQ(verlet.step(cloth.state), ClothStepResult::kOk);
    limiter.apply(cloth.system.constraints(), before, verlet.dt(), cloth.state);
  }
  EXPECT_LT(limiter.largest_stretch(cloth.state.x), 1.03);
  EXPECT_NEAR(cloth.state.x[2], -0.9, 0.05);
}

TEST(StrainLimiter, settings_out_of_range_are_refused) {
  SampleCloth sample = long_spring(1.0, 1.0);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(StrainLimiter(sample.system, {.most = 0.9}), InputError);
  EXPECT_THROW(StrainLimiter(sample.system, {.most = nan}), InputError);
  EXPECT_THROW(StrainLimiter(sample.system, {.least = 1.1}), InputError);
  EXPECT_THROW(StrainLimiter(sample.system, {.least = nan}), InputError);
  EXPECT_THROW(StrainLimiter(sample.system, {.sweeps = 0}), InputError);
  EXPECT_THROW(StrainLimiter(sample.system, {.buckets = 0}), InputError);
}

}  // namespace
}  // namespace haptic::cloth
