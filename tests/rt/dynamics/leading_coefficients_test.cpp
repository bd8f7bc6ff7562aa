#include "rt/dynamics/leading_coefficients.h"

#include <gtest/gtest.h>

#include <cstring>

#include "lab/samples/random_energy.h"
#include "rt/dynamics/reduced_energy.h"
#include "rt/dynamics/truncation.h"
#include "tests/rt/dynamics/simd_targets.h"
#include "tests/support/no_allocation.h"

namespace haptic {
namespace {

const char* variable_of(SimdTarget target) {
  return target == SimdTarget::kAvx512 ? "avx512" : "avx2";
}

// For each d, the leading coefficients give the force, stiffness and energy of a
// precompute with d basis vectors, bit for bit, because they are in the same places.
TEST(LeadingCoefficients, give_the_energy_of_the_first_basis_vectors_bit_for_bit) {
  for (const SimdTarget target : supported_simd_targets()) {
    const ForcedSimdTarget forced(variable_of(target));
    for (const std::uint32_t r : {1u, 2u, 4u, 7u, 8u, 9u, 16u, 21u, 30u}) {
      for (const auto storage : {CoefficientStorage::kDouble, CoefficientStorage::kFloat}) {
        const RandomCoefficients c(r);
        ReducedEnergy energy(r, c.quadratic, c.cubic, c.quartic, storage);
        const auto whole = ReducedEnergy::layout(r, c.quadratic, c.cubic, c.quartic);
        const QuarticLayout layout(r, target);
        const QuarticPlaces places(layout);
        ReducedEnergy::Workspace workspace(r);
        for (std::uint32_t d = r; d >= 1; --d) {
          const LeadingCoefficients leading(layout, places, target, d);
          const double* const row = whole.data();
          const double one = 1.0;
          {
            NoAllocation guard;
            const std::size_t count = leading.layout().coefficient_count;
            const std::size_t half = count / 2 / layout.lanes * layout.lanes;
            energy.blend_leading(leading, {&row, 1}, {&one, 1}, 0, half);
            energy.blend_leading(leading, {&row, 1}, {&one, 1}, half, count - half);
            energy.set_layout(leading.layout());
          }
          const ReducedEnergy fresh(d, leading_entries(c.quadratic, r, 2, d),
                                    leading_entries(c.cubic, r, 3, d),
                                    leading_entries(c.quartic, r, 4, d), storage);
          const Eigen::VectorXd q = random_state(d, d);
          const Response expected(fresh, q);
          Eigen::VectorXd force(d);
          Eigen::MatrixXd stiffness(d, d);
          energy.force_and_stiffness(view(q), view(force), view(stiffness), workspace);
          ASSERT_EQ(force, expected.force) << r << " " << d;
          ASSERT_EQ(stiffness, expected.stiffness) << r << " " << d;
          ASSERT_EQ(energy.energy(view(q)), fresh.energy(view(q))) << r << " " << d;
        }
      }
    }
  }
}

}  // namespace
}  // namespace haptic
