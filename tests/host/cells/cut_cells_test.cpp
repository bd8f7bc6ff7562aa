#include "host/cells/cut_cells.h"

#include <gtest/gtest.h>

#include "host/mesh/catalogue.h"
#include "shared/error.h"

namespace haptic {
namespace {

TEST(CutCellsTest, inner_voxels_are_whole_and_the_others_cut) {
  const TriangleMesh ball = make_shape("sphere", {});
  const VoxelMesh voxels = voxelize(ball, {.resolution = 16});
  const CutCells cells = cut_cells(ball, voxels);
  ASSERT_EQ(cells.parts.size(), cells.grid.elements.size());
  std::size_t whole = 0;
  for (const CellPart& part : cells.parts) {
    whole += part == kWholeCell ? 1 : 0;
    EXPECT_GE(part[0], kMinPart);
    EXPECT_LE(part[0], 1.0);
  }
  EXPECT_EQ(whole, cells.parts.size() - cells.cut);
  // The voxels that the flood fill added meet no triangle; those that do not are whole here.
  EXPECT_GE(whole, voxels.report.filled_voxels);
  // What is left out holds less than a thousandth of the cells.
  double volume = 0.0;
  for (const CellPart& part : cells.parts) volume += part[0];
  const double h = voxels.edge, exact = signed_volume(ball) / (h * h * h);
  EXPECT_LE(volume, exact * (1.0 + 1e-12));
  const auto left_out = static_cast<double>(voxels.elements.size() - cells.parts.size());
  EXPECT_GE(volume, exact * (1.0 - 1e-12) - kMinPart * left_out);
}

TEST(CutCellsTest, a_voxel_that_is_only_touched_is_left_out) {
  // A cube of 1 m in a grid of 1/4 m whose outer layer it only touches.
  TriangleMesh cube = make_shape("box", {{"size_x", 1.0}, {"size_y", 1.0}, {"size_z", 1.0}});
  const VoxelMesh voxels = voxelize(cube, {.resolution = 6, .enlargement = 1.5});
  ASSERT_EQ(voxels.elements.size(), 216U);
  const CutCells cells = cut_cells(cube, voxels);
  EXPECT_EQ(cells.grid.elements.size(), 64U);
  EXPECT_EQ(cells.cut, 0U);
}

TEST(CutCellsTest, a_surface_that_is_turned_inwards_holds_no_material) {
  TriangleMesh cube = make_shape("box", {});
  const VoxelMesh voxels = voxelize(cube, {.resolution = 4});
  for (auto& triangle : cube.triangles) std::swap(triangle[0], triangle[1]);
  EXPECT_THROW((void)cut_cells(cube, voxels), InputError);
}

}  // namespace
}  // namespace haptic
