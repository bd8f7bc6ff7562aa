#include "host/reduction/linear_modes.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cstdint>
#include <vector>

#include "host/reduction/canonical_sign.h"
#include "host/reduction/second_order_system.h"
#include "host/reduction/stvk_rest_system.h"
#include "shared/error.h"

namespace haptic {
namespace {

// Secondary form that splits a cluster of equal eigenvalues: displacement
// weighted by axis, plus displacement weighted by place, so that modes which differ only by an axis
// and modes which differ only by place are both separated.
Eigen::MatrixXd secondary_form(const StvkModel& model, const SparseMatrix& lumped,
                               const Eigen::MatrixXd& shapes) {
  const Vector3 centre = 0.5 * (model.mesh().lower() + model.mesh().upper());
  const double size = (model.mesh().upper() - model.mesh().lower()).maxCoeff();
  const Vector3 axis_weight(3.0, 2.0, 1.0);
  Eigen::MatrixXd weighted = shapes;
  for (int f = 0; f < model.free_vertex_count(); ++f) {
    const Vector3 place =
        (model.mesh().vertex(static_cast<int>(model.free_vertices()[f])) - centre) / size;
    const double by_place = axis_weight.dot(place.cwiseAbs2());
    for (int d = 0; d < 3; ++d) {
      weighted.row(3 * f + d) *= lumped.valuePtr()[f] * (axis_weight[d] + by_place);
    }
  }
  return shapes.transpose() * weighted;
}

void rotate_clusters(const StvkModel& model, Eigen::MatrixXd& shapes, Eigen::VectorXd& values) {
  const SparseMatrix lumped = model.scalar_mass(MassKind::kLumped);
  // Rigid modes (lambda near 0) count as one cluster against the scale of the last value.
  const double floor = 1e-8 * values[values.size() - 1];
  Eigen::Index begin = 0;
  while (begin < values.size()) {
    Eigen::Index end = begin + 1;
    while (end < values.size() &&
           values[end] - values[end - 1] <= std::max(1e-8 * values[end], 1e-2 * floor)) {
      ++end;
    }
    const Eigen::Index count = end - begin;
    if (count > 1) {
      const Eigen::MatrixXd cluster = shapes.middleCols(begin, count);
      const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> form(
          secondary_form(model, lumped, cluster));
      shapes.middleCols(begin, count) = cluster * form.eigenvectors().rowwise().reverse();
      // Rayleigh quotients of the rotated modes, equal to rounding in a true cluster.
      values.segment(begin, count).setConstant(values.segment(begin, count).mean());
    }
    begin = end;
  }
}

LinearModes solve_modes(const StvkModel& model, const SparseFactorization& shifted, double shift,
                        int k) {
  const int dofs = model.free_dof_count();
  if (k < 1 || k > dofs) {
    throw InputError("reduction", "linear_modes", fmt::format("found {}", k),
                     fmt::format("1..{} (free degrees of freedom)", dofs));
  }
  SystemModes lowest = lowest_modes(StvkRestSystem(model, shifted), k);

  LinearModes modes;
  modes.solves = lowest.solves;
  modes.eigenvalues = lowest.eigenvalues.array() + shift;
  if (k > 1) rotate_clusters(model, lowest.shapes, modes.eigenvalues);
  make_largest_component_positive(lowest.shapes);
  modes.shapes = model.expand(lowest.shapes);
  return modes;
}

SparseFactorization::Options stiffness_options() {
  SparseFactorization::Options options;
  options.block = 3;
  options.name = "stiffness";
  return options;
}

}  // namespace

SparseFactorization factor_rest_stiffness(const StvkModel& model) {
  const int motions = model.free_rigid_motions();
  if (motions > 0) {
    throw InputError("constraints", "",
                     fmt::format("found {} of 6 rigid motions free ({} fixed vertices)", motions,
                                 model.fixed_vertices().size()),
                     "constraints on at least three vertices that are not collinear");
  }
  SparseFactorization factor(model.stiffness_at_rest(), stiffness_options());
  // A singular matrix factors to pivots of rounding size; slender bodies stay above 1e-10.
  if (!(factor.reciprocal_condition() > 1e-14)) {
    throw OperationError(fmt::format(
        "stiffness: singular (pivot ratio {:.1e}): a part of the mesh can move without strain",
        factor.reciprocal_condition()));
  }
  return factor;
}

LinearModes linear_modes(const StvkModel& model, const SparseFactorization& rest_stiffness, int k) {
  return solve_modes(model, rest_stiffness, 0.0, k);
}

LinearModes free_linear_modes(const StvkModel& model, int k) {
  SparseMatrix K = model.stiffness_at_rest();
  const SparseMatrix M = model.mass();
  // Far below the elastic modes of any body of less than about 1000 elements length, far above
  // the rounding of K. Ratio of the sums: a vertex that holds hardly any material counts as little.
  const double shift = -1e-8 * K.diagonal().sum() / M.diagonal().sum();
  K -= shift * M;
  K.makeCompressed();
  return solve_modes(model, SparseFactorization(K, stiffness_options()), shift, k);
}

}  // namespace haptic
