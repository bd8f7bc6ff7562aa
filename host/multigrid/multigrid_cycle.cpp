#include "host/multigrid/multigrid_cycle.h"

#include <Eigen/LU>
#include <algorithm>

#include "host/parallel/parallel_ranges.h"

namespace haptic {
namespace {

/// Nodes at which a factor takes less time than further levels.
constexpr std::uint32_t kMaxCoarsest = 300;

/// Rows of the nodes of a coarser level: none for a node that coincides with a held one, or from
/// which no free node is interpolated.
std::vector<int> coarse_rows(const CoarseCells& coarse, const std::vector<int>& row_of_node) {
  const GridInterpolation& P = coarse.interpolation;
  std::vector<bool> held(coarse.cells.nodes, false), reached(coarse.cells.nodes, false);
  for (std::uint32_t node = 0; node < P.rows(); ++node) {
    for (std::uint32_t a = P.begin[node]; a < P.begin[node + 1]; ++a) {
      if (row_of_node[node] >= 0) {
        reached[P.node[a]] = true;
      } else if (P.weight[a] == 1.0F) {
        held[P.node[a]] = true;
      }
    }
  }
  std::vector<int> rows(coarse.cells.nodes, -1);
  int count = 0;
  for (std::size_t node = 0; node < rows.size(); ++node) {
    if (reached[node] && !held[node]) rows[node] = count++;
  }
  return rows;
}

/// The interpolation between the nodes that have rows.
GridInterpolation between_rows(const GridInterpolation& P, const std::vector<int>& fine,
                               const std::vector<int>& coarse) {
  GridInterpolation result;
  for (std::uint32_t node = 0; node < P.rows(); ++node) {
    if (fine[node] < 0) continue;
    for (std::uint32_t a = P.begin[node]; a < P.begin[node + 1]; ++a) {
      if (coarse[P.node[a]] < 0) continue;
      result.node.push_back(static_cast<std::uint32_t>(coarse[P.node[a]]));
      result.weight.push_back(P.weight[a]);
    }
    result.begin.push_back(static_cast<std::uint32_t>(result.node.size()));
  }
  return result;
}

std::vector<std::array<float, 9>> inverse_diagonal(const BlockRows<double>& A) {
  using Matrix = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
  std::vector<std::array<float, 9>> inverse(A.rows());
  for (std::uint32_t row = 0; row < inverse.size(); ++row) {
    const auto first = A.column.begin() + A.begin[row], last = A.column.begin() + A.begin[row + 1];
    const auto at = static_cast<std::size_t>(std::lower_bound(first, last, row) - first);
    const Matrix block = Eigen::Map<const Matrix>(A.block[A.first[row] + at].data()).inverse();
    for (std::size_t k = 0; k < 9; ++k) inverse[row][k] = static_cast<float>(block.data()[k]);
  }
  return inverse;
}

/// Y = P X, or Y += P X.
template <bool kAdd>
void interpolate(const GridInterpolation& P, const Lanes<float>& X, Lanes<float>& Y) {
  constexpr std::size_t kNode = 3 * kLanes;
  parallel_ranges(P.rows(), kRowGrain, [&](std::size_t from, std::size_t to) {
    for (std::size_t row = from; row != to; ++row) {
      float* y = Y.data() + kNode * row;
      if (!kAdd) std::fill_n(y, kNode, 0.0F);
      for (std::uint32_t a = P.begin[row]; a < P.begin[row + 1]; ++a) {
        const float* x = X.data() + kNode * P.node[a];
        for (std::size_t k = 0; k < kNode; ++k) y[k] += P.weight[a] * x[k];
      }
    }
  });
}

}  // namespace

MultigridCycle::MultigridCycle(const BlockRows<double>& A, GridCells cells,
                               std::span<const int> row_of_node) {
  std::vector<int> rows(row_of_node.begin(), row_of_node.end());
  BlockRows<double> coarse_matrix;
  const BlockRows<double>* own = &A;
  while (own->rows() > kMaxCoarsest) {
    CoarseCells coarse = coarsened(cells);
    std::vector<int> next_rows = coarse_rows(coarse, rows);
    const auto next = static_cast<std::uint32_t>(*std::ranges::max_element(next_rows) + 1);
    if (next == 0 || 2 * next > own->rows()) break;  // a body of separate cells
    Level& level = levels_.emplace_back();
    level.A = single_precision(*own);
    level.inverse_diagonal = inverse_diagonal(*own);
    level.colours = colour_rows(*own);
    level.from_coarse = between_rows(coarse.interpolation, rows, next_rows);
    level.to_coarse = level.from_coarse.transposed(next);
    coarse_matrix = galerkin(*own, level.from_coarse, level.to_coarse);
    own = &coarse_matrix;
    cells = std::move(coarse.cells);
    rows = std::move(next_rows);
  }
  SparseMatrix matrix = sparse_matrix(*own);
  // Some nodes of irregular held places are interpolated alike, which makes a coarse matrix
  // singular along what P takes to zero.
  constexpr double kRelative = 1e-12;
  for (int i = 0; i < matrix.rows(); ++i) matrix.coeffRef(i, i) *= 1.0 + kRelative;
  SparseFactorization::Options options;
  options.block = 3;
  options.name = "stiffness";
  coarsest_.emplace(matrix, options);
}

MultigridCycle::Workspace MultigridCycle::workspace() const {
  Workspace workspace;
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    const Eigen::Index own = 3 * Eigen::Index{levels_[l].A.rows()};
    const Eigen::Index next = 3 * Eigen::Index{levels_[l].to_coarse.rows()};
    workspace.image.emplace_back(own, kLanes);
    workspace.rest.emplace_back(next, kLanes);
    workspace.change.emplace_back(next, kLanes);
  }
  return workspace;
}

