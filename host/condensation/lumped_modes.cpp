#include "host/condensation/lumped_modes.h"

#include <Eigen/Eigenvalues>

#include "host/reduction/canonical_sign.h"
#include "shared/assert.h"
#include "shared/error.h"

namespace haptic {
namespace {

LinearModes dense_modes(const StvkModel& model, int k) {
  const Eigen::VectorXd mass = model.mass().diagonal();
  const Eigen::VectorXd scale = mass.cwiseSqrt().cwiseInverse();
  Eigen::MatrixXd A = model.stiffness_at_rest();
  A = scale.asDiagonal() * A * scale.asDiagonal();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> pairs(A);
  if (pairs.info() != Eigen::Success) {
    throw OperationError("modes: the dense eigenvalue problem did not converge");
  }
  LinearModes modes;
  modes.eigenvalues = pairs.eigenvalues().head(k);
  Eigen::MatrixXd shapes = scale.asDiagonal() * pairs.eigenvectors().leftCols(k);
  make_largest_component_positive(shapes);
  modes.shapes = model.expand(shapes);
  return modes;
}

}  // namespace

LinearModes lumped_modes(const StvkModel& model, const SparseFactorization& rest_stiffness, int k) {
  HAPTIC_DEMAND(model.mass_kind() == MassKind::kLumped);
  HAPTIC_DEMAND(k >= 1 && k <= model.free_dof_count());
  return 4 * k > model.free_dof_count() ? dense_modes(model, k)
                                        : linear_modes(model, rest_stiffness, k);
}

}  // namespace haptic
