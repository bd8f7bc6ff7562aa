// Modal derivatives of a free body as published (docs/methods/reduced-dynamics.md, "Free bodies").
#include "lab/reduction/minres_derivatives.h"

#include <gtest/gtest.h>

#include "host/reduction/free_derivatives.h"
#include "tests/host/reduction/beam.h"

namespace haptic::lab {
namespace {

TEST(MinresDerivatives, both_published_regularisers_agree_with_the_deflated_solve) {
  const StvkModel model = lopsided_block();
  const LinearModes modes = free_linear_modes(model, 14);
  const FreeDerivatives free(model, modes, 6, 4);
  for (const int i : {0, 3}) {
    const Eigen::MatrixXd deflated = free.solve(i);
    for (const auto regulariser : {ClusterRegulariser::kMass, ClusterRegulariser::kEuclidean}) {
      const Eigen::MatrixXd other = minres_derivatives(model, modes, 6, 4, i, regulariser);
      for (int j = 0; j < 4; ++j) {
        // MINRES stops at 1e-13 of its preconditioned residual, times a condition of some 1e4.
        EXPECT_LE((deflated.col(j) - other.col(j)).norm(), 1e-8 * deflated.col(j).norm());
      }
    }
  }
}

}  // namespace
}  // namespace haptic::lab
