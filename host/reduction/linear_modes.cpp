#include "host/reduction/linear_modes.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cstdint>
#include <vector>

#include "host/reduction/canonical_sign.h"
#include "host/reduction/lobpcg.h"
#include "host/reduction/mass_pca.h"
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

void require_count(const StvkModel& model, int k) {
  const int dofs = model.free_dof_count();
  if (k >= 1 && k <= dofs) return;
  throw InputError("reduction", "linear_modes", fmt::format("found {}", k),
                   fmt::format("1..{} (free degrees of freedom)", dofs));
}

LinearModes canonical_modes(const StvkModel& model, SystemModes lowest) {
  LinearModes modes;
  modes.solves = lowest.solves;
  modes.eigenvalues = std::move(lowest.eigenvalues);
  if (modes.eigenvalues.size() > 1) rotate_clusters(model, lowest.shapes, modes.eigenvalues);
  make_largest_component_positive(lowest.shapes);
  modes.shapes = model.expand(lowest.shapes);
  return modes;
}

/// Ratio of the sums of the diagonals of K and M, so that a vertex that holds hardly any material
/// counts as little [s^-2].
double stiffness_per_mass(const StvkModel& model) {
  const Eigen::Matrix3Xd blocks = model.stiffness_blocks(Eigen::VectorXd::Zero(model.dof_count()));
  double trace = 0.0;
  for (Eigen::Index i = 0; i < blocks.cols(); ++i) trace += blocks(i % 3, i);
  return trace / (3.0 * model.scalar_mass().diagonal().sum());
}

/// The rigid motions of a body without fixed vertices, M-orthonormal (3n x 6).
Eigen::MatrixXd rigid_modes(const StvkModel& model, const SparseMatrix& scalar_mass) {
  const Vector3 centre = 0.5 * (model.mesh().lower() + model.mesh().upper());
  Eigen::MatrixXd motions(model.free_dof_count(), 6);
  for (int v = 0; v < model.vertex_count(); ++v) {
    motions.middleRows<3>(3 * v) << Matrix3::Identity(), -skew(model.mesh().vertex(v) - centre);
  }
  return mass_gram_schmidt(scalar_mass, motions);
}

/// The k lowest elastic modes on the M-complement of the known ones; eigenvalues of A.
SystemModes modes_of(const StvkModel& model, const PreconditionedOperator& A,
                     const Eigen::MatrixXd& known, int k, const Progress& progress) {
  const SparseMatrix mass = model.scalar_mass();
  const auto multiply = [&](const Eigen::MatrixXd& X) { return multiply_mass(mass, X); };
  if (!A.is_exact()) return lobpcg(A, multiply, known, k, progress);
  const Eigen::MatrixXd mass_known = multiply(known);
  LanczosResult pairs = block_lanczos(A.size(), k, multiply, [&](const Eigen::MatrixXd& X) {
    const Eigen::MatrixXd parts = known.transpose() * X;
    Eigen::MatrixXd Y = A.solve(X - mass_known * parts);
    const Eigen::MatrixXd drift = mass_known.transpose() * Y;
    Y -= known * drift;
    return Y;
  });
  return {pairs.values.cwiseInverse(), std::move(pairs.vectors), pairs.solves};
}

}  // namespace

LinearModes linear_modes(const StvkModel& model, const LinearSolver& rest_stiffness, int k) {
  require_count(model, k);
  return canonical_modes(model, lowest_modes(StvkRestSystem(model, rest_stiffness), k));
}

LinearModes linear_modes(const StvkModel& model, const PreconditionedOperator& rest_stiffness,
                         int k, const Progress& progress) {
  require_count(model, k);
  const Eigen::MatrixXd none(model.free_dof_count(), 0);
  SystemModes lowest = modes_of(model, rest_stiffness, none, k, progress);
  // Rounding of K; slender bodies stay above 1e-11.
  if (!(lowest.eigenvalues[0] > 1e-14 * stiffness_per_mass(model))) {
    throw OperationError("stiffness: singular: a part of the mesh can move without strain");
  }
  return canonical_modes(model, std::move(lowest));
}

LinearModes free_linear_modes(const StvkModel& model, int k, const Progress& progress,
                              int max_factored) {
  constexpr int kRigid = 6;
  require_count(model, k);
  if (!model.fixed_vertices().empty()) {
    throw InputError("constraints", "",
                     fmt::format("found {} fixed vertices", model.fixed_vertices().size()),
                     "none on a free body");
  }
  const SparseMatrix mass = model.scalar_mass();
  const Eigen::MatrixXd rigid = rigid_modes(model, mass);
  const int elastic = std::max(0, k - kRigid);
  SystemModes modes;
  modes.eigenvalues = Eigen::VectorXd::Zero(kRigid + elastic);
  modes.shapes.resize(rigid.rows(), kRigid + elastic);
  modes.shapes.leftCols(kRigid) = rigid;
  if (elastic > 0) {
    // Far below the elastic modes of any body of less than about 1000 elements length, far above
    // the rounding of K.
    const double shift = -1e-8 * stiffness_per_mass(model);
    const auto shifted = rest_stiffness(model, shift, max_factored);
    const SystemModes found = modes_of(model, *shifted, rigid, elastic, progress);
    modes.eigenvalues.tail(elastic) = found.eigenvalues.array() + shift;
    modes.shapes.rightCols(elastic) = found.shapes;
    modes.solves = found.solves;
  }
  LinearModes result = canonical_modes(model, std::move(modes));
  result.eigenvalues.conservativeResize(k);
  result.shapes.conservativeResize(Eigen::NoChange, k);
  return result;
}

}  // namespace haptic
