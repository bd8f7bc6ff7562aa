#pragma once

#include <Eigen/Core>

#include "host/fem/sparse_matrix.h"

namespace haptic {

struct MassPca {
  Eigen::MatrixXd basis;            ///< 3v x r', mass-orthonormal, r' = min(dimension, rank)
  Eigen::VectorXd singular_values;  ///< of all columns, descending
  int rank = 0;                     ///< singular values above 1e-10 of the first
  double captured = 0.0;            ///< fraction of the sum of squared singular values kept, 0..1
};

/// PCA in the inner product of M = M_s (x) I3, hyperplane through the origin (no mean removed):
/// X = Q R with Q^T M Q = I, R = V Sigma W^T, U = Q V; without a factor of M, which grows faster
/// than the body. The sign of each basis vector makes its largest component positive. Source:
/// docs/methods/reduced-dynamics.md, "Mass-PCA".
/// @param scalar_mass v x v SPD, consistent or lumped
/// @param columns     3v x N, (x,y,z) per vertex; N >= 1, finite
/// @param dimension wanted number of basis vectors, >= 1; fewer are returned if the rank is lower
/// @throws InputError if sizes or values are invalid or every column is zero
MassPca mass_pca(const SparseMatrix& scalar_mass, const Eigen::Ref<const Eigen::MatrixXd>& columns,
                 int dimension);

/// Mass-Gram-Schmidt with reorthogonalisation: mass-orthonormal basis of the columns in their
/// order; a column whose remainder is below `threshold` of its norm is dropped.
Eigen::MatrixXd mass_gram_schmidt(const SparseMatrix& scalar_mass,
                                  const Eigen::Ref<const Eigen::MatrixXd>& columns,
                                  double threshold = 1e-10);

/// M X for M = M_s (x) I3; X is 3v x N.
Eigen::MatrixXd multiply_mass(const SparseMatrix& scalar_mass,
                              const Eigen::Ref<const Eigen::MatrixXd>& X);

}  // namespace haptic
