#include "host/reduction/reduced_polynomials.h"

#include <Eigen/Core>

#include "host/fem/assumed_strain_element.h"

namespace haptic {
namespace {

using Eigen::Index;
using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

}  // namespace

ReducedPolynomials reduced_polynomials(const SolidMesh& mesh, BasisView basis,
                                       const PolynomialSettings& settings) {
  PolynomialAccumulator sum(mesh, basis, {}, settings);
  sum.add(0, mesh.element_count());
  return sum.whole();
}

namespace {

/// Mass of an element of density 1, consistent or its row sums on the diagonal [m^3].
template <typename Rule>
Eigen::MatrixXd unit_mass(const Rule& rule, MassKind kind) {
  const Eigen::MatrixXd mass = consistent_mass(rule, 1.0);
  if (kind == MassKind::kConsistent) return mass;
  return Eigen::VectorXd(mass.rowwise().sum()).asDiagonal();
}

}  // namespace

std::vector<double> group_mass(const SolidMesh& mesh, BasisView basis, MassKind kind) {
  require_basis(mesh, basis);
  const auto r = static_cast<Index>(basis.dimension);
  const auto corners = static_cast<Index>(mesh.corners_per_element());
  std::vector<Eigen::MatrixXd> mass(static_cast<std::size_t>(mesh.group_count()),
                                    Eigen::MatrixXd::Zero(r, r));
  RowMatrix displacement(corners, 3 * r), weighted(corners, 3 * r);  // row per corner: x, y, z
  for (int e = 0; e < mesh.element_count(); ++e) {
    const auto ids = mesh.element(e);
    for (Index a = 0; a < corners; ++a) {
      displacement.row(a) = Eigen::Map<const Eigen::RowVectorXd>(
          &basis.values[3 * std::size_t{ids[static_cast<std::size_t>(a)]} * basis.dimension],
          3 * r);
    }
    if (mesh.kind() == ElementKind::kTetrahedron) {
      weighted.noalias() = unit_mass(mesh.tetrahedron(e), kind) * displacement;
    } else if (!mesh.cells().plain()) {
      weighted.noalias() = unit_mass(mesh.cell_rule(e), kind) * displacement;
    } else {
      weighted.noalias() = unit_mass(mesh.shape(e).quadrature, kind) * displacement;
    }
    Eigen::MatrixXd& sum = mass[static_cast<std::size_t>(mesh.group(e))];
    for (Index d = 0; d < 3; ++d) {
      sum.noalias() +=
          displacement.middleCols(d * r, r).transpose() * weighted.middleCols(d * r, r);
    }
  }
  std::vector<double> packed;
  for (const Eigen::MatrixXd& sum : mass) {
    for (Index i = 0; i < r; ++i) {
      for (Index j = i; j < r; ++j) packed.push_back(0.5 * (sum(i, j) + sum(j, i)));
    }
  }
  return packed;
}

}  // namespace haptic
