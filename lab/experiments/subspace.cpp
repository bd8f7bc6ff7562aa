#include "lab/experiments/subspace.h"

#include <fmt/format.h>

#include "host/reduction/mass_pca.h"
#include "host/reduction/reduced_polynomials.h"
#include "shared/error.h"

namespace haptic {
namespace {

LinearModes first_modes(const LinearModes& modes, int k) {
  return {modes.eigenvalues.head(k), modes.shapes.leftCols(k), modes.solves};
}

Eigen::MatrixXd demand_rank(MassPca pca, int r) {
  if (pca.basis.cols() < r) {
    throw InputError("basis", "dimension", fmt::format("found r = {}", r),
                     fmt::format("at most the rank {} of the shapes", pca.basis.cols()));
  }
  return std::move(pca.basis);
}

}  // namespace

ModalData::ModalData(const StvkModel& model, int k) {
  const SparseFactorization rest = factor_rest_stiffness(model);
  modes = linear_modes(model, rest, k);
  derivatives = modal_derivatives(model, rest, modes);
}

Eigen::MatrixXd linear_basis(const ModalData& data, int k) {
  return data.modes.shapes.leftCols(k);
}

Eigen::MatrixXd shape_basis(const StvkModel& model, const Eigen::MatrixXd& shapes, int r) {
  MassPca pca = mass_pca(model.scalar_mass(), model.restrict_to_free(shapes), r);
  pca.basis = model.expand(pca.basis);
  return demand_rank(std::move(pca), r);
}

Eigen::MatrixXd derivative_basis(const StvkModel& model, const ModalData& data, int k, int r) {
  const int all = static_cast<int>(data.modes.eigenvalues.size());
  ModalDerivatives some;
  some.shapes.resize(data.derivatives.shapes.rows(), modal_pair_count(k));
  some.norms.resize(modal_pair_count(k));
  for (int i = 0; i < k; ++i) {
    for (int j = i; j < k; ++j) {
      const int from = modal_pair_index(i, j, all), to = modal_pair_index(i, j, k);
      some.shapes.col(to) = data.derivatives.shapes.col(from);
      some.norms[to] = data.derivatives.norms[from];
    }
  }
  return shape_basis(model, scaled_modal_columns(first_modes(data.modes, k), some), r);
}

Eigen::MatrixXd full_derivative_basis(const StvkModel& model, const ModalData& data) {
  Eigen::MatrixXd columns(data.modes.shapes.rows(),
                          data.modes.shapes.cols() + data.derivatives.shapes.cols());
  columns << data.modes.shapes, data.derivatives.shapes;
  return model.expand(mass_gram_schmidt(model.scalar_mass(), model.restrict_to_free(columns)));
}

ReducedEnergy reduced_energy(const StvkModel& model, const Eigen::MatrixXd& basis) {
  const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rows = basis;
  const ReducedPolynomials p =
      reduced_polynomials(model.mesh(), {{rows.data(), static_cast<std::size_t>(rows.size())},
                                         static_cast<std::uint32_t>(basis.cols())});
  return {p.dimension, p.quadratic, p.cubic, p.quartic};
}

}  // namespace haptic
