#include "rt/coupling/equilibrium_step.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <Eigen/QR>

#include "tests/rt/coupling/random_poses.h"

namespace haptic {
namespace {

Matrix6 random_orthogonal(RandomPoses& random) {
  Matrix6 m;
  for (int i = 0; i < 36; ++i) m.data()[i] = random.number(-1.0, 1.0);
  return Eigen::HouseholderQR<Matrix6>(m).householderQ();
}

Vector6 random_vector(RandomPoses& random) {
  Vector6 v;
  for (int i = 0; i < 6; ++i) v[i] = random.number(-1.0, 1.0);
  return v;
}

// Singular values `s` in the metre-scaled system of `length`.
Matrix6 matrix_with(const Vector6& s, double length, RandomPoses& random) {
  Vector6 scale;
  scale << 1.0, 1.0, 1.0, length, length, length;
  return scale.asDiagonal() * random_orthogonal(random) * s.asDiagonal() *
         random_orthogonal(random).transpose() * scale.asDiagonal();
}

TEST(EquilibriumStep, full_rank_equals_lu) {
  RandomPoses random(51);
  for (int i = 0; i < 2000; ++i) {
    Vector6 s;
    s[0] = 1000.0;
    for (int j = 1; j < 6; ++j) s[j] = 1000.0 * std::pow(10.0, -random.number(0.0, 2.9));
    if (i % 2) s[5] = 1.3;  // above the threshold, but past the Frobenius bound: the SVD path
    const double length = random.number(0.01, 10.0);
    const Matrix6 A = matrix_with(s, length, random);
    const Vector6 wrench = random_vector(random), toward = random_vector(random);
    const EquilibriumStep result = equilibrium_step(A, wrench, toward, length);
    EXPECT_EQ(result.degenerate, 0);
    const Vector6 exact = A.fullPivLu().solve(-wrench);
    EXPECT_LE((result.step - exact).norm(), 1e-9 * exact.norm());
  }
}

TEST(EquilibriumStep, degenerate_directions_follow_the_manipulandum) {
  RandomPoses random(52);
  for (int rank = 0; rank < 6; ++rank) {
    Vector6 s = Vector6::Zero();
    for (int j = 0; j < rank; ++j) s[j] = random.number(100.0, 1000.0);
    const Matrix6 A = matrix_with(s, 1.0, random);
    const Vector6 toward = random_vector(random);
    const Vector6 wrench = -A * random_vector(random);  // in the range of A
    const EquilibriumStep result = equilibrium_step(A, wrench, toward, 1.0);
    EXPECT_EQ(result.degenerate, 6 - rank);
    EXPECT_LE((A * result.step + wrench).norm(), 1e-9 * (1.0 + wrench.norm()));
    // What the contact does not decide is the way to M: the difference lies in the row space.
    const Vector6 rest = result.step - toward;
    const Eigen::CompleteOrthogonalDecomposition<Matrix6> row_space(A.transpose());
    if (rank == 0) {
      EXPECT_LE(rest.norm(), 1e-12);
    } else {
      EXPECT_LE((A.transpose() * row_space.solve(rest) - rest).norm(), 1e-9);
    }
  }
}

TEST(EquilibriumStep, does_not_depend_on_the_unit_of_length) {
  RandomPoses random(53);
  for (int i = 0; i < 200; ++i) {
    Vector6 s;
    for (int j = 0; j < 6; ++j) s[j] = 400.0 * std::pow(10.0, -random.number(0.0, 5.0));
    const double length = 0.05, unit = 1000.0;  // metres to millimetres
    const Matrix6 A = matrix_with(s, length, random);
    const Vector6 wrench = random_vector(random), toward = random_vector(random);
    Vector6 to_mm, load_mm;
    to_mm << unit, unit, unit, 1.0, 1.0, 1.0;    // displacements
    load_mm << 1.0, 1.0, 1.0, unit, unit, unit;  // force in N, torque in N mm
    const Matrix6 A_mm = load_mm.asDiagonal() * A * to_mm.cwiseInverse().asDiagonal();
    const EquilibriumStep m = equilibrium_step(A, wrench, toward, length);
    const EquilibriumStep mm = equilibrium_step(A_mm, load_mm.cwiseProduct(wrench),
                                                to_mm.cwiseProduct(toward), unit * length);
    EXPECT_EQ(m.degenerate, mm.degenerate);
    // The systems differ by rounding only; retained singular values amplify it by up to 1e3.
    EXPECT_LE((to_mm.cwiseProduct(m.step) - mm.step).norm(), 1e-8 * mm.step.norm());
  }
}

}  // namespace
}  // namespace haptic
