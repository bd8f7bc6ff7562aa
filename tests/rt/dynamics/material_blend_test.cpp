#include "rt/dynamics/material_blend.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "lab/samples/random_energy.h"
#include "rt/dynamics/central_differences.h"
#include "rt/dynamics/newmark_integrator.h"
#include "shared/error.h"
#include "tests/support/no_allocation.h"

namespace haptic {
namespace {

constexpr double kLambda[2] = {2.0, 5.0}, kMu[2] = {3.0, 1.5}, kDensity[2] = {1000.0, 400.0};

/// A body of two groups with random polynomials that add up to an energy and a unit mass.
struct TwoGroups {
  explicit TwoGroups(std::uint32_t dimension) : r(dimension) {
    for (std::uint32_t row = 0; row < 4; ++row) {
      parts.emplace_back(r, 0.3, row + 1);
      const StrainLikeCoefficients& part = parts.back();
      rows.energy.push_back(ReducedEnergy::layout(r, part.quadratic, part.cubic, part.quartic));
    }
    rows.dimension = r;
    rows.groups = {{"base", kLambda[0], kMu[0], kDensity[0]},
                   {"hard", kLambda[1], kMu[1], kDensity[1]}};
    const Eigen::MatrixXd half = Eigen::MatrixXd::Random(r, r);
    Eigen::MatrixXd first = half * half.transpose();
    first /= 2.0 * kDensity[0] * first.norm();
    const Eigen::MatrixXd second =
        (Eigen::MatrixXd::Identity(r, r) - kDensity[0] * first) / kDensity[1];
    for (const Eigen::MatrixXd& mass : {first, second}) {
      rows.mass.emplace_back(mass.data(), mass.data() + mass.size());
    }
  }
  /// What a precompute at these values gives.
  ReducedEnergy energy(std::array<double, 4> weights) const {
    StrainLikeCoefficients sum = parts.front();
    for (auto member : {&StrainLikeCoefficients::quadratic, &StrainLikeCoefficients::cubic,
                        &StrainLikeCoefficients::quartic}) {
      for (std::size_t t = 0; t < (sum.*member).size(); ++t) {
        double value = 0.0;
        for (std::size_t row = 0; row < 4; ++row) value += weights[row] * (parts[row].*member)[t];
        (sum.*member)[t] = value;
      }
    }
    return sum.energy();
  }
  ReducedEnergy baked() const { return energy({kLambda[0], kMu[0], kLambda[1], kMu[1]}); }

  std::uint32_t r;
  std::vector<StrainLikeCoefficients> parts;
  MaterialRows rows;
};

std::size_t index_of(const MaterialBlend& blend, MaterialBlend::Kind kind,
                     std::uint32_t group = 0) {
  const auto all = blend.parameters();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].kind == kind && all[i].group == group) return i;
  }
  ADD_FAILURE() << "no such parameter";
  return 0;
}

using Kind = MaterialBlend::Kind;

void expect_same(const ReducedEnergy& a, const ReducedEnergy& b, double tolerance) {
  for (std::uint32_t seed : {1u, 2u, 3u}) {
    const Eigen::VectorXd q = random_state(a.dimension(), seed);
    const Response x(a, q), y(b, q);
    EXPECT_LE((x.force - y.force).norm(), tolerance * y.force.norm());
    EXPECT_LE((x.stiffness - y.stiffness).norm(), tolerance * y.stiffness.norm());
  }
}

TEST(MaterialBlend, recombined_groups_equal_a_fresh_sum) {
  const TwoGroups body(7);
  const ReducedEnergy baked = body.baked();
  MaterialBlend blend({.energy = &baked, .damping = {0.2, 0.01}}, body.rows, 1e-3, 0.01);
  EXPECT_FALSE(blend.advance());
  expect_same(*blend.system().energy, baked, 0.0);
  EXPECT_TRUE(blend.system().mass.empty());

  ASSERT_TRUE(blend.set(index_of(blend, Kind::kLambda, 1), 0.7));
  ASSERT_TRUE(blend.set(index_of(blend, Kind::kMu, 0), 4.0));
  ASSERT_TRUE(blend.set(index_of(blend, Kind::kGroupDensity, 1), 900.0));
  ASSERT_TRUE(blend.set(index_of(blend, Kind::kStiffness), 2.0));
  ASSERT_TRUE(blend.set(index_of(blend, Kind::kDensity), 0.5));
  ASSERT_TRUE(blend.set(index_of(blend, Kind::kDamping), 3.0));
  for (int i = 0; i < 100; ++i) blend.advance();
  EXPECT_FALSE(blend.advance());
  expect_same(*blend.system().energy, body.energy({2.0 * kLambda[0], 8.0, 1.4, 2.0 * kMu[1]}),
              1e-12);
  EXPECT_DOUBLE_EQ(blend.system().damping.alpha, 0.6);
  EXPECT_DOUBLE_EQ(blend.system().damping.beta, 0.03);
  ASSERT_EQ(blend.system().mass.size(), 49U);
  for (std::size_t i = 0; i < 49; ++i) {
    EXPECT_NEAR(blend.system().mass[i],
                0.5 * (kDensity[0] * body.rows.mass[0][i] + 900.0 * body.rows.mass[1][i]), 1e-12);
  }
}

