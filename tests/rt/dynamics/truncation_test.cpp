#include "rt/dynamics/truncation.h"

#include <gtest/gtest.h>

#include "lab/samples/random_energy.h"

namespace haptic {
namespace {

// The energy of the first coordinates is that of all with the others at zero (acceptance test 14).
TEST(Truncation, leading_coefficients_are_the_energy_of_the_leading_coordinates) {
  const RandomCoefficients all(7);
  const ReducedEnergy whole = all.energy();
  for (std::uint32_t kept : {1u, 2u, 5u, 7u}) {
    const ReducedEnergy leading(kept, leading_entries(all.quadratic, 7, 2, kept),
                                leading_entries(all.cubic, 7, 3, kept),
                                leading_entries(all.quartic, 7, 4, kept));
    const Eigen::VectorXd q = random_state(kept, 3);
    Eigen::VectorXd padded = Eigen::VectorXd::Zero(7);
    padded.head(kept) = q;
    const Response a(leading, q), b(whole, padded);
    EXPECT_LE((a.force - b.force.head(kept)).norm(), 1e-13 * b.force.norm()) << kept;
    EXPECT_LE((a.stiffness - b.stiffness.topLeftCorner(kept, kept)).norm(),
              1e-13 * b.stiffness.norm());
  }
}

TEST(Truncation, of_the_viscous_sums_keeps_leading_rows_and_pairs) {
  // Numbers that name their place: l, i, j as digits.
  std::vector<double> mixed, triangle;
  std::vector<double> pairs;
  for (int i = 0; i < 3; ++i) {
    for (int j = i; j < 3; ++j) pairs.push_back(10 * i + j);
  }
  for (int l = 0; l < 3; ++l) {
    for (double pair : pairs) mixed.push_back(100 * l + pair);
  }
  for (std::size_t a = 0; a < pairs.size(); ++a) {
    for (std::size_t b = a; b < pairs.size(); ++b) triangle.push_back(100 * pairs[a] + pairs[b]);
  }
  EXPECT_EQ(leading_mixed(mixed, 3, 2), (std::vector<double>{0, 1, 11, 100, 101, 111}));
  EXPECT_EQ(leading_pair_triangle(triangle, 3, 2), (std::vector<double>{0, 1, 11, 101, 111, 1111}));
}

}  // namespace
}  // namespace haptic