void MultigridCycle::relax(const Level& level, const Lanes<float>& B, Lanes<float>& X,
                           Sweep sweep) const {
  for (std::size_t c = 0; c < level.colours.size(); ++c) {
    const auto& colour = level.colours[sweep == Sweep::kForward ? c : level.colours.size() - 1 - c];
    parallel_ranges(colour.size(), kRowGrain, [&](std::size_t from, std::size_t to) {
      using Values = Eigen::Map<LaneVector<float>>;
      using ConstValues = Eigen::Map<const LaneVector<float>>;
      for (std::size_t r = from; r != to; ++r) {
        const std::uint32_t row = colour[r];
        const auto image = level.A.row_product(row, X);
        const float* b = B.data() + std::size_t{3 * kLanes} * row;
        const LaneVector<float> u = ConstValues(b) - image[0],
                                v = ConstValues(b + kLanes) - image[1],
                                w = ConstValues(b + 2 * kLanes) - image[2];
        float* x = X.data() + std::size_t{3 * kLanes} * row;
        const float* inverse = level.inverse_diagonal[row].data();
        for (int d = 0; d < 3; ++d, x += kLanes, inverse += 3) {
          Values{x} += inverse[0] * u + inverse[1] * v + inverse[2] * w;
        }
      }
    });
  }
}

void MultigridCycle::apply(std::size_t l, const Lanes<float>& R, Lanes<float>& Z,
                           Workspace& workspace) const {
  if (l == levels_.size()) {
    Z = coarsest_->solve(R.cast<double>()).cast<float>();
    return;
  }
  const Level& level = levels_[l];
  Lanes<float>& image = workspace.image[l];
  Z.setZero();
  relax(level, R, Z, Sweep::kForward);
  level.A.multiply(Z, image);
  image = R - image;
  interpolate<false>(level.to_coarse, image, workspace.rest[l]);
  apply(l + 1, workspace.rest[l], workspace.change[l], workspace);
  interpolate<true>(level.from_coarse, workspace.change[l], Z);
  relax(level, R, Z, Sweep::kBackward);
}

void MultigridCycle::apply(const Lanes<float>& R, Lanes<float>& Z, Workspace& workspace) const {
  apply(0, R, Z, workspace);
}

}  // namespace haptic
