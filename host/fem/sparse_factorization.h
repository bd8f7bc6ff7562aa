#pragma once

#include <Eigen/Core>
#include <memory>
#include <string>

#include "host/fem/linear_solver.h"
#include "host/fem/sparse_matrix.h"

namespace haptic {

/// Sparse factorisation of a symmetric matrix (CHOLMOD): P A P^T = L L^T or L D L^T.
///
/// Move-only owner of the factor. Any number of threads may `solve` with one factor at once;
/// all other calls must be exclusive.
class SparseFactorization final : public LinearSolver {
 public:
  enum class Kind {
    kCholesky,  ///< L L^T, supernodal; A must be positive definite
    kLdlt,      ///< L D L^T without pivoting; also indefinite A; see negative_pivots
  };
  struct Options {
    Kind kind = Kind::kCholesky;
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
  ~SparseFactorization() override;

  /// Numeric factorisation of another matrix with the same pattern. @throws as the constructor
  void refactorize(const SparseMatrix& A);

  int size() const override;
  double factor_entries() const;  ///< nonzeros of L
  int negative_pivots() const;    ///< of D: the number of negative eigenvalues of A; kCholesky: 0
  double reciprocal_condition() const;  ///< cheap estimate from the pivots, 0..1

  Eigen::MatrixXd solve(const Eigen::Ref<const Eigen::MatrixXd>& B) const override;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace haptic
