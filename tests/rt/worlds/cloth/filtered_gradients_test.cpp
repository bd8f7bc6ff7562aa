#include "rt/worlds/cloth/filtered_gradients.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "lab/samples/cloth_samples.h"
#include "tests/rt/worlds/cloth/dense_cloth.h"
#include "tests/support/no_allocation.h"

namespace haptic::cloth {
namespace {

/// A crumpled cloth with every kind of constraint, as a linear problem of a step of 10 ms.
struct Problem {
  SampleCloth cloth = square_cloth(6, 0.1, cloth_materials(100.0, 0.1), weightless());
  SpringOperator matrix{cloth.system.springs().springs(), cloth.system.size()};
  ParticleVectors b{cloth.state.x};
  static constexpr SpringOperator::Scales kScales{1.0, 0.01, 1e-4};

  Problem() {
    disturb(cloth.state.x, 0.03, 2);
    disturb(b, 1.0, 3);
    ParticleConstraints& constraints = cloth.system.constraints();
    constraints.pin(0, Vector3::Zero());
    constraints.follow(5, Vector3::Zero(), Vector3::Zero());
    constraints.keep_in_plane(14, Vector3::Zero(), Vector3(1.0, 2.0, 2.0) / 3.0);
    constraints.keep_on_line(21, Vector3::Zero(), Vector3(0.0, 3.0, 4.0) / 5.0);
    matrix.set(cloth.system, cloth.state.x, kScales);
  }

  /// The solution in the space of the constraints by a dense factorisation.
  Eigen::VectorXd dense() const {
    const Eigen::MatrixXd A = dense_matrix(cloth.system, cloth.state.x, kScales);
    const Eigen::Index size = A.rows();
    Eigen::MatrixXd S(size, size);
    for (Eigen::Index k = 0; k < size; ++k) {
      ParticleVectors unit(static_cast<std::size_t>(size));
      unit[static_cast<std::size_t>(k)] = 1.0;
      cloth.system.constraints().filter(unit);
      S.col(k) = as_vector(unit);
    }
    return S *
           (S * A * S + Eigen::MatrixXd::Identity(size, size) - S).ldlt().solve(S * as_vector(b));
  }
};

TEST(FilteredGradients, equals_the_dense_solution_under_constraints) {
  const Problem p;
  FilteredGradients gradients(p.cloth.system.springs().springs(), p.cloth.system.size(), 200,
                              1e-11);
  ParticleVectors z(p.b.size());
  FilteredGradients::Outcome outcome;
  {
    NoAllocation guard;
    outcome = gradients.solve(p.matrix, p.cloth.system.constraints(), p.b, z);
  }
  EXPECT_TRUE(outcome.converged);
  EXPECT_LT(outcome.residual, 1e-11);
  const Eigen::VectorXd exact = p.dense();
  EXPECT_LT((as_vector(z) - exact).norm(), 1e-8 * exact.norm());
  // The residual, computed anew: the recursion's own is within rounding of it.
  const Eigen::MatrixXd A = dense_matrix(p.cloth.system, p.cloth.state.x, Problem::kScales);
  const Eigen::VectorXd left = as_vector(p.b) - A * as_vector(z);
  ParticleVectors r(left.data(), left.data() + left.size()), b = p.b;
  p.cloth.system.constraints().filter(r);
  p.cloth.system.constraints().filter(b);
  EXPECT_LT(as_vector(r).norm(), 1e-9 * as_vector(b).norm());
  // From the solution it has nothing left to do.
  outcome = gradients.solve(p.matrix, p.cloth.system.constraints(), p.b, z);
  EXPECT_LE(outcome.iterations, 1u);
}

TEST(FilteredGradients, iterations_are_bounded_and_the_outcome_says_so) {
  const Problem p;
  FilteredGradients gradients(p.cloth.system.springs().springs(), p.cloth.system.size(), 3, 1e-11);
  ParticleVectors z(p.b.size());
  const auto outcome = gradients.solve(p.matrix, p.cloth.system.constraints(), p.b, z);
  EXPECT_EQ(outcome.iterations, 3u);
  EXPECT_FALSE(outcome.converged);
  EXPECT_GT(outcome.residual, 1e-11);
  // Short of the solution in the norm of the matrix.
  const Eigen::MatrixXd A = dense_matrix(p.cloth.system, p.cloth.state.x, Problem::kScales);
  const Eigen::VectorXd exact = p.dense(), found = as_vector(z);
  EXPECT_LT(found.dot(A * found), exact.dot(A * exact));
}

TEST(FilteredGradients, no_force_is_no_motion) {
  const Problem p;
  FilteredGradients gradients(p.cloth.system.springs().springs(), p.cloth.system.size(), 10, 1e-6);
  ParticleVectors b(p.b.size()), z(b.size(), 1.0);
  const auto outcome = gradients.solve(p.matrix, p.cloth.system.constraints(), b, z);
  EXPECT_TRUE(outcome.converged);
  EXPECT_EQ(outcome.iterations, 0u);
  EXPECT_EQ(z, b);
}

}  // namespace
}  // namespace haptic::cloth
