#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "host/fem/sparse_matrix.h"
#include "host/multigrid/grid_interpolation.h"

namespace haptic {

/// Number of vectors processed together: their values of a degree of freedom are adjacent in
/// memory, so that each matrix entry is read once for all of them.
inline constexpr int kLanes = 8;
template <typename T>
using LaneVector = Eigen::Array<T, kLanes, 1>;
template <typename T>
using Lanes = Eigen::Matrix<T, Eigen::Dynamic, kLanes, Eigen::RowMajor>;  ///< 3n x kLanes

/// Minimum number of rows per thread.
inline constexpr std::size_t kRowGrain = 256;

/// A symmetric sparse matrix stored by rows of 3 x 3 blocks. Rows with identical blocks share their
/// storage, as most rows of a grid do.
template <typename T>
struct BlockRows {
  using Block = std::array<T, 9>;  ///< row-major

  std::vector<std::uint32_t> begin = {0};  ///< of the columns of each row
  std::vector<std::uint32_t> column;       ///< ascending in each row
  std::vector<std::uint32_t> first;        ///< in `block`, of each row
  std::vector<Block> block;

  std::uint32_t rows() const { return static_cast<std::uint32_t>(first.size()); }
  std::uint32_t length(std::uint32_t row) const { return begin[row + 1] - begin[row]; }
  /// A row of A X, at x, y and z.
  std::array<LaneVector<T>, 3> row_product(std::uint32_t row, const Lanes<T>& X) const;
  /// A X. Bits do not depend on the number of threads.
  void multiply(const Lanes<T>& X, Lanes<T>& AX) const;
};

BlockRows<float> single_precision(const BlockRows<double>& A);

/// An entry of a row that is being made.
struct RowEntry {
  std::uint32_t column = 0;
  BlockRows<double>::Block block{};
};

/// A matrix whose rows `make_row` appends to an empty vector, ascending columns; called for several
/// rows at once.
BlockRows<double> make_rows(
    std::uint32_t rows,
    const std::function<void(std::uint32_t row, std::vector<RowEntry>& entries)>& make_row);

/// P^T A P: the matrix on the nodes that P interpolates from.
/// @param children P transposed: for each of those nodes the rows that it contributes to
BlockRows<double> galerkin(const BlockRows<double>& A, const GridInterpolation& P,
                           const GridInterpolation& children);

/// Both triangles of it.
SparseMatrix sparse_matrix(const BlockRows<double>& A);

/// Rows in sets within which no two share an entry of the matrix; each set ascends.
std::vector<std::vector<std::uint32_t>> colour_rows(const BlockRows<double>& A);

}  // namespace haptic
