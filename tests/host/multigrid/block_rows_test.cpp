#include "host/multigrid/block_rows.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "host/multigrid/cell_stiffness.h"
#include "tests/host/multigrid/cut_bar.h"

namespace haptic {
namespace {

struct Bar {
  explicit Bar(int nx = 6, int ny = 3, int nz = 3)
      : model(cut_bar(nx, ny, nz, 0.3)),
        cells(*grid_cells_of(model.mesh())),
        rows(shifted_stiffness(model, cells, 0.0)) {}
  StvkModel model;
  GridCells cells;
  BlockRows<double> rows;
};

TEST(BlockRows, multiply_as_the_sparse_matrix) {
  const Bar bar;
  const SparseMatrix A = sparse_matrix(bar.rows);
  const Lanes<double> X = Lanes<double>::Random(A.rows(), kLanes);
  Lanes<double> image(A.rows(), kLanes);
  bar.rows.multiply(X, image);
  const Eigen::MatrixXd exact = A * Eigen::MatrixXd(X);
  EXPECT_LE((image - exact).norm(), 1e-14 * exact.norm());
  Lanes<float> single(A.rows(), kLanes);
  single_precision(bar.rows).multiply(X.cast<float>(), single);
  EXPECT_LE((single.cast<double>() - exact).norm(), 3e-7 * exact.norm());
}

TEST(BlockRows, of_equal_neighbourhoods_are_stored_once) {
  // A block without cut cells: 27 kinds of nodes, of which those at x = 0 are held; next to them
  // and at the end the kinds differ by the missing column.
  const StvkModel model(make_box_mesh(8, 8, 8, 0.01, kRubber),
                        vertices_at_x0(make_box_mesh(8, 8, 8, 0.01, kRubber)));
  const BlockRows<double> rows = shifted_stiffness(model, *grid_cells_of(model.mesh()), 0.0);
  std::vector<std::uint32_t> kinds = rows.first;
  std::ranges::sort(kinds);
  kinds.erase(std::unique(kinds.begin(), kinds.end()), kinds.end());
  EXPECT_EQ(kinds.size(), 27U);
  EXPECT_EQ(rows.rows(), 8U * 9U * 9U);
}

TEST(BlockRows, galerkin_is_the_product_with_the_interpolation) {
  const Bar bar;
  const CoarseCells coarse = coarsened(bar.cells);
  // Rows of the free nodes only; held ones have none.
  GridInterpolation P;
  for (const std::uint32_t node : bar.model.free_vertices()) {
    for (std::uint32_t a = coarse.interpolation.begin[node];
         a < coarse.interpolation.begin[node + 1]; ++a) {
      P.node.push_back(coarse.interpolation.node[a]);
      P.weight.push_back(coarse.interpolation.weight[a]);
    }
    P.begin.push_back(static_cast<std::uint32_t>(P.node.size()));
  }
  Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(3 * P.rows(), 3 * coarse.cells.nodes);
  for (std::uint32_t row = 0; row < P.rows(); ++row) {
    for (std::uint32_t a = P.begin[row]; a < P.begin[row + 1]; ++a) {
      for (std::uint32_t d = 0; d < 3; ++d) {
        dense(3 * row + d, 3 * P.node[a] + d) = double{P.weight[a]};
      }
    }
  }
  const BlockRows<double> product = galerkin(bar.rows, P, P.transposed(coarse.cells.nodes));
  const Eigen::MatrixXd exact = dense.transpose() * (sparse_matrix(bar.rows) * dense);
  EXPECT_LE((Eigen::MatrixXd(sparse_matrix(product)) - exact).norm(), 1e-14 * exact.norm());
}

TEST(BlockRows, rows_of_one_colour_share_no_entry) {
  const Bar bar;
  const auto colours = colour_rows(bar.rows);
  EXPECT_LE(colours.size(), 8U);  // as few as a grid allows
  std::vector<int> colour(bar.rows.rows(), -1);
  for (std::size_t c = 0; c < colours.size(); ++c) {
    EXPECT_TRUE(std::ranges::is_sorted(colours[c]));
    for (const std::uint32_t row : colours[c]) colour[row] = static_cast<int>(c);
  }
  for (std::uint32_t row = 0; row < bar.rows.rows(); ++row) {
    EXPECT_GE(colour[row], 0);
    for (std::uint32_t e = bar.rows.begin[row]; e < bar.rows.begin[row + 1]; ++e) {
      if (bar.rows.column[e] == row) continue;
      EXPECT_NE(colour[bar.rows.column[e]], colour[row]);
    }
  }
}

}  // namespace
}  // namespace haptic
