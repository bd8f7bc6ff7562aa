#include "lab/linear_reference/small_system.h"

#include <Eigen/QR>

namespace haptic::lab {

Eigen::VectorXd solve_contacts(const Eigen::MatrixXd& S, const Eigen::VectorXd& b,
                               double tolerance) {
  if (b.size() == 0) return b;
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> decomposition;
  decomposition.setThreshold(tolerance);
  decomposition.compute(S);
  return decomposition.solve(b);
}

}  // namespace haptic::lab