TEST(MaterialBlend, without_groups_the_whole_scales) {
  const StrainLikeCoefficients c(6, 0.3);
  const ReducedEnergy baked = c.energy();
  MaterialRows rows;
  rows.dimension = 6;
  rows.energy.push_back(ReducedEnergy::layout(6, c.quadratic, c.cubic, c.quartic));
  MaterialBlend blend({.energy = &baked}, rows, 1e-3, 0.0);
  EXPECT_EQ(blend.parameters().size(), 3U);
  ASSERT_TRUE(blend.set(0, 3.0));
  ASSERT_TRUE(blend.set(1, 4.0));
  EXPECT_TRUE(blend.advance());
  EXPECT_FALSE(blend.advance());
  StrainLikeCoefficients scaled = c;
  for (auto* values : {&scaled.quadratic, &scaled.cubic, &scaled.quartic}) {
    for (double& value : *values) value *= 3.0;
  }
  expect_same(*blend.system().energy, scaled.energy(), 1e-14);
  for (std::size_t i = 0; i < 36; ++i) {
    EXPECT_EQ(blend.system().mass[i], i % 7 == 0 ? 4.0 : 0.0);
  }
}

// A body held deformed by a constant force gets four times as stiff and as dense: it creeps to its
// new place, and no step is more than a small part of the way.
TEST(MaterialBlend, a_change_while_deformed_is_smooth) {
  const TwoGroups body(8);
  const ReducedEnergy baked = body.baked();
  const double dt = 1e-3;
  MaterialBlend blend({.energy = &baked, .damping = {20.0, 0.05}}, body.rows, dt, 0.2);
  NewmarkIntegrator integrator(blend.system(), dt);
  const Eigen::VectorXd f = random_state(8, 4, 20.0);
  for (int i = 0; i < 5000; ++i) ASSERT_EQ(integrator.step(view(f)), StepResult::kOk);
  const Eigen::VectorXd before = vector_of(integrator.state().q);

  ASSERT_TRUE(blend.set(index_of(blend, Kind::kStiffness), 4.0));
  ASSERT_TRUE(blend.set(index_of(blend, Kind::kGroupDensity, 0), 4.0 * kDensity[0]));
  double largest_step = 0.0;
  Eigen::VectorXd last = before;
  for (int i = 0; i < 5000; ++i) {
    if (blend.advance()) integrator.set_system(blend.system());
    ASSERT_EQ(integrator.step(view(f)), StepResult::kOk);
    const Eigen::VectorXd q = vector_of(integrator.state().q);
    largest_step = std::max(largest_step, (q - last).norm());
    last = q;
  }
  const double way = (last - before).norm();
  EXPECT_GT(way, 0.3 * before.norm());
  // 200 cycles of ramp: an even blend would be 0.5 % a cycle.
  EXPECT_LE(largest_step, 0.03 * way);
  const Response rest(*blend.system().energy, last);
  EXPECT_LE((rest.force - f).norm(), 1e-6 * f.norm());
}

TEST(MaterialBlend, a_cycle_weighs_a_bounded_part) {
  const TwoGroups body(30);
  const ReducedEnergy baked = body.baked();
  MaterialBlend blend({.energy = &baked}, body.rows, 1e-3, 0.0);
  ASSERT_TRUE(blend.set(index_of(blend, Kind::kMu, 1), 2.0));
  const ReducedEnergy* const first = blend.system().energy;
  int cycles = 0;
  {
    NoAllocation guard;
    for (; blend.system().energy == first && cycles < 1000; ++cycles) blend.advance();
  }
  const std::size_t work = 4 * ReducedEnergy::layout_size(30);
  const std::size_t fewest = work / MaterialBlend::kBlendBudget;
  EXPECT_GE(static_cast<std::size_t>(cycles), fewest);
  EXPECT_LE(static_cast<std::size_t>(cycles), fewest + 2);
  expect_same(*blend.system().energy, body.energy({kLambda[0], kMu[0], kLambda[1], 2.0}), 1e-12);
}

