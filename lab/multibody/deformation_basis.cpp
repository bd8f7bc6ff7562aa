#include "lab/multibody/deformation_basis.h"

#include <fmt/format.h>

#include "host/reduction/free_derivatives.h"
#include "host/reduction/mass_pca.h"
#include "host/reduction/modal_basis.h"
#include "shared/error.h"

namespace haptic {
namespace {

constexpr int kRigid = 6;
// More modes than the k that take part, so that a cluster cut by k is known completely.
constexpr int kSpare = 4;

}  // namespace

Eigen::MatrixXd deformation_basis(const StvkModel& model, int k, int r) {
  if (model.free_rigid_motions() != kRigid) {
    throw InputError("deformation basis", "fixed vertices",
                     fmt::format("found {} free rigid motions", model.free_rigid_motions()),
                     "6, a body without fixed vertices");
  }
  const LinearModes modes = free_linear_modes(model, kRigid + k + kSpare);
  const FreeDerivatives derivatives(model, modes, kRigid, k);
  Eigen::MatrixXd raw(model.free_dof_count(), k * k);
  for (int i = 0; i < k; ++i) {
    raw.middleCols(i * k, k) = model.restrict_to_free(derivatives.solve(i));
  }
  const LinearModes elastic{modes.eigenvalues.segment(kRigid, k),
                            modes.shapes.middleCols(kRigid, k), modes.solves};
  const SparseMatrix mass = model.scalar_mass();
  Eigen::MatrixXd columns = model.restrict_to_free(
      scaled_modal_columns(elastic, normalised_derivatives(model, std::move(raw), k, true)));
  const Eigen::MatrixXd rigid = model.restrict_to_free(modes.shapes.leftCols(kRigid));
  // Twice: the first pass leaves rounding errors of the size of the removed part.
  for (int pass = 0; pass < 2; ++pass) {
    columns -= rigid * (rigid.transpose() * multiply_mass(mass, columns));
  }
  const MassPca pca = mass_pca(mass, columns, r);
  if (pca.basis.cols() < r) {
    throw InputError("deformation basis", "dimension", fmt::format("found r = {}", r),
                     fmt::format("at most the rank {}", pca.basis.cols()));
  }
  return model.expand(pca.basis);
}

RigidProperties rigid_properties(const StvkModel& model) {
  const SparseMatrix mass = model.scalar_mass();
  Eigen::MatrixXd X(model.free_vertex_count(), 3);
  for (int f = 0; f < model.free_vertex_count(); ++f) {
    X.row(f) = model.mesh()
                   .vertex(static_cast<int>(model.free_vertices()[static_cast<std::size_t>(f)]))
                   .transpose();
  }
  RigidProperties properties;
  const Eigen::VectorXd weights = mass * Eigen::VectorXd::Ones(X.rows());
  properties.mass = weights.sum();
  properties.centre = X.transpose() * weights / properties.mass;
  X.rowwise() -= properties.centre.transpose();
  const Matrix3 second = X.transpose() * (mass * X);
  properties.inertia = second.trace() * Matrix3::Identity() - second;
  return properties;
}

}  // namespace haptic
