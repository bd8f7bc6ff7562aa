#pragma once

#include <Eigen/Core>
#include <memory>
#include <string>

#include "host/fem/sparse_matrix.h"

namespace haptic {

/// Sparse factorisation of a symmetric matrix (CHOLMOD): P A P^T = L L^T or L D L^T.
///
/// Move-only owner of the factor. Any number of threads may `solve` with one factor at once;
/// all other calls must be exclusive.
class SparseFactorization {
 public:
  enum class Kind {
    kCholesky,  ///< L L^T, supernodal; A must be positive definite
    kLdlt,      ///< L D L^T without pivoting; also indefinite A; see negative_pivots
  };
  enum class Ordering {
    kFillReducing,  ///< nested dissection or minimum degree
    kNatural,       ///< P = I
  };
  struct Options {
    Kind kind = Kind::kCholesky;
    Ordering ordering = Ordering::kFillReducing;
    /// Dofs per vertex that share one sparsity pattern; the ordering is found on the vertex graph.
    int block = 1;
    /// What the matrix is, for messages.
    std::string name = "matrix";
  };

  /// @param A symmetric, both triangles stored
  /// @throws OperationError if A is not positive definite (kCholesky), has a zero pivot (kLdlt) or
  ///         the factor does not fit
  explicit SparseFactorization(const SparseMatrix& A) : SparseFactorization(A, Options{}) {}
  SparseFactorization(const SparseMatrix& A, Options options);
  SparseFactorization(SparseFactorization&&) noexcept;
  SparseFactorization& operator=(SparseFactorization&&) noexcept;
  ~SparseFactorization();

  /// Numeric factorisation of another matrix with the same pattern. @throws as the constructor
  void refactorize(const SparseMatrix& A);

  int size() const;
  double factor_entries() const;  ///< nonzeros of L
  int negative_pivots() const;    ///< of D: the number of negative eigenvalues of A; kCholesky: 0
  double reciprocal_condition() const;  ///< cheap estimate from the pivots, 0..1

  /// A^-1 B, column per right-hand side.
  Eigen::MatrixXd solve(const Eigen::Ref<const Eigen::MatrixXd>& B) const;

  /// kCholesky only. L^T P X, so that |L^T P x|^2 = x^T A x.
  Eigen::MatrixXd multiply_root(const Eigen::Ref<const Eigen::MatrixXd>& X) const;
  /// kCholesky only. P^T L^-T V, the inverse of multiply_root.
  Eigen::MatrixXd solve_root(const Eigen::Ref<const Eigen::MatrixXd>& V) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace haptic