// Another number of basis vectors composes with a changed material: energy and mass are the leading
// part of those of the whole body, and no cycle weighs more than with all of them.
TEST(MaterialBlend, fewer_basis_vectors_of_a_changed_material) {
  const TwoGroups body(17);
  const ReducedEnergy baked = body.baked();
  MaterialBlend whole({.energy = &baked}, body.rows, 1e-3, 0.0);
  MaterialBlend blend({.energy = &baked}, body.rows, 1e-3, 0.0);
  for (MaterialBlend* const b : {&whole, &blend}) {
    ASSERT_TRUE(b->set(index_of(*b, Kind::kMu, 1), 2.0));
    ASSERT_TRUE(b->set(index_of(*b, Kind::kGroupDensity, 0), 900.0));
  }
  while (whole.advance()) {
  }
  for (int i = 0; i < 10; ++i) whole.advance();
  for (const std::uint32_t d : {5u, 16u, 1u, 17u, 8u}) {
    {
      NoAllocation guard;
      blend.select(d);
      for (int i = 0; i < 10 && blend.system().energy->dimension() != d; ++i) blend.advance();
    }
    ASSERT_EQ(blend.system().energy->dimension(), d);
    EXPECT_FALSE(blend.advance());
    Eigen::VectorXd q = Eigen::VectorXd::Zero(17);
    q.head(d) = random_state(d, d);
    const Response all(*whole.system().energy, q), own(*blend.system().energy, q.head(d));
    // The same terms, summed in another order.
    EXPECT_LE((own.force - all.force.head(d)).norm(), 1e-13 * all.force.norm()) << d;
    EXPECT_LE((own.stiffness - all.stiffness.topLeftCorner(d, d)).norm(),
              1e-13 * all.stiffness.norm())
        << d;
    ASSERT_EQ(blend.system().mass.size(), std::size_t{d} * d);
    for (std::size_t i = 0; i < d; ++i) {
      for (std::size_t j = 0; j < d; ++j) {
        EXPECT_EQ(blend.system().mass[i * d + j], whole.system().mass[i * 17 + j]);
      }
    }
  }
}

TEST(MaterialBlend, values_out_of_range_are_refused) {
  const TwoGroups body(3);
  const ReducedEnergy baked = body.baked();
  MaterialBlend blend({.energy = &baked}, body.rows, 1e-3, 0.1);
  for (std::size_t i = 0; i < blend.parameters().size(); ++i) {
    const double before = blend.value(i);
    const auto& p = blend.parameters()[i];
    EXPECT_GE(before, p.minimum);
    EXPECT_LE(before, p.maximum);
    EXPECT_FALSE(blend.set(i, p.maximum * 1.01));
    EXPECT_FALSE(blend.set(i, p.minimum - 1.0));
    EXPECT_FALSE(blend.set(i, std::nan("")));
    EXPECT_EQ(blend.value(i), before);
  }
  EXPECT_FALSE(blend.set(blend.parameters().size(), 1.0));
  EXPECT_THROW(MaterialBlend({.energy = &baked}, body.rows, 1e-3, -1.0), InputError);
  EXPECT_THROW(MaterialBlend({.energy = &baked}, TwoGroups(4).rows, 1e-3, 0.1), InputError);
}

/// Largest |q| over that at the start, in 2000 steps of central differences after `factor` of the
/// stiffness has been set; infinite if a step is refused.
double excursion(const TwoGroups& body, double dt, double factor) {
  const ReducedEnergy baked = body.baked();
  MaterialBlend blend({.energy = &baked}, body.rows, dt, 0.0);
  EXPECT_TRUE(blend.set(index_of(blend, Kind::kStiffness), factor));
  CentralDifferences integrator(blend.system(), dt);
  // So small that the body is linear.
  const Eigen::VectorXd q = random_state(body.r, 1, 1e-6), none = Eigen::VectorXd::Zero(body.r);
  EXPECT_EQ(integrator.set_state(view(q), view(none), view(none)), StepResult::kOk);
  double largest = q.norm();
  for (int i = 0; i < 2000; ++i) {
    if (blend.advance()) integrator.set_system(blend.system());
    if (integrator.step(view(none)) != StepResult::kOk) return INFINITY;
    largest = std::max(largest, vector_of(integrator.state().q).norm());
  }
  return largest / q.norm();
}

