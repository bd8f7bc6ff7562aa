#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "host/fem/sparse_factorization.h"
#include "host/multigrid/block_rows.h"
#include "host/multigrid/grid_cells.h"

namespace haptic {

/// A V-cycle of multigrid for the stiffness of a body on grid cells: a symmetric positive definite
/// approximation of A^-1 in single precision, a preconditioner of conjugate gradients.
///
/// Coarse matrices are P^T A P with the interpolation of CoarseCells. One sweep of Gauss-Seidel by
/// blocks of a node goes before the coarse correction and one in reverse order after it; rows of
/// one colour are updated in parallel, so that bits do not depend on the number of threads. The
/// coarsest matrix is factored. Source: Briggs, Henson & McCormick 2000, "A Multigrid Tutorial".
class MultigridCycle {
 public:
  /// Vectors of one application; for one thread at a time.
  struct Workspace {
    std::vector<Lanes<float>> rest, change;  ///< of the levels below the finest
    std::vector<Lanes<float>> image;         ///< of all levels but the coarsest
  };

  /// @param A           positive definite
  /// @param row_of_node row of A for each node of the cells, ascending; -1 for a fixed node
  /// @throws OperationError if A is not positive definite
  MultigridCycle(const BlockRows<double>& A, GridCells cells, std::span<const int> row_of_node);

  int level_count() const { return static_cast<int>(levels_.size()) + 1; }
  Workspace workspace() const;
  /// Z ~ A^-1 R, both 3n x kLanes.
  void apply(const Lanes<float>& R, Lanes<float>& Z, Workspace& workspace) const;

 private:
  struct Level {
    BlockRows<float> A;
    std::vector<std::array<float, 9>> inverse_diagonal;  ///< row-major
    std::vector<std::vector<std::uint32_t>> colours;
    GridInterpolation from_coarse;  ///< row per row of A
    GridInterpolation to_coarse;    ///< its transpose
  };
  enum class Sweep { kForward, kBackward };

  void relax(const Level& level, const Lanes<float>& B, Lanes<float>& X, Sweep sweep) const;
  void apply(std::size_t level, const Lanes<float>& R, Lanes<float>& Z, Workspace& workspace) const;

  std::vector<Level> levels_;  ///< all but the coarsest
  std::optional<SparseFactorization> coarsest_;
};

}  // namespace haptic
