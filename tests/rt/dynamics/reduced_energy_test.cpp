#include "rt/dynamics/reduced_energy.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "lab/oracle/packed_polynomials.h"
#include "lab/samples/random_energy.h"
#include "shared/error.h"
#include "tests/rt/dynamics/simd_targets.h"
#include "tests/support/no_allocation.h"
#include "tests/support/relative_error.h"

namespace haptic {
namespace {

RC_GTEST_PROP(ReducedEnergy, one_pass_equals_the_packed_form, ()) {
  const auto r = *rc::gen::inRange<std::uint32_t>(1, 14);
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  const RandomCoefficients c(r, seed);
  const PackedPolynomials packed(r, c.quadratic, c.cubic, c.quartic);
  const Eigen::VectorXd q = random_state(r, seed + 1);
  const ReducedEnergy energy = c.energy();
  const Response fast(energy, q);
  // Round-off of at most a few thousand terms of order one.
  RC_ASSERT((fast.stiffness - packed.stiffness(q)).norm() <=
            1e-13 * (1.0 + packed.stiffness(q).norm()));
  RC_ASSERT((fast.force - packed.force(q)).norm() <= 1e-13 * (1.0 + packed.force(q).norm()));
}

/// Every dimension on every instruction set of this machine.
class ReducedEnergyOfDimension
    : public testing::TestWithParam<std::tuple<std::uint32_t, SimdTarget>> {
 protected:
  static std::uint32_t dimension() { return std::get<0>(GetParam()); }

 private:
  ForcedSimdTarget simd_{name_of(std::get<1>(GetParam()))};
};

TEST_P(ReducedEnergyOfDimension, one_pass_equals_the_packed_form) {
  const RandomCoefficients c(dimension());
  const PackedPolynomials packed(c.r, c.quadratic, c.cubic, c.quartic);
  const ReducedEnergy energy = c.energy();
  const Eigen::VectorXd q = random_state(c.r, 5);
  const Response fast(energy, q);
  EXPECT_LE((fast.stiffness - packed.stiffness(q)).norm(), 1e-13 * packed.stiffness(q).norm());
  EXPECT_LE((fast.force - packed.force(q)).norm(), 1e-13 * packed.force(q).norm());
}

TEST_P(ReducedEnergyOfDimension, stiffness_and_force_are_derivatives) {
  const RandomCoefficients c(dimension());
  const ReducedEnergy energy = c.energy();
  const Eigen::VectorXd q = random_state(c.r, 9), direction = random_state(c.r, 10);
  const Response at_q(energy, q);
  EXPECT_EQ(at_q.stiffness, at_q.stiffness.transpose());

  // Central differences of polynomials of degree 4: error h^2 of the third derivative plus
  // round-off / h.
  const double h = 1e-5;
  const Response plus(energy, q + h * direction), minus(energy, q - h * direction);
  const Eigen::VectorXd slope = (plus.force - minus.force) / (2.0 * h);
  EXPECT_LE((at_q.stiffness * direction - slope).norm(), 1e-7 * slope.norm());
  const double power =
      (energy_at(energy, q + h * direction) - energy_at(energy, q - h * direction)) / (2.0 * h);
  const double scale = at_q.force.norm() * direction.norm();
  EXPECT_NEAR(at_q.force.dot(direction), power, 1e-7 * scale);
}

// What the loop takes for a fault shows in the force, and a workspace is as good as new after it.
TEST_P(ReducedEnergyOfDimension, a_state_that_is_not_finite_is_visible_and_has_no_lasting_effect) {
  const RandomCoefficients c(dimension());
  const ReducedEnergy energy = c.energy();
  ReducedEnergy::Workspace used(c.r), fresh(c.r);
  const Eigen::VectorXd q = random_state(c.r, 5);
  Eigen::VectorXd force(c.r), expected(c.r);
  Eigen::MatrixXd stiffness(c.r, c.r), expected_stiffness(c.r, c.r);
  const std::size_t size = std::size_t{c.r} * c.r;
  for (Eigen::Index at : {Eigen::Index{0}, Eigen::Index{c.r} / 2, Eigen::Index{c.r} - 1}) {
    for (double value :
         {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
      Eigen::VectorXd broken = q;
      broken[at] = value;
      energy.evaluate({broken.data(), c.r}, {force.data(), c.r}, used);
      EXPECT_FALSE(force.allFinite()) << at;
    }
  }
  energy.force_and_stiffness({q.data(), c.r}, {force.data(), c.r}, {stiffness.data(), size}, used);
  energy.force_and_stiffness({q.data(), c.r}, {expected.data(), c.r},
                             {expected_stiffness.data(), size}, fresh);
  EXPECT_EQ(force, expected);
  EXPECT_EQ(stiffness, expected_stiffness);
}

TEST_P(ReducedEnergyOfDimension, evaluation_does_not_allocate) {
  const RandomCoefficients c(dimension());
  const ReducedEnergy energy = c.energy();
  const Eigen::VectorXd q = random_state(c.r, 5);
  Eigen::VectorXd force(c.r);
  Eigen::MatrixXd stiffness(c.r, c.r);
  ReducedEnergy::Workspace workspace(c.r);
  double value = 0.0;
  {
    NoAllocation guard;
    energy.force_and_stiffness({q.data(), c.r}, {force.data(), c.r},
                               {stiffness.data(), std::size_t{c.r} * c.r}, workspace);
    value = energy.energy({q.data(), c.r});
  }
  EXPECT_TRUE(std::isfinite(value) && force.allFinite() && stiffness.allFinite());
}

TEST_P(ReducedEnergyOfDimension, force_is_the_stiffness_of_each_degree_times_q) {
  const RandomCoefficients c(dimension());
  const ReducedEnergy energy = c.energy();
  const Eigen::VectorXd q = random_state(c.r, 9), rest = Eigen::VectorXd::Zero(c.r);
  // K0, K1 and K2 are the parts of K of degree 0, 1 and 2; the force is the separate cubic's.
  const Response plus(energy, q), minus(energy, -q), at_rest(energy, rest);
  const Eigen::MatrixXd K0 = at_rest.stiffness, K1 = 0.5 * (plus.stiffness - minus.stiffness),
                        K2 = 0.5 * (plus.stiffness + minus.stiffness) - K0;
  const PackedPolynomials packed(c.r, c.quadratic, c.cubic, c.quartic);
  const Eigen::VectorXd euler = (K0 + K1 / 2.0 + K2 / 3.0) * q;
  EXPECT_LE((euler - packed.force(q)).norm(), 1e-13 * packed.force(q).norm());
  EXPECT_LE((euler - plus.force).norm(), 1e-13 * plus.force.norm());
}

TEST_P(ReducedEnergyOfDimension, evaluations_repeat_bit_for_bit) {
  const RandomCoefficients c(dimension());
  const ReducedEnergy one = c.energy(), two = c.energy();
  const Eigen::VectorXd q = random_state(c.r, 5);
  const Response a(one, q), b(two, q);
  EXPECT_EQ(a.force, b.force);
  EXPECT_EQ(a.stiffness, b.stiffness);
}

// Float storage rounds each coefficient to half a unit in the 24th bit and does arithmetic in
// double, so the error stays near 2^-25 of the terms, whatever the size of q.
TEST_P(ReducedEnergyOfDimension, float_storage_costs_a_rounding_of_each_coefficient) {
  const StrainLikeCoefficients c(std::min(dimension(), 25u));
  const ReducedEnergy exact = c.energy();
  const ReducedEnergy rounded(c.r, c.quadratic, c.cubic, c.quartic, CoefficientStorage::kFloat);
  for (double size :
       {1e-3, 0.1, 1.0, 10.0}) {  // 10: the quartic is a hundred times the linear part
    for (std::uint32_t seed = 0; seed < 5; ++seed) {
      const Eigen::VectorXd q = random_state(c.r, seed, size);
      const Response a(rounded, q), b(exact, q);
      EXPECT_LE((a.stiffness - b.stiffness).norm(), 1e-7 * b.stiffness.norm()) << size;
      // The terms of the force cancel, by a factor of ten at most here.
      EXPECT_LE((a.force - b.force).norm(), 1e-6 * b.force.norm()) << size;
      EXPECT_NE(a.force, b.force);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(R, ReducedEnergyOfDimension,
                         testing::Combine(testing::Values(1, 2, 3, 4, 5, 6, 7, 8, 12, 15, 20, 25,
                                                          30, 33, 40),
                                          testing::ValuesIn(supported_simd_targets())),
                         [](const auto& at) {
                           return fmt::format("{}_{}", std::get<0>(at.param),
                                              name_of(std::get<1>(at.param)));
                         });

TEST(ReducedEnergy, instruction_set_is_the_requested_one) {
  const RandomCoefficients c(3);
  {
    const ForcedSimdTarget forced("avx2");
    EXPECT_EQ(c.energy().simd(), SimdTarget::kAvx2);
  }
  const ForcedSimdTarget unknown("avx1024");
  EXPECT_THROW(c.energy(), InputError);
}

TEST(ReducedEnergy, largest_dimension_does_not_allocate) {
  const RandomCoefficients c(kMaxReducedDimension);
  const ReducedEnergy energy = c.energy();
  const Eigen::VectorXd q = random_state(c.r, 5), direction = random_state(c.r, 6);
  Eigen::VectorXd force(c.r);
  Eigen::MatrixXd stiffness(c.r, c.r);
  ReducedEnergy::Workspace workspace(c.r);
  {
    NoAllocation guard;
    energy.force_and_stiffness({q.data(), c.r}, {force.data(), c.r},
                               {stiffness.data(), std::size_t{c.r} * c.r}, workspace);
  }
  const double h = 1e-5;
  const Eigen::VectorXd slope =
      (Response(energy, q + h * direction).force - Response(energy, q - h * direction).force) /
      (2.0 * h);
  EXPECT_LE((stiffness * direction - slope).norm(), 1e-7 * slope.norm());
}

// The sizes in Barbic 2007, figure 2.8, prove the shape of the packed form.
TEST(ReducedEnergy, packed_sizes) {
  for (const auto& [r, bytes] : {std::pair{12u, 100368u}, {15u, 228360u}, {30u, 3154320u}}) {
    const RandomCoefficients c(r);
    EXPECT_EQ(PackedPolynomials(r, c.quadratic, c.cubic, c.quartic).byte_count(), bytes);
  }
  // What a model file has instead: distinct coefficients (docs/artifact.md).
  EXPECT_EQ(distinct_count(30, 2) + distinct_count(30, 3) + distinct_count(30, 4), 46345u);
}

TEST(ReducedEnergy, blend_equals_an_energy_of_the_summed_coefficients) {
  const std::uint32_t r = 9;
  const RandomCoefficients one(r, 1), two(r, 2);
  const auto row_of = [](const RandomCoefficients& c) {
    return ReducedEnergy::layout(c.r, c.quadratic, c.cubic, c.quartic);
  };
  const AlignedVector<double> row_one = row_of(one), row_two = row_of(two);
  ASSERT_EQ(row_one.size(), ReducedEnergy::layout_size(r));
  const double* const rows[] = {row_one.data(), row_two.data()};
  const double weights[] = {0.75, -2.5};

  RandomCoefficients sum(r);
  const auto add = [&](auto member) {
    for (std::size_t t = 0; t < (sum.*member).size(); ++t) {
      (sum.*member)[t] = weights[0] * (one.*member)[t] + weights[1] * (two.*member)[t];
    }
  };
  add(&RandomCoefficients::quadratic);
  add(&RandomCoefficients::cubic);
  add(&RandomCoefficients::quartic);

  const Eigen::VectorXd q = random_state(r, 3);
  for (CoefficientStorage storage : {CoefficientStorage::kDouble, CoefficientStorage::kFloat}) {
    ReducedEnergy blended(r, one.quadratic, one.cubic, one.quartic, storage);
    {
      NoAllocation guard;
      blended.blend(rows, weights);
    }
    const ReducedEnergy fresh(r, sum.quadratic, sum.cubic, sum.quartic, storage);
    const Response a(blended, q), b(fresh, q);
    // Rounding of the sums; one float ulp where it tips the rounding to float.
    const double tolerance = storage == CoefficientStorage::kDouble ? 1e-14 : 1e-7;
    EXPECT_LE(relative_error(a.force, b.force), tolerance);
    EXPECT_LE(relative_error(a.stiffness, b.stiffness), tolerance);
    EXPECT_NEAR(energy_at(blended, q), energy_at(fresh, q),
                tolerance * std::abs(energy_at(fresh, q)) * 10.0);
  }
}

TEST(ReducedEnergy, bad_coefficients_are_refused) {
  const RandomCoefficients c(4);
  EXPECT_THROW(ReducedEnergy(5, c.quadratic, c.cubic, c.quartic), InputError);
  EXPECT_THROW(ReducedEnergy(0, {}, {}, {}), InputError);
  RandomCoefficients nan(4);
  nan.quartic[3] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(nan.energy(), InputError);
  RandomCoefficients large(4);
  large.quartic[3] = 1e39;
  EXPECT_NO_THROW(large.energy());
  EXPECT_THROW(
      ReducedEnergy(4, large.quadratic, large.cubic, large.quartic, CoefficientStorage::kFloat),
      InputError);
}

}  // namespace
}  // namespace haptic