// dt is 0.8 of the largest stable step, so the stiffness may grow by 1 / 0.64.
TEST(MaterialBlend, an_explicit_step_bounds_the_stiffness) {
  const TwoGroups body(6);
  const ReducedEnergy baked = body.baked();
  const double dt = 0.8 * 2.0 / largest_angular_frequency(baked);
  MaterialBlend blend({.energy = &baked}, body.rows, dt, 0.0, MaterialBlend::Stepping::kExplicit);
  const std::size_t stiffness = index_of(blend, Kind::kStiffness);
  EXPECT_FALSE(blend.set(stiffness, 1.6));
  const MaterialBlend::Range range = blend.allowed(stiffness, 1.6);
  EXPECT_EQ(range.minimum, blend.parameters()[stiffness].minimum);
  // The mass of the rows is I to 1e-15, and the limit is found by halving twelve times.
  EXPECT_NEAR(range.maximum, 1.0 / 0.64, 1e-3);
  EXPECT_TRUE(blend.set(stiffness, range.maximum));
  EXPECT_EQ(blend.allowed(stiffness, 1.0).maximum, blend.parameters()[stiffness].maximum);

  // What it refuses does diverge, what it accepts does not: at 0.999 of the limit the fast mode is
  // amplified by at most 1 / sqrt(1 - 0.999) = 32.
  EXPECT_GT(excursion(body, dt, 1.6), 1e6);
  EXPECT_LT(excursion(body, dt, 0.999 / 0.64), 40.0);
}

TEST(MaterialBlend, an_explicit_step_counts_the_worse_end_of_every_ramp) {
  const TwoGroups body(6);
  const ReducedEnergy baked = body.baked();
  const double dt = 0.8 * 2.0 / largest_angular_frequency(baked);
  MaterialBlend blend({.energy = &baked}, body.rows, dt, 10.0 * dt,
                      MaterialBlend::Stepping::kExplicit);
  const std::size_t stiffness = index_of(blend, Kind::kStiffness),
                    density = index_of(blend, Kind::kDensity),
                    damping = index_of(blend, Kind::kDamping);
  EXPECT_FALSE(blend.set(density, 0.6));
  EXPECT_NEAR(blend.allowed(density, 0.6).minimum, 0.64, 1e-3);
  EXPECT_TRUE(blend.set(damping, 1e3));  // does not change the limit
  ASSERT_TRUE(blend.set(density, 4.0));
  EXPECT_FALSE(blend.set(stiffness, 4.0));  // while the density is still that of the bake
  for (int i = 0; i < 20; ++i) blend.advance();
  ASSERT_TRUE(blend.set(stiffness, 4.0));
  for (int i = 0; i < 20; ++i) blend.advance();
  EXPECT_FALSE(blend.set(density, 1.0));
  ASSERT_TRUE(blend.set(stiffness, 1.0));
  EXPECT_FALSE(blend.set(density, 1.0));  // before the body is soft again
  for (int i = 0; i < 20; ++i) blend.advance();
  EXPECT_TRUE(blend.set(density, 1.0));
}

TEST(MaterialBlend, an_explicit_step_bounds_the_values_of_a_group) {
  const TwoGroups body(6);
  const ReducedEnergy baked = body.baked();
  const double dt = 0.8 * 2.0 / largest_angular_frequency(baked);
  MaterialBlend blend({.energy = &baked}, body.rows, dt, 0.0, MaterialBlend::Stepping::kExplicit);
  const std::size_t mu = index_of(blend, Kind::kMu, 1);
  MaterialBlend::Range range{};
  bool set = true;
  {
    NoAllocation guard;
    set = blend.set(mu, 100.0 * kMu[1]);
    range = blend.allowed(mu, 100.0 * kMu[1]);
  }
  EXPECT_FALSE(set);
  const auto of_limit = [&](double value) {
    const ReducedEnergy changed = body.energy({kLambda[0], kMu[0], kLambda[1], value});
    return dt * largest_angular_frequency(changed) / 2.0;
  };
  EXPECT_LT(of_limit(range.maximum), 1.0);
  // A halving of two decades, twelve times: 0.11 % of the value.
  EXPECT_GT(of_limit(1.002 * range.maximum), 1.0);
  // mu and lambda belong together whatever the integrator.
  const std::size_t lambda = index_of(blend, Kind::kLambda, 0);
  EXPECT_EQ(blend.allowed(lambda, 0.0).minimum, blend.parameters()[lambda].minimum);
}

}  // namespace
}  // namespace haptic
